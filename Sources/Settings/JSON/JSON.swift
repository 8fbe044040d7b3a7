/// A JSON value, for reading and for writing: `["name": "web", "toxics": []]` is one.
///
/// One ordered type serves both ways, because the order of keys is part of the API's answers and because
/// messages about settings should follow the order of the file.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  /// Every whole number of the signed 64-bit range, however it was spelled (`100`, `100.0`, `1e2`).
  case integer(Int64)
  /// Whole numbers above `Int64.max` only (seeds use all 64 bits).
  case unsigned(UInt64)
  /// Everything else. Infinite where a number in a lenient body is too large for a Double.
  case number(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)
  /// An array whose text was made before, because it is large and asked for again and again. Only written, never read.
  case encodedArray([UInt8])
}

/// The members of a JSON object in their order.
///
/// A lenient body may hold a key twice; all its members are kept, and the last one counts.
package struct JSONObject: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSON
  }

  package var members: [Member] = []

  package init() {}

  package init(_ pairs: some Sequence<(String, JSON)>) {
    members = pairs.map { Member(key: $0.0, value: $0.1) }
  }

  /// Reads the last member of that name; writing replaces it, or appends a new one. Writing nil removes all of that name.
  package subscript(key: String) -> JSON? {
    get { members.last { $0.key == key }?.value }
    set {
      guard let newValue else { return members.removeAll { $0.key == key } }
      if let index = members.lastIndex(where: { $0.key == key }) {
        members[index].value = newValue
      } else {
        members.append(Member(key: key, value: newValue))
      }
    }
  }

  /// The same members, sorted by the bytes of their keys (the order of the classic API's lists).
  package func sorted() -> JSONObject {
    var copy = self
    copy.members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return copy
  }
}

// MARK: Looking inside, nil for what is not there or of another type

extension JSON {
  package subscript(key: String) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  package var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  package var integerValue: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// Any number.
  package var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  package var arrayValue: [JSON]? {
    switch self {
    case .array(let elements): elements
    case .encodedArray(let text): (try? JSONReader.read(text, dialect: .lenient))?.arrayValue
    default: nil
    }
  }

  package var objectValue: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }
}

// MARK: Making

extension JSON {
  /// The shortest decimal that gives back the same 32-bit float: `0.1`, not `0.10000000149011612`.
  package static func float(_ value: Float) -> JSON {
    .number(Double(value.description) ?? Double(value))
  }

  /// An object of members in the order given; members whose value is nil are left out.
  package static func object(_ pairs: [(String, JSON?)]) -> JSON {
    .object(JSONObject(pairs.compactMap { key, value in value.map { (key, $0) } }))
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(elements)) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }
}
