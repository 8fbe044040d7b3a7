/// The controller of an end. CUBIC's is a value in place, since each idle session carries two of them; BBR's is a box,
/// so that only those who use it carry its state.
enum Congestion {
  case cubic(CubicController)
  case bbr(BBR)

  init(_ control: CongestionControl) {
    switch control {
    case .cubic: self = .cubic(CubicController())
    case .bbr: self = .bbr(BBR())
    }
  }

  /// Whether it has nothing on the heap.
  var holdsNothing: Bool { if case .cubic(let cubic) = self { cubic.holdsNothing } else { false } }

  var control: CongestionControl {
    switch self {
    case .cubic: .cubic
    case .bbr: .bbr
    }
  }
}

extension Congestion: CongestionController {
  var window: Int {
    switch self {
    case .cubic(let cubic): cubic.window
    case .bbr(let bbr): bbr.window
    }
  }

  func mayLeave(at now: Instant) -> Bool {
    switch self {
    case .cubic: true
    case .bbr(let bbr): bbr.mayLeave(at: now)
    }
  }

  var pacedUntil: Instant {
    switch self {
    case .cubic: .distantPast
    case .bbr(let bbr): bbr.pacedUntil
    }
  }

  mutating func shookHands(roundTrip: Interval) {
    change({ $0.shookHands(roundTrip: roundTrip) }, { $0.shookHands(roundTrip: roundTrip) })
  }

  mutating func measured(roundTrip: Interval, _ report: AcknowledgementReport) {
    change({ $0.measured(roundTrip: roundTrip, report) }, { $0.measured(roundTrip: roundTrip, report) })
  }

  mutating func acknowledged(_ report: AcknowledgementReport) {
    change({ $0.acknowledged(report) }, { $0.acknowledged(report) })
  }

  mutating func sent(payloadBytes: Int, isFirst: Bool, lastSentAt: Instant, at now: Instant) {
    change(
      { $0.sent(payloadBytes: payloadBytes, isFirst: isFirst, lastSentAt: lastSentAt, at: now) },
      { $0.sent(payloadBytes: payloadBytes, isFirst: isFirst, lastSentAt: lastSentAt, at: now) })
  }

  mutating func used(_ underWay: Int, _ usage: WindowUsage, timeout: Interval, at now: Instant) {
    change(
      { $0.used(underWay, usage, timeout: timeout, at: now) }, { $0.used(underWay, usage, timeout: timeout, at: now) })
  }

  mutating func recoveryBegan() {
    change({ $0.recoveryBegan() }, { $0.recoveryBegan() })
  }

  mutating func recoveryEnded() {
    change({ $0.recoveryEnded() }, { $0.recoveryEnded() })
  }

  mutating func timedOut(isFirst: Bool, flying: Int) {
    change({ $0.timedOut(isFirst: isFirst, flying: flying) }, { $0.timedOut(isFirst: isFirst, flying: flying) })
  }

  mutating func probeRepairedLoss() {
    change({ $0.probeRepairedLoss() }, { $0.probeRepairedLoss() })
  }

  mutating func undo() {
    change({ $0.undo() }, { $0.undo() })
  }

  mutating func handshakeWasLossy() {
    change({ $0.handshakeWasLossy() }, { $0.handshakeWasLossy() })
  }

  mutating func pathChanged() {
    change({ $0.pathChanged() }, { $0.pathChanged() })
  }

  mutating func resumed(after pause: Interval, timeout: Interval) {
    change({ $0.resumed(after: pause, timeout: timeout) }, { $0.resumed(after: pause, timeout: timeout) })
  }

  private mutating func change(_ toCubic: (inout CubicController) -> Void, _ toBBR: (BBR) -> Void) {
    switch self {
    case .cubic(var cubic):
      toCubic(&cubic)
      self = .cubic(cubic)
    case .bbr(let bbr): toBBR(bbr)
    }
  }
}
