/// The tail-loss probe (RFC 8985 §7): instead of a first time-out one segment is sent, so that its acknowledgement shows
/// what is missing.
struct TailLossProbe {
  /// One behind the segment that it was.
  private var end = SegmentMark(0)
  private(set) var isOut = false
  private var isRetransmission = false

  mutating func sent(end: Int64, isRetransmission: Bool) {
    self.end = SegmentMark(end)
    isOut = true
    self.isRetransmission = isRetransmission
  }

  mutating func forget() { isOut = false }

  /// Whether it turns out now that the probe has repaired a loss, which counts as one.
  mutating func hasRepairedLoss(oldest: Int64, duplicate: Int64) -> Bool {
    let advance = end.distance(to: oldest)
    guard isOut, advance >= 0 else { return false }
    if !isRetransmission || (duplicate >= 0 && end.distance(to: duplicate) == -1) {
      forget()
      return false
    }
    guard advance > 0 else { return false }
    forget()
    return true
  }
}
