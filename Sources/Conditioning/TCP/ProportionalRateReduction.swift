/// How the window comes down in recovery: not at once, but in proportion to what arrives (PRR with slow-start reduction
/// bound, RFC 6937).
struct ProportionalRateReduction {
  private var delivered: Int32 = 0
  private var sent: Int32 = 0
  private var windowBefore: Int32 = 0

  mutating func begin(window: Int) {
    delivered = 0
    sent = 0
    windowBefore = Int32(window)
  }

  mutating func segmentLeft() { sent &+= 1 }

  /// The window that lets as many leave as this acknowledgement allows.
  mutating func window(threshold: Int, _ report: AcknowledgementReport) -> Int {
    delivered += Int32(report.delivered)
    let room = threshold - report.flying
    var allowed: Int
    if room < 0 {
      let share = (threshold * Int(delivered) + Int(windowBefore) - 1) / max(1, Int(windowBefore))
      allowed = share - Int(sent)
    } else {
      allowed = max(Int(delivered - sent), report.delivered)
      if report.isAdvanced && report.newlyLost == 0 { allowed += 1 }
      allowed = min(room, allowed)
    }
    // The first lost segment is sent again at once.
    return report.flying + max(allowed, sent == 0 ? 1 : 0)
  }
}
