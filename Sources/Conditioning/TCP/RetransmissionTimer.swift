/// The one timer of a sender, as Linux has it: the retransmission time-out, or in its place a tail-loss probe or the wait
/// for what may only be late.
struct RetransmissionTimer {
  enum Kind: UInt8 {
    case none, retransmission, probe, reordering
  }

  private(set) var due = Instant.distantFuture
  private(set) var kind = Kind.none

  mutating func set(_ kind: Kind, after delay: Interval, at now: Instant) {
    self.kind = kind
    due = KernelTimer.fires(after: delay, at: now)
  }

  mutating func stop() {
    kind = .none
    due = .distantFuture
  }
}

extension TCPSender {
  /// What a probe waits for an acknowledgement that may be delayed, in place of a single segment's.
  private static let delayedAcknowledgement = Interval.milliseconds(200)
  /// Two ticks.
  static let shortestWait = Interval.milliseconds(8)

  /// Starts the time-out; from when the oldest segment left, if something else was waited for in between.
  mutating func restartTimeout(_ flight: Flight, at now: Instant) {
    var wait = roundTrips.timeout
    if flight.timer.kind == .probe || flight.timer.kind == .reordering {
      wait = max(.nanoseconds(1), flight.oldestSentAt + wait - now)
    }
    flight.timer.set(.retransmission, after: wait, at: now)
  }

  /// A probe in place of the time-out, two round trips after the last segment, while all goes well.
  mutating func scheduleProbe(_ flight: Flight, isAdvanced: Bool, at now: Instant) -> Bool {
    guard flight.phase == .open, flight.arrivedBeyond == 0, flight.lost == 0, roundTrips.hasSample, !probe.isOut
    else { return false }
    let twice = Interval(nanoseconds: roundTrips.smoothedTime.nanoseconds * 2)
    var wait = twice + (flight.count == 1 ? Self.delayedAcknowledgement : Self.shortestWait)
    let timeout = isAdvanced ? roundTrips.timeout : flight.oldestSentAt + roundTrips.timeout - now
    if timeout > .zero { wait = min(wait, timeout) }
    flight.timer.set(.probe, after: wait, at: now)
    return true
  }

  /// - Returns: what is to be sent at once, whatever the window.
  mutating func timerIsDue(at now: Instant) -> Outgoing? {
    guard let flight, flight.timer.due <= now else { return nil }
    switch flight.timer.kind {
    case .none:
      flight.timer.stop()
      return nil
    case .probe: return sendProbe(flight, at: now)
    case .reordering:
      settle(flight, at: now)
      return nil
    case .retransmission:
      timeOut(flight, at: now)
      return nil
    }
  }

  private mutating func sendProbe(_ flight: Flight, at now: Instant) -> Outgoing {
    flight.timer.stop()
    let isNew = unsentBytes > 0 && Int(outstandingBytes) + SegmentSize.payload <= Self.receiveWindow
    let outgoing = isNew ? sendNew(at: now) : sendAgain(flight.end - 1, at: now)
    probe.sent(end: flight.end, isRetransmission: !isNew)
    flight.timer.set(.retransmission, after: roundTrips.timeout, at: now)
    return outgoing
  }

  private mutating func timeOut(_ flight: Flight, at now: Instant) {
    flight.markAllLost(at: now)
    let isFirst = flight.phase == .open || (flight.phase == .loss && flight.timeoutsInARow == 0)
    congestion.timedOut(isFirst: isFirst, flying: flight.flying)
    if isFirst { flight.mistake = SpuriousTimeout() }
    flight.mistake.trial = flight.phase == .open || flight.timeoutsInARow > 0 ? .waiting : .none
    flight.phase = .loss
    flight.recoveryEnd = next
    flight.recoversFromOldPath = flight.oldest < flight.oldPathEnd
    flight.timedOut()
    probe.forget()
    roundTrips.backOff()
    flight.timer.set(.retransmission, after: roundTrips.timeout, at: now)
  }

  /// What was given time to be only late is lost now.
  private mutating func settle(_ flight: Flight, at now: Instant) {
    flight.timer.stop()
    let found = detectLosses(flight, at: now).count
    if found > 0 && flight.phase != .recovery {
      beginRecovery(flight)
      var report = AcknowledgementReport(now: now, oldest: flight.oldest, next: next, usage: flight.usage)
      (report.delivered, report.newlyLost, report.flying, report.phase) = (1, found, flight.flying, .recovery)
      congestion.acknowledged(report)
    }
    if flight.timer.kind == .none { flight.timer.set(.retransmission, after: roundTrips.timeout, at: now) }
  }

  /// The user has put another path in place: what was waited for too long is tried at the usual time.
  mutating func pathChanged(at now: Instant) {
    flight?.oldPathEnd = next
    // A loss on the old path, be it found by now or not, says nothing about the new one; but it has to be repaired first.
    if let flight, flight.phase != .open { flight.recoversFromOldPath = true } else { congestion.pathChanged() }
    roundTrips.takeBackOffBack()
    guard let flight, flight.timer.kind == .retransmission else { return }
    let usual = KernelTimer.fires(after: roundTrips.timeout, at: now)
    if usual < flight.timer.due { flight.timer.set(.retransmission, after: roundTrips.timeout, at: now) }
  }
}
