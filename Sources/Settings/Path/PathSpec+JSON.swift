import Conditioning

extension PathSpec {
  /// Reading it again gives the same path. What isn't as it would be without being said is left out, but for the numbers
  /// that every profile has.
  package var json: JSON {
    let numbers = changeable.map { key, value -> (String, JSON?) in
      (key, key == "jitter_distribution" && jitterDistribution == .uniform ? nil : value)
    }
    return .object(
      numbers.prefix(3) + [("dns_latency_ms", .number(dnsLatencyMilliseconds))] + numbers.dropFirst(3) + [
        ("congestion_control", congestionControl == .cubic ? nil : .string(congestionControl.rawValue)),
        ("model", isShaping ? .string(modelInForce.rawValue) : nil), ("model_note", modelNote.map(JSON.string)),
        ("timeline", timeline?.json(against: self)), ("trace", trace?.json),
      ])
  }

  /// What a step of a timeline may change; the same keys in the same order, whatever the path.
  var changeable: [(String, JSON?)] {
    [
      ("latency_ms", .number(latencyMilliseconds)), ("jitter_ms", .number(jitterMilliseconds)),
      ("jitter_distribution", .string(jitterDistribution.rawValue)),
      ("downstream_bytes_per_second", downstreamBytesPerSecond.map(JSON.integer)),
      ("upstream_bytes_per_second", upstreamBytesPerSecond.map(JSON.integer)),
      ("downstream_loss", downstreamLoss.json), ("upstream_loss", upstreamLoss.json),
    ] + QueueSpec.keys.map { ($0, queue?.key == $0 ? queue?.json : nil) }
  }
}
