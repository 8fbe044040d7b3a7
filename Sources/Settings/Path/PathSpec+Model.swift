import Conditioning

// How a path is carried out, and why.
extension PathSpec {
  /// The fastest that TCP is modelled at, in bytes per second of a direction: above it the machine's own pauses are longer
  /// than what would be modelled, and each packet costs processor time.
  package static let fastestModelled: Int64 = 125_000_000
  /// What a sender may have under way at most, as Linux' default receive buffer of 6 MB allows; so a direction without a
  /// rate moves this much a round trip.
  package static let windowBytes = 3_000_000.0
  /// From which on a direction without a rate is slow enough.
  package static let leastLatencyMilliseconds = windowBytes * 1000 / Double(fastestModelled)

  /// How the path is carried out: as asked for, but plain where TCP can't be modelled.
  package var modelInForce: PathModel { model == .plain || !isTCPModelled ? .plain : .tcp }

  package var isTCPModelled: Bool { excess == nil }

  /// Why the path is plain without having been asked to be; nil where it isn't, and where there is nothing to carry out.
  package var modelNote: String? {
    guard isShaping, let excess else { return nil }
    let limit = "delay and rate only, as TCP is modelled up to \(Self.fastestModelled) bytes per second"
    let key = "\(excess.direction)_bytes_per_second"
    guard excess.cause == .noRate else { return "\(limit) and \(key) is \(excess.rateText)" }
    return "\(limit) and there is no \(key) to keep it from more at \(JSON.decimalText(of: latencyMilliseconds)) ms"
  }

  /// Whether it does anything to connections that are open: a lookup is over by then.
  package var isShaping: Bool {
    var path = self
    path.dnsLatencyMilliseconds = 0
    return !path.isPassThrough
  }
}

// MARK: What only modelled TCP shows

extension PathSpec {
  /// The first field that can be shown with modelled TCP only.
  var need: String? {
    if timeline != nil { return "timeline" }
    if trace != nil { return "trace" }
    if downstreamLoss.model != .none { return "downstream_loss" }
    if upstreamLoss.model != .none { return "upstream_loss" }
    if let queue { return queue.key }
    if congestionControl != .cubic { return "congestion_control \"\(congestionControl)\"" }
    if jitterDistribution != .uniform, jitterMilliseconds > 0 { return "jitter_distribution \"\(jitterDistribution)\"" }
    return nil
  }
}

// MARK: Too fast

/// A direction of a path that is faster than TCP can be modelled at.
struct PathExcess {
  enum Cause { case rate, noRate, trace }

  var direction: Direction
  var cause: Cause
  var bytesPerSecond: Double

  var rateText: String { JSON.decimalText(of: bytesPerSecond.rounded()) }
}

extension PathSpec {
  /// The first direction that is too fast, of the first step where there are some.
  var excess: PathExcess? {
    if let timeline { return timeline.steps.lazy.compactMap(\.path.excess).first }
    return [Direction.downstream, .upstream].lazy.compactMap(excess).first
  }

  private func excess(_ direction: Direction) -> PathExcess? {
    let found: PathExcess
    if let rate = trace?.meanBytesPerSecond(direction) {
      found = PathExcess(direction: direction, cause: .trace, bytesPerSecond: rate)
    } else if let rate = bytesPerSecond(direction) {
      found = PathExcess(direction: direction, cause: .rate, bytesPerSecond: Double(rate))
    } else {
      let rate = latencyMilliseconds > 0 ? Self.windowBytes / latencyMilliseconds * 1000 : .infinity
      found = PathExcess(direction: direction, cause: .noRate, bytesPerSecond: rate)
    }
    return found.bytesPerSecond > Double(Self.fastestModelled) ? found : nil
  }
}
