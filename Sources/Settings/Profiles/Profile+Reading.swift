extension Profile {
  package static let maximumAliases = 16

  static let keys = ["name", "aliases", "summary", "source", "path", "toxics"]

  static let nameRule = "1 to 64 of a-z 0-9 . _ - with a letter or digit first"

  /// Reads a profile from JSON5 text.
  ///
  /// - Parameters:
  ///   - source: what the text came from, for messages.
  ///   - expectedName: the name by the file or the address. The text may leave `name` out, not contradict it.
  ///   - traceDirectory: where files of a trace are, with a slash behind it; nil: the text may not name any.
  package init(
    text: some Sequence<UInt8>, source: String, expectedName: String? = nil, traceDirectory: String? = nil
  ) throws(SettingsError) {
    let fields = try Fields(JSON.settings(text, source: source), source: source)
    try self.init(fields, expectedName: expectedName, traceDirectory: traceDirectory)
  }

  private init(_ fields: Fields, expectedName: String?, traceDirectory: String?) throws(SettingsError) {
    try fields.refuseUnknownKeys(Self.keys)
    let name = try Self.name(fields, expected: expectedName)
    self.init(
      name: name, aliases: try Self.aliases(fields, of: name), summary: try fields.string("summary") ?? "",
      source: try fields.string("source") ?? "",
      path: try PathSpec(fields.fields("path"), traceDirectory: traceDirectory),
      toxics: try ToxicSpec.nativeList(fields) ?? [])
    if name == Self.passThroughName, !path.isPassThrough || !toxics.isEmpty {
      throw SettingsError(
        source: fields.source, field: "name",
        message: "is \"none\"; allowed: another name, as \"none\" always passes everything through")
    }
  }

  private static func name(_ fields: Fields, expected: String?) throws(SettingsError) -> String {
    guard let name = try fields.string("name") ?? expected else { throw fields.refusal("name", allowed: nameRule) }
    guard isName(name) else {
      throw SettingsError(
        source: fields.source, field: "name", message: "is \(JSON.string(name).excerpt); allowed: \(nameRule)")
    }
    if let expected, name != expected {
      throw fields.refusal("name", allowed: "\(JSON.string(expected).excerpt), the name it is kept under")
    }
    return name
  }

  private static func aliases(_ fields: Fields, of name: String) throws(SettingsError) -> [String] {
    let aliases = try fields.strings("aliases", atMost: maximumAliases) ?? []
    for (index, alias) in aliases.enumerated() {
      let isTaken = alias == name || aliases[..<index].contains(alias)
      guard isName(alias), !isTaken else {
        throw SettingsError(
          source: fields.source, field: "aliases[\(index)]",
          message: "is \(JSON.string(alias).excerpt); allowed: \(isTaken ? "each name once" : nameRule)")
      }
    }
    return aliases
  }
}

extension JSON {
  /// JSON5 text of a file or a native body.
  static func settings(_ text: some Sequence<UInt8>, source: String) throws(SettingsError) -> JSON {
    do {
      return try JSONReader.read(text, dialect: .json5)
    } catch .empty {
      throw SettingsError(.shape, source: source, message: "is empty; allowed: JSON or JSON5")
    } catch {
      throw SettingsError(error, source: source)
    }
  }
}
