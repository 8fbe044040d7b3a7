#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A property list, XML or binary, as far as numbers and names of a file of settings go.
enum PropertyListValue: Decodable {
  case number(Double)
  case string(String)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])
  /// Dates, data, and what else there is.
  case other

  init(from decoder: any Decoder) throws {
    if let members = try? [String: PropertyListValue](from: decoder) {
      self = .dictionary(members)
    } else if let elements = try? [PropertyListValue](from: decoder) {
      self = .array(elements)
    } else {
      self = try Self.leaf(decoder.singleValueContainer())
    }
  }

  private static func leaf(_ container: any SingleValueDecodingContainer) throws -> PropertyListValue {
    if let number = try? container.decode(Double.self) { return .number(number) }
    if let isTrue = try? container.decode(Bool.self) { return .number(isTrue ? 1 : 0) }
    if let text = try? container.decode(String.self) { return .string(text) }
    return .other
  }

  /// - Throws: when it is none.
  static func read(_ text: [UInt8], source: String) throws(SettingsError) -> PropertyListValue {
    do {
      return try PropertyListDecoder().decode(PropertyListValue.self, from: Data(text))
    } catch {
      throw SettingsError(
        .shape, source: source,
        message:
          "is not a property list that can be read; `plutil -convert xml1` on a Mac says why, or writes one that can")
    }
  }

  /// For messages.
  var excerpt: String {
    switch self {
    case .number(let number): JSON.number(number).excerpt
    case .string(let text): JSON.string(text).excerpt
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .other: "a date or data"
    }
  }

  var members: [String: PropertyListValue]? {
    if case .dictionary(let members) = self { members } else { nil }
  }

  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }
}
