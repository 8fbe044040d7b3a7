/// Loss found by time: what was sent before something that has arrived is lost, a round trip and some patience later
/// (RACK, RFC 8985). Lost retransmissions are found the same way.
struct LossDetector {
  /// The newest transmission that has arrived.
  private var newest: Int64 = 0
  private var roundTrip = Interval.zero

  mutating func advance(to transmission: Int64, roundTrip: Interval) {
    guard transmission > newest else { return }
    newest = transmission
    self.roundTrip = roundTrip
  }

  /// Whether something has arrived that was sent after this one.
  func isNewer(than transmission: Int64) -> Bool { newest > transmission }

  /// How long until a segment sent at that time counts as lost; 0 or less: it does.
  func remaining(_ sentAt: Instant, patience: Interval, at now: Instant) -> Interval {
    sentAt + roundTrip + patience - now
  }
}
