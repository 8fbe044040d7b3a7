/// The direction a toxic acts on: `upstream` is client to server.
package enum Stream: String, Hashable, Sendable, CaseIterable {
  case upstream, downstream
}

/// The kinds of toxic that there are.
package enum ToxicType: String, Hashable, Sendable, CaseIterable {
  case latency, bandwidth
  case slowClose = "slow_close"
  case timeout
  case resetPeer = "reset_peer"
  case slicer
  case limitData = "limit_data"
  case noop, drop, stall

  /// Whether clients of the classic API know it.
  package var isClassic: Bool {
    switch self {
    case .latency, .bandwidth, .slowClose, .timeout, .resetPeer, .slicer, .limitData, .noop: true
    case .drop, .stall: false
    }
  }
}

/// One configured toxic: what it does, to which stream, and how likely.
package struct ToxicSpec: Hashable, Sendable {
  /// Unique among the toxics of its proxy or profile.
  package var name: String
  /// The stream as the client spelled it (`UpStream`), echoed as such; empty for both.
  package var streamText: String
  /// Probability that the toxic applies to a session. 0 or less: never; 1 or more: always.
  package var toxicity: Float
  package var attributes: ToxicAttributes
  package var trigger = TriggerSpec()
  /// Left out of the classic lists, whose clients stop at kinds that they don't know: it came from a config file.
  package var isHidden = false

  package var type: ToxicType { attributes.type }

  /// Nil: both.
  package var stream: Stream? { Stream(rawValue: streamText.lowercased()) }

  package init(_ attributes: ToxicAttributes, name: String? = nil, stream: Stream?, toxicity: Float = 1) {
    self.init(attributes, name: name, streamText: stream?.rawValue ?? "", toxicity: toxicity)
  }

  init(
    _ attributes: ToxicAttributes, name: String?, streamText: String, toxicity: Float,
    trigger: TriggerSpec = TriggerSpec()
  ) {
    self.name = ToxicSpec.name(name, type: attributes.type, streamText: streamText)
    self.streamText = streamText
    self.toxicity = toxicity
    self.attributes = attributes
    self.trigger = trigger
  }

  /// The name given, or that of type and stream as they are spelled.
  static func name(_ given: String?, type: ToxicType, streamText: String) -> String {
    if let given, !given.isEmpty { return given }
    return streamText.isEmpty ? type.rawValue : "\(type.rawValue)_\(streamText)"
  }

  /// What keeps a toxic that refuses connections from doing so: a listening socket refuses everybody or nobody.
  func refusalProblem(_ fields: Fields) -> SettingsError? {
    guard case .drop(let drop) = attributes, drop.how == .refuse else { return nil }
    if toxicity != 1 { return fields.refusal("toxicity", allowed: "1, as connections are refused for all or for none") }
    for key in TriggerSpec.keys where fields.value(key) != nil && !trigger.isEmpty {
      return fields.refusal(key, allowed: "0, as connections are refused for all or for none")
    }
    return trigger.isEmpty
      ? nil : fields.refusal("attributes", allowed: "how other than \"refuse\" for a toxic with a trigger")
  }

  /// The toxic as the classic API shows it, `stream` left out for both.
  package var json: JSON {
    .object(
      [
        ("attributes", attributes.json), ("name", .string(name)), ("type", .string(type.rawValue)),
        ("stream", streamText.isEmpty ? nil : .string(streamText)), ("toxicity", .float(toxicity)),
      ] + trigger.members)
  }
}
