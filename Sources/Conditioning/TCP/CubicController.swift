/// Congestion control by loss, the default of Linux: slow start with HyStart, CUBIC, PRR in recovery.
struct CubicController: CongestionController {
  /// RFC 6928, in segments.
  static let initialWindow = 10

  /// What it remembers of slow start's end and of losses: most idle sessions have met neither.
  ///
  /// A class, although a controller is a value: a sender has its own, and is never copied to go on as two.
  private final class Experience {
    var cubic = Cubic()
    var reduction = ProportionalRateReduction()
    /// Before the last reduction, to be undone.
    var segmentsBefore: Int32 = 0
    var thresholdBefore: Int32 = 0
  }

  // In this order for size: every idle session carries two of these.
  /// When the window was used up or looked at for the last time.
  private var lastFull = Instant.distantPast
  /// Nil: there is none yet.
  private var experience: Experience?
  private var hyStart = HyStart()
  private var segments = Int32(initialWindow)
  private var threshold = Int32.max
  /// Microseconds.
  private var leastRoundTrip = Int32.max
  /// The most that was under way since `lastFull`.
  private var mostUsed: Int32 = 0

  var holdsNothing: Bool { experience == nil }
  var window: Int { Int(segments) }
  private var isInSlowStart: Bool { segments < threshold }
  private var least: Interval { Interval(nanoseconds: Int64(leastRoundTrip) * 1_000) }

  private mutating func experienced() -> Experience {
    if let experience { return experience }
    let experience = Experience()
    self.experience = experience
    return experience
  }

  mutating func measured(roundTrip: Interval, _ report: AcknowledgementReport) {
    leastRoundTrip = min(leastRoundTrip, Int32(clamping: roundTrip.nanoseconds / 1_000))
    guard isInSlowStart else { return }
    let isOver = hyStart.endsSlowStart(
      window: window, roundTrip: roundTrip, least: least, oldest: report.oldest, next: report.next, at: report.now)
    if isOver { threshold = segments }
  }

  mutating func acknowledged(_ report: AcknowledgementReport) {
    if report.phase == .recovery {
      guard report.delivered > 0 else { return }
      segments = Int32(max(1, experienced().reduction.window(threshold: Int(threshold), report)))
    } else if report.isAdvanced {
      grow(by: report.delivered, report)
    }
  }

  /// In slow start half of it is enough: the next round trip uses the rest.
  private func isUsedUp(_ usage: WindowUsage) -> Bool {
    usage.isLimited || (isInSlowStart && window < 2 * usage.most)
  }

  private mutating func grow(by acknowledged: Int, _ report: AcknowledgementReport) {
    guard isUsedUp(report.usage), segments < Int32.max / 4 else { return }
    var acknowledged = acknowledged
    if isInSlowStart {
      let grown = min(window + acknowledged, Int(threshold))
      acknowledged -= grown - window
      segments = Int32(grown)
    }
    guard acknowledged > 0 else { return }
    let round = leastRoundTrip == .max ? Interval.zero : least
    segments = Int32(
      experienced().cubic.grow(window: window, acknowledged: acknowledged, leastRoundTrip: round, at: report.now))
  }

  mutating func sent(payloadBytes: Int, isFirst: Bool, lastSentAt: Instant, at now: Instant) {
    guard let experience else { return }
    experience.reduction.segmentLeft()
    if isFirst && lastSentAt != .distantPast { experience.cubic.pause(now - lastSentAt) }
  }

  /// A window that isn't used up for the length of a time-out comes half way down to what is used (RFC 2861).
  mutating func used(_ underWay: Int, _ usage: WindowUsage, timeout: Interval, at now: Instant) {
    if isUsedUp(usage) || lastFull == .distantPast {
      (mostUsed, lastFull) = (0, now)
      return
    }
    mostUsed = max(mostUsed, Int32(underWay))
    guard now - lastFull >= timeout else { return }
    let enough = max(mostUsed, Int32(Self.initialWindow))
    if enough < segments {
      raiseThreshold()
      segments = (segments + enough) / 2
    }
    (mostUsed, lastFull) = (0, now)
  }

  /// Slow start leads back to three quarters of the window.
  private mutating func raiseThreshold() {
    if threshold != .max { threshold = max(threshold, segments - segments / 4) }
  }

  mutating func recoveryBegan() {
    experienced().reduction.begin(window: window)
    reduce()
  }

  private mutating func reduce() {
    let experience = experienced()
    (experience.segmentsBefore, experience.thresholdBefore) = (segments, threshold)
    threshold = Int32(experience.cubic.reduce(window: window))
  }

  /// There is no threshold yet where the connection has begun anew amid the recovery: the loss was the old one's.
  mutating func recoveryEnded() {
    if threshold != .max { segments = threshold }
  }

  mutating func timedOut(isFirst: Bool, flying: Int) {
    if isFirst { reduce() }
    segments = Int32(flying + 1)
    experience?.cubic.forget()
    hyStart.forget()
    leastRoundTrip = .max
  }

  mutating func probeRepairedLoss() {
    reduce()
    segments = threshold
  }

  mutating func undo() {
    guard let experience else { return }
    segments = max(segments, experience.segmentsBefore)
    threshold = max(threshold, experience.thresholdBefore)
  }

  /// Slow start again, from where the window is: the curve would take minutes from a slow path to a fast one, and who
  /// switches wants to see the other network. BBR forgets the old path within ten round trips by itself.
  mutating func pathChanged() {
    threshold = .max
    hyStart = HyStart()
    experience?.cubic.forget()
    leastRoundTrip = .max
  }

  mutating func handshakeWasLossy() { segments = 1 }

  mutating func resumed(after pause: Interval, timeout: Interval) {
    // RFC 2861: halved for each time-out that has passed.
    let halvings = min(30, pause.nanoseconds / max(1, timeout.nanoseconds))
    raiseThreshold()
    (mostUsed, lastFull) = (0, .distantPast)
    segments = max(min(Int32(Self.initialWindow), segments), segments >> Int32(halvings))
  }
}
