extension TCPSender {
  /// An acknowledgement has arrived.
  mutating func take(_ acknowledgement: Acknowledgement, at now: Instant) {
    guard let flight else { return }
    let delivery = flight.take(acknowledgement, leastRoundTrip: roundTrips.leastTime, at: now)
    acknowledged(bytes: delivery.acknowledgedBytes)
    if delivery.isAdvanced { flight.advanced() }
    var report = AcknowledgementReport(now: now, oldest: flight.oldest, next: next, usage: flight.usage)
    (report.delivered, report.isAdvanced) = (delivery.segments, delivery.isAdvanced)
    report.rate = flight.delivered.takeSample(delivery.newest, at: now)
    if delivery.segments > 0 { measure(delivery, acknowledgement, report) }
    takeProbe(flight, duplicate: acknowledgement.duplicate)
    if flight.phase != .open { goOnRecovering(flight, delivery, acknowledgement) }
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

  // MARK: Recovery

  private mutating func goOnRecovering(_ flight: Flight, _ delivery: Delivery, _ acknowledgement: Acknowledgement) {
    if acknowledgement.duplicate >= 0 { flight.mistake.arrivedTwice() }
    let isOver = flight.oldest >= flight.recoveryEnd
    let isMistake = delivery.isAdvanced && flight.mistake.isProven(by: acknowledgement)
    if (isMistake && (isOver || flight.phase == .loss)) || hasTrialShownMistake(flight, delivery) {
      undo(flight)
    } else if isOver {
      if flight.phase == .recovery { congestion.recoveryEnded() }
      endRecovery(flight)
    }
  }

  /// The steps of RFC 5682 §3.1.
  private func hasTrialShownMistake(_ flight: Flight, _ delivery: Delivery) -> Bool {
    guard flight.phase == .loss, flight.mistake.trial != .none else { return false }
    if delivery.showsOriginal { return true }
    if flight.mistake.trial == .sendsNew { flight.mistake.trial = .hasSentNew }
    if next > flight.recoveryEnd {
      // What was sent later has arrived, and what is missing still is.
      if delivery.segments > 0 && !delivery.isAdvanced { flight.mistake.trial = .none }
    } else if delivery.isAdvanced && flight.oldest < flight.recoveryEnd {
      flight.recoveryEnd = next
      flight.mistake.trial = hasUnsent ? .sendsNew : .none
    }
    return false
  }

  private mutating func undo(_ flight: Flight) {
    flight.markAllFlying()
    congestion.undo()
    endRecovery(flight)
  }

  private mutating func endRecovery(_ flight: Flight) {
    flight.phase = .open
    flight.mistake = SpuriousTimeout()
    if flight.recoversFromOldPath { congestion.pathChanged() }
    flight.recoversFromOldPath = false
  }

  mutating func beginRecovery(_ flight: Flight) {
    flight.phase = .recovery
    flight.recoveryEnd = next
    flight.mistake = SpuriousTimeout()
    flight.recoversFromOldPath = flight.oldest < flight.oldPathEnd
    probe.forget()
    congestion.recoveryBegan()
  }

  // MARK: Losses

  /// Finds what is lost, begins recovery with it, and sets the timer anew.
  private mutating func findLosses(_ flight: Flight, _ delivery: Delivery, at now: Instant) -> Int {
    var losses = Flight.Losses()
    if flight.arrivedBeyond > 0 || flight.phase != .open { losses = detectLosses(flight, at: now) }
    let isNew = flight.phase == .open || (flight.phase == .loss && losses.hasLostAgain)
    if flight.lost > 0 && isNew { beginRecovery(flight) }
    if losses.wait == nil { restartTimer(flight, delivery, at: now) }
    return losses.count
  }

  /// Three that have arrived beyond a gap leave no doubt (RFC 6675); with fewer, what is missing may only be late.
  mutating func detectLosses(_ flight: Flight, at now: Instant) -> Flight.Losses {
    let isInDoubt = flight.phase == .open && flight.arrivedBeyond < 3
    let quarter = Interval(nanoseconds: roundTrips.leastTime.nanoseconds / 4)
    let eighth = Interval(nanoseconds: roundTrips.smoothedTime.nanoseconds / 8)
    let losses = flight.detectLosses(patience: isInDoubt ? min(quarter, eighth) : .zero, at: now)
    if let wait = losses.wait { flight.timer.set(.reordering, after: wait + Self.shortestWait, at: now) }
    return losses
  }

  /// What was acknowledged pushes the time-out back; so does what has arrived beyond a gap, if it was sent before the
  /// oldest segment was.
  private mutating func restartTimer(_ flight: Flight, _ delivery: Delivery, at now: Instant) {
    guard !flight.isEmpty else { return flight.timer.stop() }
    let isOlder = delivery.selectiveRoundTrip.map { $0 > now - flight.oldestSentAt } ?? false
    guard delivery.isAdvanced || isOlder else { return }
    if !scheduleProbe(flight, isAdvanced: true, at: now) { restartTimeout(flight, at: now) }
  }
}
