/// A toxic as the classic API's clients send it, after the tests that come before the test for a duplicate name.
///
/// Two steps, because the contract looks at names between them: `ClassicToxic.read`, then (the caller) the name,
/// then `spec()`.
package struct ClassicToxic: Sendable {
  package let name: String
  package let type: ToxicType
  package let streamText: String
  package let toxicity: Float
  /// One line for each unknown key, at most 8 for each object.
  package let warnings: [String]
  private let fields: Fields
  private let attributes: Fields

  static let keys = ToxicSpec.keys

  /// - Throws: `badBody`, `invalidStream` or `invalidType`, in this order.
  package static func read(body: some Sequence<UInt8>) throws(ClassicError) -> ClassicToxic {
    try read(JSONReader.classicBody(body))
  }

  static func read(_ value: JSON, path: String = "") throws(ClassicError) -> ClassicToxic {
    let fields = try Fields.classic(value, path: path)
    let texts = try classic { () throws(SettingsError) in
      (name: try fields.string("name"), type: try fields.string("type"), stream: try fields.string("stream"))
    }
    let toxicity = try fields.toxicity()
    let attributes = try fields.classicFields("attributes")
    if let stream = texts.stream, Stream(rawValue: stream.lowercased()) == nil { throw .invalidStream }
    guard let type = ToxicType(rawValue: texts.type ?? "") else { throw .invalidType }
    // Headwind's own kinds act on both streams unless they are told otherwise, as in profiles.
    let streamText = texts.stream ?? ToxicSpec.AbsentStream.classic.text(for: type)
    return ClassicToxic(
      name: ToxicSpec.name(texts.name, type: type, streamText: streamText), type: type, streamText: streamText,
      toxicity: toxicity ?? 1,
      warnings: fields.warnings(known: keys) + attributes.warnings(known: ToxicAttributes.keys(of: type))
        + toxicityWarnings(toxicity),
      fields: fields, attributes: attributes)
  }

  /// - Throws: `badBody` for an attribute of the wrong type, `invalidValue` for one that can't be honoured.
  package func spec() throws(ClassicError) -> ToxicSpec {
    try classic { () throws(SettingsError) in
      let toxic = ToxicSpec(
        try ToxicAttributes.read(type, from: attributes, limits: .classic), name: name, streamText: streamText,
        toxicity: toxicity, trigger: try TriggerSpec().merged(fields))
      if let problem = toxic.refusalProblem(fields) { throw problem }
      return toxic
    }
  }

  /// Reads the field `toxics` of a proxy: nil when absent, null or empty.
  static func list(_ fields: Fields, proxy: Int?) throws(ClassicError) -> ClassicBody<[ToxicSpec]?> {
    let elements = try classic { () throws(SettingsError) in
      try fields.array("toxics", atMost: ToxicSpec.maximumOfProxy, of: "toxics")
    }
    guard let elements, !elements.isEmpty else { return ClassicBody(value: nil) }
    var toxics: [ToxicSpec] = []
    var warnings: [String] = []
    for (index, element) in elements.enumerated() {
      do throws(ClassicError) {
        let toxic = try read(element, path: "toxics[\(index)]")
        if toxics.contains(where: { $0.name == toxic.name }) { throw .duplicateToxic(toxic.name) }
        toxics.append(try toxic.spec())
        warnings += toxic.warnings
      } catch {
        throw .badToxic(index: index, proxy: proxy, error)
      }
    }
    return ClassicBody(value: toxics, warnings: warnings)
  }
}

extension ToxicSpec {
  /// This toxic after an update through the classic API: `toxicity` and the attributes named change, nothing else does.
  ///
  /// - Throws: `badBody` or `invalidValue`; nothing has changed then.
  package func updated(body: some Sequence<UInt8>) throws(ClassicError) -> ClassicBody<ToxicSpec> {
    let fields = try Fields.classic(JSONReader.classicBody(body))
    var copy = self
    if let toxicity = try fields.toxicity() { copy.toxicity = toxicity }
    let named = try fields.classicFields("attributes")
    try classic { () throws(SettingsError) in
      copy.attributes = try attributes.merged(named, limits: .classic)
      copy.trigger = try trigger.merged(fields)
      if let problem = copy.refusalProblem(fields) { throw problem }
    }
    let known = ToxicAttributes.keys(of: type)
    return ClassicBody(
      value: copy,
      warnings: fields.warnings(known: Self.keys) + named.warnings(known: known)
        + toxicityWarnings(try fields.toxicity()))
  }
}

extension Fields {
  /// Any number that fits a 32-bit float.
  fileprivate func toxicity() throws(ClassicError) -> Float? {
    guard let found = value("toxicity") else { return nil }
    guard let number = found.doubleValue, Float(number).isFinite else {
      throw ClassicError(refusal("toxicity", .shape, allowed: "a number that fits a 32-bit float"))
    }
    return Float(number)
  }
}

/// The reference takes any number and says nothing.
private func toxicityWarnings(_ toxicity: Float?) -> [String] {
  guard let toxicity, !(0...1).contains(toxicity) else { return [] }
  return ["toxicity is \(JSON.float(toxicity).text); it acts as \(toxicity < 0 ? 0 : 1), allowed are 0 to 1"]
}
