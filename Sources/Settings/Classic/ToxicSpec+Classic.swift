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
  let attributes: Fields

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
    let streamText = texts.stream ?? Stream.downstream.rawValue
    guard Stream(rawValue: streamText.lowercased()) != nil else { throw .invalidStream }
    guard let type = ToxicType(rawValue: texts.type ?? ""), type.isClassic else { throw .invalidType }
    let given = texts.name.flatMap { $0.isEmpty ? nil : $0 }
    return ClassicToxic(
      name: given ?? "\(type.rawValue)_\(streamText)", type: type, streamText: streamText, toxicity: toxicity ?? 1,
      warnings: fields.warnings(known: keys) + attributes.warnings(known: ToxicAttributes.keys(of: type)),
      attributes: attributes)
  }

  /// - Throws: `badBody` for an attribute of the wrong type, `invalidValue` for one that can't be honoured.
  package func spec() throws(ClassicError) -> ToxicSpec {
    let read = try classic { () throws(SettingsError) in
      try ToxicAttributes.read(type, from: attributes, limits: .classic)
    }
    return ToxicSpec(read, name: name, streamText: streamText, toxicity: toxicity)
  }

  /// Reads the field `toxics` of a proxy: nil when absent, null or empty.
  static func list(_ fields: Fields, proxy: Int?) throws(ClassicError) -> ClassicBody<[ToxicSpec]?> {
    let elements = try classic { () throws(SettingsError) in
      try fields.array("toxics", atMost: ToxicSpec.maximumCount, of: "toxics")
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
    copy.attributes = try classic { () throws(SettingsError) in try attributes.merged(named, limits: .classic) }
    let known = ToxicAttributes.keys(of: type)
    return ClassicBody(
      value: copy, warnings: fields.warnings(known: Self.keys) + named.warnings(known: known))
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
