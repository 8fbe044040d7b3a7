extension ToxicSpec {
  static let keys = ["name", "type", "stream", "toxicity", "attributes"] + TriggerSpec.keys

  /// More in one profile is a mistake, or an attack on memory.
  package static let maximumCount = 64
  /// In the text of one proxy; the daemon may be told to hold fewer.
  package static let maximumOfProxy = Limit.toxicsPerProxy.mostEver

  /// What an absent `stream` means.
  enum AbsentStream {
    /// Both: profiles describe a network.
    case both
    /// Downstream for the classic kinds: config entries mean what they mean to toxiproxy.
    case classic

    func text(for type: ToxicType) -> String {
      self == .classic && type.isClassic ? Stream.downstream.rawValue : ""
    }
  }

  /// Reads the strict form, of profiles, config files and native calls.
  static func native(
    _ value: JSON, source: String, path: String, absentStream: AbsentStream = .both
  ) throws(SettingsError) -> ToxicSpec {
    let fields = try Fields(value, source: source, path: path)
    try fields.refuseUnknownKeys(keys)
    guard let type = try fields.choice("type", of: ToxicType.self) else {
      throw fields.refusal("type", allowed: ToxicType.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
    }
    let stream = try fields.choice("stream", of: Stream.self)?.rawValue ?? absentStream.text(for: type)
    let attributes = try fields.fields("attributes")
    try attributes.refuseUnknownKeys(ToxicAttributes.keys(of: type))
    let toxic = ToxicSpec(
      try .read(type, from: attributes, limits: .native), name: try fields.string("name"), streamText: stream,
      toxicity: Float(try fields.number("toxicity", in: 0...1) ?? 1), trigger: try TriggerSpec().merged(fields))
    if let problem = toxic.refusalProblem(fields) { throw problem }
    return toxic
  }

  /// Reads the field `toxics`: nil when absent or null.
  static func nativeList(
    _ fields: Fields, atMost limit: Int = maximumCount, absentStream: AbsentStream = .both
  ) throws(SettingsError) -> [ToxicSpec]? {
    guard let elements = try fields.array("toxics", atMost: limit, of: "toxics") else { return nil }
    var toxics: [ToxicSpec] = []
    for (index, element) in elements.enumerated() {
      let path = "\(fields.pathOf("toxics"))[\(index)]"
      let toxic = try native(element, source: fields.source, path: path, absentStream: absentStream)
      if toxics.contains(where: { $0.name == toxic.name }) {
        throw SettingsError(
          source: fields.source, field: "\(path).name",
          message: "is \(JSON.string(toxic.name).excerpt); allowed: a name that no other toxic here has")
      }
      toxics.append(toxic)
    }
    return toxics
  }
}
