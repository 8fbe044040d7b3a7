/// One JSON object on its way to become settings: typed reading, with errors that name the field.
///
/// `null` is as if absent, everywhere: the classic clients rely on it.
struct Fields {
  enum Keys {
    /// Config files, profiles, native bodies.
    case exact
    /// The classic API; the last key that matches and is not null counts.
    case anyCase

    /// The name that a key of the text is looked up with.
    func fold(_ key: String) -> String { self == .exact ? key : key.lowercased() }
  }

  let object: JSONObject
  let source: String
  /// Path of this object; empty at the top.
  let path: String
  let keys: Keys
  /// The values that are not null, by the name that they are looked up with.
  private let values: [String: [JSON]]

  init(_ value: JSON, source: String, path: String = "", keys: Keys = .exact) throws(SettingsError) {
    self.source = source
    self.path = path
    self.keys = keys
    switch value {
    case .object(let object): self.object = object
    case .null: object = JSONObject()
    default:
      throw SettingsError(
        .shape, source: source, field: path.isEmpty ? "the top level" : path,
        message: "is \(value.excerpt); allowed: an object")
    }
    let found = object.members.lazy.filter { $0.value != .null }.map { (keys.fold($0.key), [$0.value]) }
    values = Dictionary(found, uniquingKeysWith: +)
  }

  func pathOf(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// The value, unless absent or null.
  func value(_ key: String) -> JSON? { values[key]?.last }

  /// All values of a key that may come more than once (classic objects merge).
  func values(_ key: String) -> [JSON] { values[key] ?? [] }

  /// In the order of the text.
  func unknownKeys(_ known: [String]) -> [String] {
    object.members.map(\.key).filter { !known.contains(keys.fold($0)) }
  }

  /// - Throws: for the first key that is not known, with the nearest that is.
  func refuseUnknownKeys(_ known: [String]) throws(SettingsError) {
    guard let key = unknownKeys(known).first else { return }
    let hint = nearest(to: key, among: known).map { "did you mean \"\($0)\"? " } ?? ""
    let list = known.isEmpty ? "none are" : known.joined(separator: ", ")
    throw SettingsError(
      source: source, field: pathOf(key.isEmpty ? "\"\"" : key.plainExcerpt),
      message: "is not a known key; \(hint)known: \(list)")
  }

  /// `FIELD is VALUE; allowed: …`, or `FIELD is missing; allowed: …`.
  func refusal(_ key: String, _ kind: SettingsError.Kind = .value, allowed: String) -> SettingsError {
    let found = value(key).map(\.excerpt) ?? "missing"
    return SettingsError(kind, source: source, field: pathOf(key), message: "is \(found); allowed: \(allowed)")
  }
}

// MARK: Typed values, nil when absent

extension Fields {
  func string(_ key: String) throws(SettingsError) -> String? {
    switch value(key) {
    case nil: return nil
    case .string(let text): return text
    default: throw refusal(key, .shape, allowed: "a string")
    }
  }

  func bool(_ key: String) throws(SettingsError) -> Bool? {
    switch value(key) {
    case nil: return nil
    case .bool(let value): return value
    default: throw refusal(key, .shape, allowed: "true or false")
    }
  }

  func integer(_ key: String, in range: ClosedRange<Int64> = .min ... .max) throws(SettingsError) -> Int64? {
    let allowed = range.text
    switch value(key) {
    case nil: return nil
    case .integer(let value) where range.contains(value): return value
    case .integer: throw refusal(key, allowed: allowed)
    default: throw refusal(key, .shape, allowed: allowed)
    }
  }

  func number(_ key: String, in range: ClosedRange<Double>) throws(SettingsError) -> Double? {
    try number(key, allowed: range.text) { range.contains($0) }
  }

  func number(
    _ key: String, allowed: String, where isAllowed: (Double) -> Bool
  ) throws(SettingsError) -> Double? {
    guard let found = value(key) else { return nil }
    guard let number = found.doubleValue else { throw refusal(key, .shape, allowed: allowed) }
    guard isAllowed(number) else { throw refusal(key, allowed: allowed) }
    return number
  }

  /// As `number`, of a key that must be there.
  func needed(
    _ key: String, allowed: String, where isAllowed: (Double) -> Bool
  ) throws(SettingsError) -> Double {
    guard let number = try number(key, allowed: allowed, where: isAllowed) else {
      throw refusal(key, allowed: allowed)
    }
    return number
  }

  func array(_ key: String, atMost limit: Int, of what: String) throws(SettingsError) -> [JSON]? {
    switch value(key) {
    case nil: return nil
    case .array(let elements) where elements.count <= limit: return elements
    case .array(let elements):
      throw SettingsError(
        source: source, field: pathOf(key), message: "has \(elements.count) elements; allowed: at most \(limit)")
    default: throw refusal(key, .shape, allowed: "an array of \(what)")
    }
  }

  func strings(_ key: String, atMost limit: Int) throws(SettingsError) -> [String]? {
    guard let elements = try array(key, atMost: limit, of: "strings") else { return nil }
    var strings: [String] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element else {
        throw SettingsError(
          .shape, source: source, field: "\(pathOf(key))[\(index)]",
          message: "is \(element.excerpt); allowed: a string")
      }
      strings.append(text)
    }
    return strings
  }

  func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, of type: Choice.Type
  ) throws(SettingsError) -> Choice? where Choice.RawValue == String {
    guard let found = value(key) else { return nil }
    if case .string(let text) = found, let choice = Choice(rawValue: text) { return choice }
    throw refusal(key, allowed: Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
  }

  /// The object of that name; an empty one when absent.
  func fields(_ key: String) throws(SettingsError) -> Fields {
    try Fields(value(key) ?? .null, source: source, path: pathOf(key), keys: keys)
  }
}

extension ClosedRange<Int64> {
  /// As messages say what is allowed.
  var text: String { "a whole number from \(lowerBound) to \(upperBound)" }
}

extension ClosedRange<Double> {
  /// As messages say what is allowed.
  var text: String { "a number from \(JSON.decimalText(of: lowerBound)) to \(JSON.decimalText(of: upperBound))" }
}

extension JSON {
  /// The value as it can stand in a message of one line, without what may be secret in a URL.
  package var excerpt: String {
    switch self {
    case .string(let text) where text.contains("://") && text.withoutURLSecrets != text:
      JSON.string(text.withoutURLSecrets).excerpt
    case .number(let value) where !value.isFinite: "a number too large to hold"
    case .array(let elements) where !elements.isEmpty: "an array"
    case .encodedArray: "an array"
    case .object(let object) where !object.members.isEmpty: "an object"
    case .string(let text) where text.unicodeScalars.count > 60:
      JSON.string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(60))) + "…").text
    default: text
    }
  }
}

extension String {
  /// The text as it can stand in a message of one line, without quotes.
  package var plainExcerpt: String { String(JSON.string(self).excerpt.dropFirst().dropLast()) }
}
