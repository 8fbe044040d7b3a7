extension PathSpec {
  private static let keys = [
    "latency_ms", "jitter_ms", "dns_latency_ms", "downstream_bytes_per_second", "upstream_bytes_per_second",
    "downstream_loss", "upstream_loss",
  ]

  package static let maximumLatencyMilliseconds = 600_000.0
  package static let maximumDNSLatencyMilliseconds = 60_000.0
  package static let bytesPerSecond: ClosedRange<Int64> = 0...1_000_000_000_000

  init(_ fields: Fields) throws(SettingsError) {
    try fields.refuseUnknownKeys(Self.keys)
    let latency = try fields.number("latency_ms", in: 0...Self.maximumLatencyMilliseconds) ?? 0
    let jitter = try fields.number("jitter_ms", in: 0...Self.maximumLatencyMilliseconds) ?? 0
    if jitter > latency {
      throw fields.refusal(
        "jitter_ms", allowed: "a number from 0 to latency_ms (\(JSON.decimalText(of: latency)))")
    }
    self.init(
      latencyMilliseconds: latency, jitterMilliseconds: jitter,
      dnsLatencyMilliseconds: try fields.number("dns_latency_ms", in: 0...Self.maximumDNSLatencyMilliseconds) ?? 0,
      downstreamBytesPerSecond: try fields.integer("downstream_bytes_per_second", in: Self.bytesPerSecond),
      upstreamBytesPerSecond: try fields.integer("upstream_bytes_per_second", in: Self.bytesPerSecond),
      downstreamLoss: try Self.loss("downstream_loss", fields), upstreamLoss: try Self.loss("upstream_loss", fields))
  }

  /// Loss would have to be felt as TCP feels it; until the path can do that, a profile must not claim it.
  private static func loss(_ key: String, _ fields: Fields) throws(SettingsError) -> LossSpec {
    let loss = try fields.number(key, in: 0...1) ?? 0
    guard loss == 0 else {
      throw fields.refusal(key, allowed: "0, as packet loss can't be emulated yet (TCP's answer to it is not modelled)")
    }
    return .none
  }
}
