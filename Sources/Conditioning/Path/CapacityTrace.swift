/// When a link of varying capacity could deliver: one packet of up to 1,500 bytes at each of these milliseconds, over and
/// over. The format is Mahimahi's (R. Netravali et al., USENIX ATC 2015): one whole number a line, not falling.
package struct CapacityTrace: Equatable, Sendable {
  /// Bytes that one opportunity delivers.
  package static let opportunityBytes = 1500

  /// Milliseconds since the beginning of a round; not empty, not falling, the last one above 0.
  package let opportunities: [UInt32]

  /// - Precondition: `opportunities` is as above; ``Settings`` has told the user otherwise.
  package init(opportunities: [UInt32]) {
    precondition(opportunities.last ?? 0 > 0, "a trace ends later than it begins")
    self.opportunities = opportunities
  }

  /// How long one round takes: to the last opportunity, as Mahimahi has it.
  package var period: Interval { .milliseconds(Double(opportunities.last ?? 1)) }
}
