package import Conditioning

extension PathSpec {
  /// The fastest that TCP is modelled at, in bytes per second of a direction: above it the machine's own pauses are longer
  /// than what would be modelled, and each packet costs processor time.
  package static let fastestModelled: Int64 = 125_000_000
  /// What a sender may have under way at most, as Linux' default receive buffer of 6 MB allows; so a direction without a
  /// rate moves this much a round trip.
  package static let windowBytes = 3_000_000.0

  /// How the path is carried out: as asked for, but plain where TCP can't be modelled.
  package var modelInForce: PathModel {
    if model == .plain || !isTCPModelled { return .plain }
    return .tcp
  }

  package var isTCPModelled: Bool {
    Direction.allCases.allSatisfy { fastestBytesPerSecond($0) <= Double(Self.fastestModelled) }
  }

  private func fastestBytesPerSecond(_ direction: Direction) -> Double {
    if trace?[direction] != nil { return 0 }
    if let rate = bytesPerSecond(direction) { return Double(rate) }
    return latencyMilliseconds > 0 ? Self.windowBytes / latencyMilliseconds * 1000 : .infinity
  }

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
    if let trace = trace?[direction], let last = trace.last {
      rate = Double(trace.count * CapacityTrace.opportunityBytes) / Double(last) * 1000
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

extension TraceSpec {
  package subscript(direction: Direction) -> [UInt32]? { direction == .upstream ? upstream : downstream }
}
