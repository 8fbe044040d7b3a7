/// The direction a toxic acts on: `upstream` is client to server.
package enum Stream: String, Hashable, Sendable, CaseIterable {
  case upstream, downstream
}

/// The kinds of toxic that there are.
package enum ToxicType: String, Hashable, Sendable, CaseIterable {
  case latency, bandwidth, noop, drop, stall

  /// Whether clients of the classic API know it.
  package var isClassic: Bool {
    switch self {
    case .latency, .bandwidth, .noop: true
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

  package var type: ToxicType { attributes.type }

  /// Nil: both.
  package var stream: Stream? { Stream(rawValue: streamText.lowercased()) }

  package init(_ attributes: ToxicAttributes, name: String? = nil, stream: Stream?, toxicity: Float = 1) {
    self.init(attributes, name: name, streamText: stream?.rawValue ?? "", toxicity: toxicity)
  }

  init(_ attributes: ToxicAttributes, name: String?, streamText: String, toxicity: Float) {
    let type = attributes.type.rawValue
    let defaultName = streamText.isEmpty ? type : "\(type)_\(streamText)"
    self.name = name.flatMap { $0.isEmpty ? nil : $0 } ?? defaultName
    self.streamText = streamText
    self.toxicity = toxicity
    self.attributes = attributes
  }

  /// The toxic as the classic API shows it, `stream` left out for both.
  package var json: JSON {
    .object([
      ("attributes", attributes.json), ("name", .string(name)), ("type", .string(type.rawValue)),
      ("stream", streamText.isEmpty ? nil : .string(streamText)), ("toxicity", .float(toxicity)),
    ])
  }
}
