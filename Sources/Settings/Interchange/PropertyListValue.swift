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
  /// Dates, data, and what else there is; what is nested too deep, too.
  case other

  /// Deeper than any file of settings; it bounds the stack, and objects of a binary list that hold themselves.
  private static let maximumDepth = 16

  init(from decoder: any Decoder) throws {
    if decoder.codingPath.count > Self.maximumDepth {
      self = .other
    } else if let members = try? [String: PropertyListValue](from: decoder) {
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
    guard !isTooDeep(text) else {
      throw SettingsError(.shape, source: source, message: "is nested deeper than \(maximumDepth) levels")
    }
    do {
      return try PropertyListDecoder().decode(PropertyListValue.self, from: Data(text))
    } catch {
      throw SettingsError(
        .shape, source: source,
        message:
          "is not a property list that can be read; `plutil -convert xml1` on a Mac says why, or writes one that can")
    }
  }

  /// XML alone: the decoder of the library goes down with each element, until the stack is used up.
  private static func isTooDeep(_ text: [UInt8]) -> Bool {
    guard !text.starts(with: "bplist".utf8) else { return false }
    var depth = 0
    for (byte, next) in zip(text, text.dropFirst()) {
      switch (byte, next) {
      case (UInt8(ascii: "<"), UInt8(ascii: "!")), (UInt8(ascii: "<"), UInt8(ascii: "?")): break
      case (UInt8(ascii: "<"), UInt8(ascii: "/")), (UInt8(ascii: "/"), UInt8(ascii: ">")): depth -= 1
      case (UInt8(ascii: "<"), _): depth += 1
      default: break
      }
      // `plist` and a last `integer` are no levels of their own.
      if depth > maximumDepth + 2 { return true }
    }
    return false
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
