import Conditioning

/// Recorded capacity in Mahimahi's format: the milliseconds at which one packet can be delivered, looped.
package struct TraceSpec: Hashable, Sendable {
  /// Not falling, the last above 0; nil: that direction has the path's rate.
  package let downstream: [UInt32]?
  package let upstream: [UInt32]?
  /// Made once: written anew for each answer, a million numbers in each direction would hold up all connections.
  let json: JSON

  package init(downstream: [UInt32]? = nil, upstream: [UInt32]? = nil) {
    self.downstream = downstream
    self.upstream = upstream
    json = .object([
      (Self.keys(.downstream).inline, downstream.map(JSON.encoded)),
      (Self.keys(.upstream).inline, upstream.map(JSON.encoded)),
    ])
  }

  package static func == (a: TraceSpec, b: TraceSpec) -> Bool {
    a.downstream == b.downstream && a.upstream == b.upstream
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(downstream)
    hasher.combine(upstream)
  }
}
