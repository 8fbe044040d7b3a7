/// An attribute of a toxic as data: what the API's description of itself says of it.
package struct AttributeDescription: Sendable {
  package enum Kind: Sendable {
    case integer(ClosedRange<Int64>)
    case number(ClosedRange<Double>)
    case choice([String])
  }

  package enum Unit: String, Sendable {
    case milliseconds, microseconds, bytes
    case kilobytesPerSecond = "1,000 bytes per second"
  }

  package var name: String
  package var kind: Kind
  package var unit: Unit?
  /// What it is, with its unit, and what it is when left out.
  package var summary: String
  package var example: JSON
  /// Has to be given when a toxic is made.
  package var isRequired = false
  /// Shown even when it was not given.
  package var isAlwaysShown = true
}

extension ToxicType {
  /// What it does, in one sentence.
  package var summary: String {
    switch self {
    case .latency: "Delays every byte by `latency` ± `jitter`; order is kept."
    case .bandwidth: "Lets `rate` through and holds the rest."
    case .slowClose: "Delays the end of its stream."
    case .timeout: "Drops all bytes of its stream, and closes the connection after `timeout`."
    case .resetPeer:
      "Resets the connection `timeout` after its stream came to life, or after the toxic came to an open one."
    case .slicer: "Cuts what passes into pieces, and waits `delay` after each."
    case .limitData: "Closes the connection once `bytes` have passed."
    case .noop: "Does nothing."
    case .drop: "Fails connections or exchanges at random."
    case .stall: "Holds all bytes, then releases them in order."
    }
  }

  /// - Parameter isLenient: with the values that the classic API takes, not those of profiles and config files.
  package func attributes(isLenient: Bool) -> [AttributeDescription] {
    let limits: AttributeLimits = isLenient ? .classic : .native
    switch self {
    case .latency:
      return [
        .integer(
          "latency", limits.latencyMilliseconds, "Milliseconds; 0 by default, and below 0 as 0", 100,
          in: .milliseconds),
        .integer(
          "jitter", limits.jitterMilliseconds, "Milliseconds; 0 by default, and below 0 as 0", 20,
          in: .milliseconds),
      ]
    case .bandwidth:
      return [
        .integer(
          "rate", limits.kilobytesPerSecond, "1,000 bytes per second; 0, the default, lets nothing through", 125,
          in: .kilobytesPerSecond)
      ]
    case .slowClose:
      return [.integer("delay", limits.milliseconds, "Milliseconds; 0 by default", 500, in: .milliseconds)]
    case .timeout:
      return [
        .integer("timeout", limits.milliseconds, "Milliseconds; 0, the default, never closes", 1000, in: .milliseconds)
      ]
    case .resetPeer:
      return [.integer("timeout", limits.milliseconds, "Milliseconds; 0 by default", 1000, in: .milliseconds)]
    case .slicer:
      var size = AttributeDescription.integer(
        "average_size", limits.pieceBytes, "Bytes of a piece at most; 0 or less cuts nothing", 100, in: .bytes)
      size.isRequired = !isLenient
      return [
        size,
        .integer(
          "size_variation", isLenient ? limits.bytes : 0...limits.pieceBytes.upperBound,
          "Bytes; 0 by default, at most `average_size`" + (isLenient ? ", and acts as that where it is more" : ""), 20,
          in: .bytes),
        .integer("delay", limits.microseconds, "Microseconds; 0 by default", 1000, in: .microseconds),
      ]
    case .limitData:
      return [.integer("bytes", limits.bytes, "0, the default, closes at the first byte", 10_000, in: .bytes)]
    case .noop: return []
    case .drop: return AttributeDescription.drop
    case .stall:
      var time = AttributeDescription.integer(
        "for_ms", ToxicAttributes.stallMilliseconds, "Milliseconds; without it until the toxic is removed", 5000,
        in: .milliseconds)
      time.isAlwaysShown = false
      return [time]
    }
  }
}

extension TriggerSpec {
  /// When a toxic acts: the same for all types, beside `attributes`.
  package static let descriptions: [AttributeDescription] = [
    .integer("after_bytes", bytesRange, "Acts on a connection once so many bytes of its stream have passed", 10_000),
    .integer("after_ms", millisecondsRange, "Acts on a connection after so many milliseconds", 500),
    .integer("first_connections", connectionsRange, "Acts on the proxy's next so many connections only", 3),
    .integer("every", connectionsRange, "Acts on every Nth connection of the proxy only", 2),
  ]
}

extension AttributeDescription {
  fileprivate static func integer(
    _ name: String, _ range: ClosedRange<Int64>, _ summary: String, _ example: Int64, in unit: Unit? = nil
  ) -> AttributeDescription {
    AttributeDescription(name: name, kind: .integer(range), unit: unit, summary: summary, example: .integer(example))
  }

  fileprivate static func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of type: Choice.Type, _ summary: String, _ example: Choice
  ) -> AttributeDescription where Choice.RawValue == String {
    AttributeDescription(
      name: name, kind: .choice(Choice.allCases.map(\.rawValue)), summary: summary, example: .string(example.rawValue))
  }

  fileprivate static let drop = [
    AttributeDescription(
      name: "probability", kind: .number(0...1), summary: "Of each connection or exchange", example: 0.3,
      isRequired: true),
    .choice(
      "per", of: DropSpec.Unit.self,
      "What the dice are thrown for: `connection`, the default, or what the client sends after the server last spoke",
      .exchange),
    .choice(
      "how", of: DropSpec.Manner.self,
      "`reset`, the default, `close`, `hang` (accepted, never answered), or `refuse` (the port refuses connections; only with probability 1, per connection, toxicity 1 and no trigger)",
      .reset),
  ]
}
