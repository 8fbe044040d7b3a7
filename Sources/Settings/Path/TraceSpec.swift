/// Recorded capacity in Mahimahi's format: the milliseconds at which one packet can be delivered, looped.
package struct TraceSpec: Hashable, Sendable {
  /// Not falling, the last above 0; nil: that direction has the path's rate.
  package var downstream: [UInt32]?
  package var upstream: [UInt32]?

  package init(downstream: [UInt32]? = nil, upstream: [UInt32]? = nil) {
    self.downstream = downstream
    self.upstream = upstream
  }
}
