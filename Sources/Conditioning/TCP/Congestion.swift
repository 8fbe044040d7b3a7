/// The controller of an end: a value in place, since each idle session carries two of them.
enum Congestion {
  case cubic(CubicController)

  init(_ control: CongestionControl) {
    self = .cubic(CubicController())
  }
}

extension Congestion: CongestionController {
  var window: Int {
    switch self {
    case .cubic(let cubic): cubic.window
    }
  }

  var pacingBytesPerSecond: Double? {
    switch self {
    case .cubic(let cubic): cubic.pacingBytesPerSecond
    }
  }

  mutating func measured(roundTrip: Interval, _ report: AcknowledgementReport) {
    change { $0.measured(roundTrip: roundTrip, report) }
  }

  mutating func acknowledged(_ report: AcknowledgementReport) {
    change { $0.acknowledged(report) }
  }

  mutating func sent(isFirst: Bool, lastSentAt: Instant, at now: Instant) {
    change { $0.sent(isFirst: isFirst, lastSentAt: lastSentAt, at: now) }
  }

  mutating func recoveryBegan() {
    change { $0.recoveryBegan() }
  }

  mutating func recoveryEnded() {
    change { $0.recoveryEnded() }
  }

  mutating func timedOut(isFirst: Bool, flying: Int) {
    change { $0.timedOut(isFirst: isFirst, flying: flying) }
  }

  mutating func probeRepairedLoss() {
    change { $0.probeRepairedLoss() }
  }

  mutating func undo() {
    change { $0.undo() }
  }

  mutating func handshakeWasLossy() {
    change { $0.handshakeWasLossy() }
  }

  mutating func resumed(after pause: Interval, timeout: Interval) {
    change { $0.resumed(after: pause, timeout: timeout) }
  }

  private mutating func change(_ body: (inout CubicController) -> Void) {
    switch self {
    case .cubic(var cubic):
      body(&cubic)
      self = .cubic(cubic)
    }
  }
}
