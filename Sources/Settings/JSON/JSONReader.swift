/// Reads JSON text in one of two dialects.
///
/// Not `JSONDecoder`: it takes the first of two equal keys without a word (the classic API promises the last,
/// a profile is to be refused), forgets the order of keys, refuses text behind the value, lone surrogates and broken
/// UTF-8, takes `[1,]` as plain JSON, and says "not valid JSON" without a place. Working round all of that needs
/// a scanner that reads everything; this is that scanner.
package struct JSONReader {
  package enum Dialect: Sendable {
    /// Bodies of the classic API: RFC 8259, and as forgiving as its clients expect. What follows the first value is
    /// ignored, broken UTF-8 and lone surrogates become U+FFFD, a key may come twice.
    case lenient
    /// Files and native bodies: JSON5 without NaN and Infinity; a key twice, broken UTF-8 or text behind the
    /// value are errors.
    case json5
  }

  /// Nesting beyond this is refused: it bounds the stack, and no setting comes near.
  package static let maximumDepth = 64

  let bytes: [UInt8]
  let dialect: Dialect
  var index = 0
  /// Where the brackets stand that are not closed yet.
  var opened: [Int] = []

  /// - Throws: `EOF` for text that is empty or white space only, `unexpected EOF` for text that stops early, which in
  ///   a file says what is open; all but the first with line and column, where the dialect is JSON5.
  package static func read(_ text: some Sequence<UInt8>, dialect: Dialect) throws(JSONError) -> JSON {
    var reader = JSONReader(bytes: Array(text), dialect: dialect)
    return try reader.readDocument()
  }

  private init(bytes: [UInt8], dialect: Dialect) {
    self.bytes = bytes
    self.dialect = dialect
  }

  private mutating func readDocument() throws(JSONError) -> JSON {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      guard dialect == .json5 else { throw error("a byte-order mark is not allowed") }
      index = 3
    }
    try skipSpace()
    guard index < bytes.count else { throw .empty }
    let value = try readValue()
    if dialect == .lenient { return value }
    try skipSpace()
    guard index == bytes.count else { throw unexpected("the end, after the first value") }
    return value
  }

  private mutating func readValue() throws(JSONError) -> JSON {
    switch try peek() {
    case UInt8(ascii: "{"): return .object(try nested { reader throws(JSONError) in try reader.readObject() })
    case UInt8(ascii: "["): return .array(try nested { reader throws(JSONError) in try reader.readArray() })
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "'") where dialect == .json5: return .string(try readString())
    case let byte where isIdentifierStart(byte): return try readWord()
    default: return try readNumber()
    }
  }

  private mutating func nested<Value>(
    _ body: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    guard opened.count < Self.maximumDepth else { throw error("nested deeper than \(Self.maximumDepth) levels") }
    opened.append(index)
    defer { opened.removeLast() }
    index += 1
    return try body(&self)
  }

  private mutating func readArray() throws(JSONError) -> [JSON] {
    var elements: [JSON] = []
    while try !closes(with: UInt8(ascii: "]"), isFirst: elements.isEmpty) {
      elements.append(try readValue())
    }
    return elements
  }

  private mutating func readObject() throws(JSONError) -> JSONObject {
    var object = JSONObject()
    var seen: Set<String> = []
    while try !closes(with: UInt8(ascii: "}"), isFirst: object.members.isEmpty) {
      let start = index
      let key = try readKey()
      if dialect == .json5, !seen.insert(key).inserted {
        throw error("the key \(JSON.string(key).excerpt) is there twice", at: start)
      }
      try skipSpace()
      guard try peek() == UInt8(ascii: ":") else { throw unexpected("a colon after the key") }
      index += 1
      try skipSpace()
      object.members.append(.init(key: key, value: try readValue()))
    }
    return object
  }

  /// Moves to the next element, over its comma, or past the closing bracket.
  private mutating func closes(with bracket: UInt8, isFirst: Bool) throws(JSONError) -> Bool {
    try skipSpace()
    let name = bracket == UInt8(ascii: "]") ? "]" : "}"
    if try peek() == bracket {
      index += 1
      return true
    }
    if isFirst { return false }
    guard bytes[index] == UInt8(ascii: ",") else { throw unexpected("a comma or \(name)") }
    index += 1
    try skipSpace()
    guard dialect == .json5, try peek() == bracket else { return false }
    index += 1
    return true
  }

  private mutating func readKey() throws(JSONError) -> String {
    let byte = try peek()
    if byte == UInt8(ascii: "\"") { return try readString() }
    guard dialect == .json5 else { throw unexpected("a key in double quotes") }
    if byte == UInt8(ascii: "'") { return try readString() }
    guard isIdentifierStart(byte) else { throw unexpected("a key") }
    return readIdentifier()
  }

  private mutating func readWord() throws(JSONError) -> JSON {
    let start = index
    switch readIdentifier() {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "NaN", "Infinity": throw error("NaN and Infinity are not allowed", at: start)
    case let word where index == bytes.count && ["null", "true", "false"].contains { $0.hasPrefix(word) }:
      throw unexpectedEnd
    case let word: throw error("expected a value, found \(excerpt(of: word))", at: start)
    }
  }
}
