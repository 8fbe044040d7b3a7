/// Congestion control by a model of the path instead of by loss: BBR version 1
/// (draft-cardwell-iccrg-bbr-congestion-control-00), with what Linux' has beyond the draft: bursts, room for
/// acknowledgements that come in heaps, and a round of packet conservation after a loss.
///
/// A class, so that idle sessions without it don't carry its state.
final class BBR {
  enum Mode {
    /// The rate doubles each round until more brings nothing.
    case startup
    /// The queue that startup has built is let run empty.
    case drain
    /// A little faster, a little slower, then six round trips at the rate.
    case probeBandwidth
    /// Nearly nothing under way, so that the path's own round trip shows.
    case probeRoundTrip
  }

  /// 2/ln 2: the least gain that doubles the rate each round.
  static let startupGain = 2.885
  private static let windowGain = 2.0
  private static let leastWindow = 4
  private static let initialWindow = 10
  /// How long an estimate of the round trip holds, and how long it takes to make a new one.
  private static let roundTripHolds = Interval.milliseconds(10_000)
  private static let probeTakes = Interval.milliseconds(200)
  /// Room for acknowledgements in heaps is limited to what arrives in this time.
  private static let longestHeap = 0.1

  private static let unknown = Interval(nanoseconds: .max)

  // In this order for size: every idle session that uses it carries two of these.
  private(set) var window = initialWindow
  private(set) var leastRoundTrip = unknown
  private var leastSeenAt = Instant.distantPast
  /// Of the acknowledgement at hand.
  private var roundTrip = unknown
  /// When the probe of the round trip is over; `distantFuture`: too much is under way still.
  private var probeEnds = Instant.distantFuture
  /// What was sent before that much had been delivered was held back by a probe of the round trip.
  private var limitedUntil: Int64 = 0
  private(set) var rate = DeliveryRate()
  private var heaps = AcknowledgementHeaps()
  private(set) var pacer = Pacer()
  private var recovery = WindowRecovery()
  private(set) var fullPipe = FullPipe()
  private(set) var cycle = GainCycle()
  private(set) var mode = Mode.startup
  /// Nothing was under way, and nothing has been delivered since.
  private var isRestarting = false
  private var hasProbedForARound = false

  private var pacingGain: Double {
    switch mode {
    case .startup: Self.startupGain
    case .drain: 1 / Self.startupGain
    case .probeBandwidth: cycle.gain
    case .probeRoundTrip: 1
    }
  }

  /// Segments under way that fill the path `gain` times, with some more so that bursts don't starve it.
  private func segments(filling gain: Double, more: Int = 0) -> Int {
    guard leastRoundTrip < Self.unknown else { return Self.initialWindow }
    let product = rate.segmentsPerSecond * leastRoundTrip.seconds * gain
    let bursts = 3 * pacer.burstSegments
    let even = (Int(product) + 1 + more + bursts + 1) & ~1
    return mode == .probeBandwidth && cycle.isFaster ? even + 2 : even
  }
}

extension BBR: CongestionController {
  var pacedUntil: Instant { pacer.until }

  func mayLeave(at now: Instant) -> Bool { pacer.mayLeave(at: now) }

  func shookHands(roundTrip: Interval) {
    leastRoundTrip = roundTrip
    pacer.begin(window: window, roundTrip: roundTrip)
  }

  func measured(roundTrip: Interval, _ report: AcknowledgementReport) {
    self.roundTrip = roundTrip
    if leastRoundTrip == Self.unknown { shookHands(roundTrip: roundTrip) }
  }

  func acknowledged(_ report: AcknowledgementReport) {
    defer { roundTrip = Self.unknown }
    // What only tells of losses waits for the next one that brings something.
    guard let sample = report.rate else { return }
    let mayBeTooLow = sample.isApplicationLimited || sample.deliveredBefore < limitedUntil
    rate.take(sample, leastRoundTrip: min(leastRoundTrip, roundTrip), mayBeTooLow: mayBeTooLow)
    if rate.isRoundStart { recovery.isConserving = false }
    heaps.take(report, rate, window: window)
    advanceCycle(report)
    fullPipe.look(rate, mayBeTooLow: mayBeTooLow)
    drain(report)
    watchRoundTrip(report)
    pace(pacingGain)
    changeWindow(report)
  }

  func sent(payloadBytes: Int, isFirst: Bool, lastSentAt: Instant, at now: Instant) {
    if isFirst { restart(at: now) }
    pacer.left(payloadBytes: payloadBytes, at: now)
  }

  func recoveryBegan() { keepWindow() }

  func recoveryEnded() {}

  func timedOut(isFirst: Bool, flying: Int) {
    keepWindow()
    recovery.phase = .loss
    fullPipe.forget()
    window = flying + 1
  }

  func probeRepairedLoss() {}

  func undo() { fullPipe.forget() }

  func handshakeWasLossy() { window = 1 }

  func resumed(after pause: Interval, timeout: Interval) {}
}

extension BBR {
  /// After a pause the path is as it was: neither the rate nor the window begins anew.
  private func restart(at now: Instant) {
    guard rate.segmentsPerSecond > 0 else { return }
    isRestarting = true
    heaps.begin(at: now)
    if mode == .probeBandwidth { pace(1) }
    if mode == .probeRoundTrip { endProbe(at: now) }
  }

  private func pace(_ gain: Double) {
    pacer.change(segmentsPerSecond: rate.segmentsPerSecond * gain, mayFall: fullPipe.isReached)
  }

  private func advanceCycle(_ report: AcknowledgementReport) {
    guard mode == .probeBandwidth else { return }
    let underWay = report.flying + report.delivered + report.newlyLost
    let isLong = report.now - cycle.began > leastRoundTrip
    let isOver =
      switch cycle.gain {
      case 1: isLong
      case ..<1: isLong || underWay <= segments(filling: 1)
      default: isLong && (report.newlyLost > 0 || underWay >= segments(filling: cycle.gain))
      }
    if isOver { cycle.advance(at: report.now) }
  }

  private func drain(_ report: AcknowledgementReport) {
    if mode == .startup && fullPipe.isReached { mode = .drain }
    if mode == .drain && report.flying <= segments(filling: 1) { probeBandwidth(at: report.now) }
  }

  private func probeBandwidth(at now: Instant) {
    mode = .probeBandwidth
    cycle.begin(luck: rate.deliveredSegments, at: now)
  }

  private func watchRoundTrip(_ report: AcknowledgementReport) {
    if leastSeenAt == .distantPast { leastSeenAt = report.now }
    let isOld = report.now > leastSeenAt + Self.roundTripHolds
    if roundTrip < Self.unknown, roundTrip < leastRoundTrip || isOld {
      leastRoundTrip = roundTrip
      leastSeenAt = report.now
    }
    if isOld && !isRestarting && mode != .probeRoundTrip {
      keepWindow()
      mode = .probeRoundTrip
      probeEnds = .distantFuture
    }
    if mode == .probeRoundTrip { probeRoundTrip(report) }
    isRestarting = false
  }

  private func probeRoundTrip(_ report: AcknowledgementReport) {
    limitedUntil = rate.deliveredSegments + Int64(report.flying)
    guard probeEnds < .distantFuture else {
      guard report.flying <= Self.leastWindow else { return }
      probeEnds = report.now + Self.probeTakes
      hasProbedForARound = false
      rate.beginRound()
      return
    }
    if rate.isRoundStart { hasProbedForARound = true }
    if hasProbedForARound { endProbe(at: report.now) }
  }

  private func endProbe(at now: Instant) {
    guard now > probeEnds else { return }
    leastSeenAt = now
    window = max(window, recovery.windowBefore)
    if fullPipe.isReached { probeBandwidth(at: now) } else { mode = .startup }
  }

  private func keepWindow() {
    recovery.keep(window, isPlain: mode != .probeRoundTrip)
  }

  private func changeWindow(_ report: AcknowledgementReport) {
    if recovery.change(&window, report) {
      if recovery.hasJustBegun { rate.beginRound() }
    } else {
      growWindow(by: report.delivered)
    }
    if mode == .probeRoundTrip { window = min(window, Self.leastWindow) }
  }

  private func growWindow(by acknowledged: Int) {
    let gain = mode == .startup || mode == .drain ? Self.startupGain : mode == .probeRoundTrip ? 1 : Self.windowGain
    let most = Int(rate.segmentsPerSecond * Self.longestHeap)
    let target = segments(filling: gain, more: fullPipe.isReached ? min(heaps.largest, most) : 0)
    if fullPipe.isReached {
      window = min(window + acknowledged, target)
    } else if window < target || rate.deliveredSegments < Self.initialWindow {
      window += acknowledged
    }
    window = max(window, Self.leastWindow)
  }
}
