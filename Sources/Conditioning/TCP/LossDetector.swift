/// Loss found by time: what was sent before something that has arrived is lost, a round trip and some patience later
/// (RACK, RFC 8985). Lost retransmissions are found the same way.
struct LossDetector {
  /// The newest transmission that has arrived.
  private var newestSentAt = Instant.distantPast
  private var newestNumber: Int64 = -1
  private var roundTrip = Interval.zero

  mutating func advance(sentAt: Instant, number: Int64, roundTrip: Interval) {
    guard (sentAt, number) > (newestSentAt, newestNumber) else { return }
    (newestSentAt, newestNumber) = (sentAt, number)
    self.roundTrip = roundTrip
  }

  /// Whether something has arrived that was sent after this one.
  func isNewer(than sentAt: Instant, _ number: Int64) -> Bool {
    (newestSentAt, newestNumber) > (sentAt, number)
  }

  /// How long until a segment sent at that time counts as lost; 0 or less: it does.
  func remaining(_ sentAt: Instant, patience: Interval, at now: Instant) -> Interval {
    sentAt + roundTrip + patience - now
  }
}
