/// A bound on what the daemon holds or takes. This is the one list of them: flags of `serve`, keys of the config file,
/// metrics, `GET /limits`, refusals and docs/limits.md are made from it.
package enum Limit: String, CaseIterable, Hashable, Sendable {
  case connections
  case connectionsPerProxy = "connections_per_proxy"
  case bufferBytes = "buffer_bytes"
  case linkBufferBytes = "link_buffer_bytes"
  case lookups
  case forwardHeadBytes = "forward_head_bytes"
  case controlConnections = "control_connections"
  case controlHeadBytes = "control_head_bytes"
  case controlBodyBytes = "control_body_bytes"
  case controlOutputBytes = "control_output_bytes"
  case eventStreams = "event_streams"
  case proxies
  case toxics
  case toxicsPerProxy = "toxics_per_proxy"
  case profiles
  case rules
  case leases
  case events
  case keptCounters = "kept_counters"
  case nameBytes = "name_bytes"

  package enum Unit: String, Hashable, Sendable, CaseIterable { case count, bytes }

  /// What there is to say of one.
  package struct Terms: Sendable {
    /// What is bounded, as a noun phrase.
    package let what: String
    package let usual: Int
    package let range: ClosedRange<Int64>
    /// What happens there, as a sentence.
    package let does: String
  }
}

extension Limit {
  package var unit: Unit { rawValue.hasSuffix("_bytes") ? .bytes : .count }

  /// On the command line: `--max-connections`.
  package var flag: String { "--" + key.map { $0 == "_" ? "-" : String($0) }.joined() }

  /// In the config file: `max_connections`.
  package var key: String { "max_\(rawValue)" }

  /// What it is without a flag or a key.
  package var usual: Int { terms.usual }
  package var range: ClosedRange<Int64> { terms.range }

  /// What may never be passed, however it is set: for what is read before anybody knows how.
  package var mostEver: Int { Int(range.upperBound) }
}
