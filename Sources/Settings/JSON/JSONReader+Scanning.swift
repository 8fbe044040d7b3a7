// Single bytes, white space, comments, bare words and errors.
extension JSONReader {
  func peek() throws(JSONError) -> UInt8 {
    guard index < bytes.count else { throw unexpectedEnd }
    return bytes[index]
  }

  mutating func skipSpace() throws(JSONError) {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case 0x0B...0x0C where dialect == .json5: index += 1
      case UInt8(ascii: "/") where dialect == .json5: try skipComment()
      case 0x80... where dialect == .json5 && wideSpace > 0: index += wideSpace
      default: return
      }
    }
  }

  /// Length in bytes of the JSON5 white space outside ASCII that starts here: U+00A0, U+FEFF, U+2028, U+2029; else 0.
  private var wideSpace: Int {
    let rest = bytes[index...]
    if rest.starts(with: [0xC2, 0xA0]) { return 2 }
    let threeByteSpaces: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9]]
    return threeByteSpaces.contains { rest.starts(with: $0) } ? 3 : 0
  }

  private mutating func skipComment() throws(JSONError) {
    let start = index
    index += 1
    switch try peek() {
    case UInt8(ascii: "/"):
      while index < bytes.count, bytes[index] != 0x0A { index += 1 }
    case UInt8(ascii: "*"):
      index += 1
      while index + 1 < bytes.count {
        if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") {
          index += 2
          return
        }
        index += 1
      }
      throw error("a comment that does not end", at: start)
    default: throw error("expected // or /*", at: start)
    }
  }

  func isIdentifierStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: "$"): true
    default: false
    }
  }

  func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// ASCII names only: every key that means something here is one.
  mutating func readIdentifier() -> String {
    let start = index
    while index < bytes.count, isIdentifierStart(bytes[index]) || isDigit(bytes[index]) { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  // MARK: Errors

  /// The classic API's words, to which in a file the place is added, and the innermost bracket that waits for its other half.
  var unexpectedEnd: JSONError {
    guard dialect == .json5 else { return JSONError(message: "unexpected EOF") }
    guard let open = opened.last, let position = error("", at: open).position else {
      return error("unexpected EOF", at: bytes.count)
    }
    let bracket = Character(Unicode.Scalar(bytes[open]))
    return error(
      "unexpected EOF; the \(bracket) of line \(position.line), column \(position.column) is not closed",
      at: bytes.count)
  }

  func unexpected(_ expected: String) -> JSONError {
    guard index < bytes.count else { return unexpectedEnd }
    return error("expected \(expected), found \(foundText)")
  }

  func error(_ message: String, at offset: Int? = nil) -> JSONError {
    let before = bytes[..<min(offset ?? index, bytes.count)]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = before.count { $0 == 0x0A } + 1
    return JSONError(message: message, position: .init(line: line, column: before.count - lineStart + 1))
  }

  /// The character at `index`, as it can stand in a message of one line.
  private var foundText: String {
    let byte = bytes[index]
    if (0x21...0x7E).contains(byte) { return "'\(Character(Unicode.Scalar(byte)))'" }
    return byte == 0x20 ? "a space" : "byte 0x" + String(byte, radix: 16, uppercase: true)
  }

  func excerpt(of word: String) -> String {
    word.count > 20 ? "'\(word.prefix(20))…'" : "'\(word)'"
  }
}
