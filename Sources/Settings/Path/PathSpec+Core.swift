package import Conditioning

extension PathSpec {
  /// Bytes per second of one direction; nil without a limit.
  package func bytesPerSecond(_ direction: Direction) -> Int64? {
    direction == .upstream ? upstreamBytesPerSecond : downstreamBytesPerSecond
  }

  package func loss(_ direction: Direction) -> LossSpec {
    direction == .upstream ? upstreamLoss : downstreamLoss
  }

  /// What the core runs for it.
  package var coreTimeline: PathTimeline {
    guard let timeline else { return PathTimeline(coreParameters) }
    let steps = timeline.steps.map { step in
      PathTimeline.Step(duration: .milliseconds(step.durationMilliseconds), parameters: step.path.coreParameters)
    }
    return PathTimeline(steps: steps, isLooped: timeline.isLooped)
  }

  private var coreParameters: PathParameters {
    PathParameters(
      upstream: channel(.upstream), downstream: channel(.downstream), congestionControl: congestionControl)
  }

  private func channel(_ direction: Direction) -> ChannelParameters {
    var capacity = bytesPerSecond(direction).map { Capacity.rate(bytesPerSecond: $0) } ?? .unlimited
    if let trace = trace?[direction] { capacity = .trace(CapacityTrace(opportunities: trace)) }
    return ChannelParameters(
      capacity: capacity, queueBytes: queueBytes(direction), delay: .milliseconds(latencyMilliseconds / 2),
      jitter: .milliseconds(jitterMilliseconds / 2), jitterDistribution: jitterDistribution,
      loss: loss(direction).model)
  }

  /// Nil without a rate: nothing ever waits there.
  private func queueBytes(_ direction: Direction) -> Int? {
    let rate: Double
    if let mean = trace?.meanBytesPerSecond(direction) {
      rate = mean
    } else if let given = bytesPerSecond(direction) {
      rate = Double(given)
    } else {
      return nil
    }
    switch queue {
    case .bytes(let bytes): return Int(bytes)
    case .milliseconds(let duration): return max(1500, Int(rate * duration / 1000))
    case nil: return max(64 << 10, Int(rate * latencyMilliseconds / 1000))
    }
  }
}
