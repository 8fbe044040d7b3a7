package import Conditioning

/// The path that all sessions under a profile share, per direction.
package struct PathSpec: Hashable, Sendable {
  /// Round trip added, half in each direction; 0...600,000.
  package var latencyMilliseconds: Double
  /// ± on the round trip, half in each direction; at most the latency.
  package var jitterMilliseconds: Double
  /// What it takes to look up a name, added once for each connection that is asked for by name; 0...60,000.
  package var dnsLatencyMilliseconds: Double
  /// Nil: no limit; 0 holds everything; up to 10^12.
  package var downstreamBytesPerSecond: Int64?
  package var upstreamBytesPerSecond: Int64?
  package var downstreamLoss: LossSpec
  package var upstreamLoss: LossSpec
  /// Normal: the jitter is the standard deviation, half of it in each direction.
  package var jitterDistribution: JitterDistribution
  /// Nil: one bandwidth-delay product, at least 64 KiB.
  package var queue: QueueSpec?
  package var congestionControl: CongestionControl
  /// As asked for: nil and `tcp` are the same, TCP where it can be modelled. See ``modelInForce``.
  package var model: PathModel?
  package var timeline: TimelineSpec?
  package var trace: TraceSpec?

  package init(
    latencyMilliseconds: Double = 0, jitterMilliseconds: Double = 0, dnsLatencyMilliseconds: Double = 0,
    downstreamBytesPerSecond: Int64? = nil, upstreamBytesPerSecond: Int64? = nil, downstreamLoss: LossSpec = .none,
    upstreamLoss: LossSpec = .none, jitterDistribution: JitterDistribution = .uniform, queue: QueueSpec? = nil,
    congestionControl: CongestionControl = .cubic, model: PathModel? = nil, timeline: TimelineSpec? = nil,
    trace: TraceSpec? = nil
  ) {
    self.latencyMilliseconds = latencyMilliseconds
    self.jitterMilliseconds = jitterMilliseconds
    self.dnsLatencyMilliseconds = dnsLatencyMilliseconds
    self.downstreamBytesPerSecond = downstreamBytesPerSecond
    self.upstreamBytesPerSecond = upstreamBytesPerSecond
    self.downstreamLoss = downstreamLoss
    self.upstreamLoss = upstreamLoss
    self.jitterDistribution = jitterDistribution
    self.queue = queue
    self.congestionControl = congestionControl
    self.model = model
    self.timeline = timeline
    self.trace = trace
  }

  /// Whether it changes nothing.
  package var isPassThrough: Bool { self == PathSpec() }
}
