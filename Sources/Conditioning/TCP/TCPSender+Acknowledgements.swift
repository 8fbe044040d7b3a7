extension TCPSender {
  /// An acknowledgement has arrived.
  mutating func take(_ acknowledgement: Acknowledgement, at now: Instant) {
    guard let flight else { return }
    let delivery = flight.take(acknowledgement, leastRoundTrip: roundTrips.leastTime, at: now)
    acknowledged(bytes: delivery.acknowledgedBytes)
    var report = AcknowledgementReport(now: now, oldest: flight.oldest, next: next, usage: flight.usage)
    (report.delivered, report.isAdvanced) = (delivery.segments, delivery.isAdvanced)
    report.rate = flight.delivered.takeSample(at: now)
    if delivery.segments > 0 { measure(delivery, acknowledgement, report) }
    takeProbe(flight, duplicate: acknowledgement.duplicate)
    endRecovery(flight)
    report.newlyLost = findLosses(flight, delivery, at: now)
    (report.flying, report.phase) = (flight.flying, flight.phase)
    congestion.acknowledged(report)
    if flight.isEmpty { land() }
  }

  private mutating func measure(
    _ delivery: Delivery, _ acknowledgement: Acknowledgement, _ report: AcknowledgementReport
  ) {
    var roundTrip = delivery.firstRoundTrip
    // The time stamp tells it for segments that were sent twice.
    if roundTrip == nil && delivery.isAdvanced && acknowledgement.echo != .distantPast {
      roundTrip = report.now - acknowledgement.echo
    }
    if let roundTrip { roundTrips.take(roundTrip, oldest: report.oldest, next: next) }
    if let newest = delivery.newestRoundTrip { congestion.measured(roundTrip: newest, report) }
  }

  private mutating func takeProbe(_ flight: Flight, duplicate: Int64) {
    guard probe.isOut, probe.hasRepairedLoss(oldest: flight.oldest, duplicate: duplicate) else { return }
    if flight.phase == .open { congestion.probeRepairedLoss() }
  }

  private mutating func endRecovery(_ flight: Flight) {
    guard flight.phase != .open, flight.oldest >= flight.recoveryEnd else { return }
    if flight.phase == .recovery { congestion.recoveryEnded() }
    flight.phase = .open
  }

  /// Finds what is lost, begins recovery with it, and sets the timer anew.
  private mutating func findLosses(_ flight: Flight, _ delivery: Delivery, at now: Instant) -> Int {
    var found = 0
    var isWaiting = false
    if flight.arrivedBeyond > 0 || flight.phase != .open {
      found = detectLosses(flight, at: now)
      isWaiting = timer.kind == .reordering
    }
    if flight.lost > 0 && flight.phase == .open { beginRecovery(flight) }
    if !isWaiting { restartTimer(flight, delivery, at: now) }
    return found
  }

  /// What was acknowledged pushes the time-out back; so does what has arrived beyond a gap, if it was sent before the
  /// oldest segment was.
  private mutating func restartTimer(_ flight: Flight, _ delivery: Delivery, at now: Instant) {
    guard !flight.isEmpty else { return timer.stop() }
    let isOlder = delivery.selectiveRoundTrip.map { $0 > now - flight.oldestSentAt } ?? false
    guard delivery.isAdvanced || isOlder else { return }
    if !scheduleProbe(flight, isAdvanced: true, at: now) { restartTimeout(flight, at: now) }
  }

  /// Three that have arrived beyond a gap leave no doubt (RFC 6675); with fewer, what is missing may only be late.
  mutating func detectLosses(_ flight: Flight, at now: Instant) -> Int {
    let isInDoubt = flight.phase == .open && flight.arrivedBeyond < 3
    let quarter = Interval(nanoseconds: roundTrips.leastTime.nanoseconds / 4)
    let eighth = Interval(nanoseconds: roundTrips.smoothedTime.nanoseconds / 8)
    let result = flight.detectLosses(patience: isInDoubt ? min(quarter, eighth) : .zero, at: now)
    if let wait = result.wait { timer.set(.reordering, after: wait + Self.shortestWait, at: now) }
    return result.lost
  }

  mutating func beginRecovery(_ flight: Flight) {
    flight.phase = .recovery
    flight.recoveryEnd = next
    probe.forget()
    congestion.recoveryBegan()
  }
}
