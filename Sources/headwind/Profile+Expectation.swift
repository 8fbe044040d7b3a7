import Conditioning
import Settings

// What a fetch through a profile should come to: what its numbers say, and nothing measured.
extension Profile {
  /// Some exchanges or connections fail, others don't.
  var failsByChance: Bool {
    toxics.contains { toxic in
      guard case .drop(let drop) = toxic.attributes else { return false }
      return drop.probability > 0 && (drop.probability < 1 || toxic.toxicity < 1)
    }
  }

  private var certainDrop: DropSpec? {
    for toxic in toxics {
      if case .drop(let drop) = toxic.attributes, drop.probability >= 1, toxic.toxicity >= 1 { return drop }
    }
    return nil
  }

  /// One round trip, and with modelled TCP the handshake's before; nil when nothing is to come, or nobody can say when.
  var expectedFirstByteMilliseconds: Double? {
    certainDrop == nil && path.timeline == nil ? path.latencyMilliseconds * roundTrips : nil
  }

  private var roundTrips: Double { path.modelInForce == .tcp ? 2 : 1 }

  /// Then the body, at the downstream rate or as fast as TCP starts; nothing that is lost is reckoned with.
  func expectedTotalMilliseconds(_ bytes: Int) -> Double? {
    guard let first = expectedFirstByteMilliseconds, let body = path.bodyMilliseconds(bytes) else { return nil }
    return first + body
  }

  var expectedFirstByteText: String {
    guard let first = expectedFirstByteMilliseconds else {
      if path.timeline != nil, certainDrop == nil { return "varies" }
      return certainDrop?.how == .hang ? "nothing" : "fails"
    }
    return withJitter(first)
  }

  func expectedTotalText(_ bytes: Int) -> String {
    guard let total = expectedTotalMilliseconds(bytes) else { return expectedFirstByteText }
    return withJitter(total)
  }

  private func withJitter(_ milliseconds: Double) -> String {
    let jitter = path.jitterMilliseconds * roundTrips
    let text = DemoRun.rounded(milliseconds) + (jitter > 0 ? " ± \(DemoRun.rounded(jitter))" : "")
    return path.isLossy ? "≥ \(text)" : text
  }

  /// Nanoseconds after which a fetch is given up: short where nothing is to come, long where TCP may have to wait and try
  /// again.
  func patience(_ bytes: Int) -> Int64 {
    if certainDrop == nil, path.timeline != nil { return 120_000_000_000 }
    guard let total = expectedTotalMilliseconds(bytes) else { return 2_000_000_000 }
    return Int64((total + path.jitterMilliseconds) * 2e6) + (path.isLossy ? 60_000_000_000 : 5_000_000_000)
  }
}

extension PathSpec {
  private static let initialWindowSegments = 10
  private static let segmentBytes = 1448
  private static let packetBytes = 1500.0

  fileprivate var isLossy: Bool { downstreamLoss.model != .none || upstreamLoss.model != .none }

  /// From a body's first byte to its last; nil: never.
  fileprivate func bodyMilliseconds(_ bytes: Int) -> Double? {
    let rate = trace?.meanBytesPerSecond(.downstream) ?? downstreamBytesPerSecond.map(Double.init)
    if rate == 0 { return nil }
    guard modelInForce == .tcp else { return rate.map { Double(bytes) / $0 * 1e3 } ?? 0 }
    func wire(_ segments: Int) -> Double { rate.map { Double(segments) * Self.packetBytes / $0 * 1e3 } ?? 0 }
    var (time, window) = (0.0, Self.initialWindowSegments)
    var segments = (bytes + Self.segmentBytes - 1) / Self.segmentBytes
    // Slow start: a flight a round trip, each twice the last one, until the wire is what limits.
    while segments > window {
      time += max(latencyMilliseconds, wire(window))
      segments -= window
      window = min(2 * window, Int(Self.windowBytes) / Self.segmentBytes)
    }
    return time + wire(segments)
  }
}
