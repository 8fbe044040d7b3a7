/// Header fields in the order sent. Names compare without regard to ASCII case.
package struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  package private(set) var fields: [Field] = []

  package init() {}

  package init(dictionaryLiteral fields: (String, String)...) {
    for (name, value) in fields { append(name, value) }
  }

  package mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// The first field of that name.
  package subscript(name: String) -> String? {
    fields.first { HTTPHeaders.areEqual($0.name, name) }?.value
  }

  /// The values of every field of that name.
  package func all(_ name: String) -> [String] {
    fields.filter { HTTPHeaders.areEqual($0.name, name) }.map(\.value)
  }

  /// Equality of names and of keyword values: A–Z and a–z are the same, all else must be (RFC 9110 §5.1).
  static func areEqual(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (65...90).contains(byte) ? byte | 0x20 : byte
  }
}
