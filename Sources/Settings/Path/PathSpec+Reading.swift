import Conditioning

extension PathSpec {
  /// What a step of a timeline may change.
  static let changeableKeys =
    [
      "latency_ms", "jitter_ms", "jitter_distribution", "downstream_bytes_per_second", "upstream_bytes_per_second",
      "downstream_loss", "upstream_loss",
    ] + QueueSpec.keys
  /// What stays for as long as the profile does. `model_note` is only written.
  static let lastingKeys = ["dns_latency_ms", "congestion_control", "model", "model_note", "timeline", "trace"]

  package static let maximumLatencyMilliseconds = 600_000.0
  package static let maximumDNSLatencyMilliseconds = 60_000.0
  package static let bytesPerSecond: ClosedRange<Int64> = 0...1_000_000_000_000

  /// - Parameter traceDirectory: where files of a trace are, with a slash behind it; nil: it may not name any.
  init(_ fields: Fields, traceDirectory: String?) throws(SettingsError) {
    try fields.refuseUnknownKeys(Self.changeableKeys + Self.lastingKeys)
    self.init()
    dnsLatencyMilliseconds = try fields.number("dns_latency_ms", in: 0...Self.maximumDNSLatencyMilliseconds) ?? 0
    congestionControl = try fields.choice("congestion_control", of: CongestionControl.self) ?? .cubic
    let model = try fields.choice("model", of: PathModel.self)
    _ = try fields.string("model_note")
    try change(fields)
    timeline = try TimelineSpec.read(fields, of: self)
    trace = try TraceSpec.read(fields, directory: traceDirectory)
    try refuseContradictions(fields)
    if model == .plain {
      try refusePlainModel(fields)
      // Where it is plain anyway, asking for it says nothing; so what is written is read as what it was.
      if isTCPModelled { self.model = .plain }
    }
  }

  /// Takes over the fields that are there, of `changeableKeys`.
  mutating func change(_ fields: Fields) throws(SettingsError) {
    let milliseconds = 0...Self.maximumLatencyMilliseconds
    latencyMilliseconds = try fields.number("latency_ms", in: milliseconds) ?? latencyMilliseconds
    jitterMilliseconds = try fields.number("jitter_ms", in: milliseconds) ?? jitterMilliseconds
    try refuseJitterAboveLatency(fields)
    jitterDistribution = try fields.choice("jitter_distribution", of: JitterDistribution.self) ?? jitterDistribution
    downstreamBytesPerSecond =
      try fields.integer("downstream_bytes_per_second", in: Self.bytesPerSecond) ?? downstreamBytesPerSecond
    upstreamBytesPerSecond =
      try fields.integer("upstream_bytes_per_second", in: Self.bytesPerSecond) ?? upstreamBytesPerSecond
    downstreamLoss = try LossSpec.read("downstream_loss", fields) ?? downstreamLoss
    upstreamLoss = try LossSpec.read("upstream_loss", fields) ?? upstreamLoss
    queue = try QueueSpec.read(fields) ?? queue
  }

  private func refuseJitterAboveLatency(_ fields: Fields) throws(SettingsError) {
    guard jitterMilliseconds > latencyMilliseconds else { return }
    guard fields.value("jitter_ms") != nil else {
      throw fields.refusal(
        "latency_ms", allowed: "at least the path's jitter_ms (\(JSON.decimalText(of: jitterMilliseconds)))")
    }
    throw fields.refusal(
      "jitter_ms", allowed: "a number from 0 to latency_ms (\(JSON.decimalText(of: latencyMilliseconds)))")
  }
}
