import Conditioning
import Settings

extension ToxicSpec {
  /// Without a stream a toxic acts on both.
  func acts(on direction: Direction) -> Bool {
    switch stream {
    case nil: true
    case .upstream: direction == .upstream
    case .downstream: direction == .downstream
    }
  }

  /// The listening socket itself refuses: every connection fails, and fails at once.
  var refusesEveryConnection: Bool {
    guard case .drop(let drop) = attributes else { return false }
    return drop.how == .refuse && drop.per == .connection && drop.probability >= 1 && toxicity >= 1 && trigger.isEmpty
  }
}

extension ToxicAttributes {
  /// What the core runs for these attributes.
  var stageKind: StageKind {
    switch self {
    case .latency(let latency, let jitter):
      .latency(Latency.Parameters(latency: .wholeMilliseconds(latency), jitter: .wholeMilliseconds(max(0, jitter))))
    case .bandwidth(let rate):
      // The largest rate that a classic client may set overflows when counted in bytes.
      .bandwidth(Bandwidth.Parameters(bytesPerSecond: rate > .max / 1000 ? .max : rate * 1000))
    case .slowClose(let delay):
      .slowClose(SlowClose.Parameters(delay: .wholeMilliseconds(delay)))
    case .timeout(let timeout):
      .timeout(Timeout.Parameters(timeout: .wholeMilliseconds(timeout)))
    case .resetPeer(let timeout):
      .resetPeer(ResetPeer.Parameters(timeout: .wholeMilliseconds(timeout)))
    case .slicer(let slicer):
      .slicer(
        Slicer.Parameters(
          averageSize: slicer.averageSize, sizeVariation: slicer.sizeVariation,
          delay: .wholeMicroseconds(slicer.delayMicroseconds)))
    case .limitData(let bytes):
      .limitData(LimitData.Parameters(bytes: bytes))
    case .noop:
      .noop
    case .drop(let drop):
      .drop(
        Drop.Parameters(
          probability: drop.probability, per: drop.per == .connection ? .connection : .exchange, how: drop.how.core))
    case .stall(let duration):
      .stall(Stall.Parameters(duration: duration.map(Interval.wholeMilliseconds)))
    }
  }
}

extension TriggerSpec {
  var core: Trigger { Trigger(bytes: afterBytes, delay: .wholeMilliseconds(afterMilliseconds)) }

  /// Nil where the toxic concerns every connection.
  var connectionFilter: ConnectionFilter? {
    guard firstConnections > 0 || every > 1 else { return nil }
    return ConnectionFilter(
      first: firstConnections > 0 ? Int(firstConnections) : nil, every: max(1, Int(every)))
  }
}

extension DropSpec.Manner {
  fileprivate var core: Drop.How {
    switch self {
    case .reset: .reset
    case .close: .close
    case .refuse: .refuse
    case .hang: .hang
    }
  }
}

extension Interval {
  // Exact for whole numbers, and bounded: the classic API accepts any 64-bit number.

  fileprivate static func wholeMilliseconds(_ count: Int64) -> Interval { whole(count, nanoseconds: 1_000_000) }
  fileprivate static func wholeMicroseconds(_ count: Int64) -> Interval { whole(count, nanoseconds: 1_000) }

  private static func whole(_ count: Int64, nanoseconds: Int64) -> Interval {
    let (product, overflow) = count.multipliedReportingOverflow(by: nanoseconds)
    return Interval(nanoseconds: overflow ? (count < 0 ? .min : .max) : product)
  }
}

extension ProxySpec {
  /// A new proxy is enabled unless it says otherwise.
  package var isEnabled: Bool { enabled ?? true }
}

extension Interval {
  package init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
