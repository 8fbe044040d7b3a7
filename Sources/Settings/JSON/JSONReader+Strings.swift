extension JSONReader {
  /// Reads the string whose opening quote is at `index`.
  mutating func readString() throws(JSONError) -> String {
    let quote = bytes[index]
    let start = index
    index += 1
    var content: [UInt8] = []
    while true {
      let run = index
      while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20 {
        index += 1
      }
      content += bytes[run..<index]
      let byte = try peek()
      if byte == quote { break }
      guard byte == UInt8(ascii: "\\") else { throw error("a control character in a string; write it as an escape") }
      index += 1
      try readEscape(into: &content)
    }
    index += 1
    return try text(of: content, from: start)
  }

  private func text(of content: [UInt8], from start: Int) throws(JSONError) -> String {
    if dialect == .lenient { return String(decoding: content, as: UTF8.self) }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw error("a string that is not valid UTF-8", at: start)
    }
    return text
  }

  private mutating func readEscape(into content: inout [UInt8]) throws(JSONError) {
    let byte = try peek()
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content += try readUnicodeEscape().utf8
    default:
      guard dialect == .json5 else { throw error("an unknown escape in a string", at: index - 2) }
      try readJSON5Escape(byte, into: &content)
    }
  }

  private mutating func readJSON5Escape(_ byte: UInt8, into content: inout [UInt8]) throws(JSONError) {
    switch byte {
    case UInt8(ascii: "v"): content.append(0x0B)
    case UInt8(ascii: "x"): content += String(Unicode.Scalar(UInt8(try readHex(digits: 2)))).utf8
    case UInt8(ascii: "0") where index >= bytes.count || !isDigit(bytes[index]): content.append(0)
    case 0x0A: break
    case 0x0D: if index < bytes.count, bytes[index] == 0x0A { index += 1 }
    case _ where isDigit(byte): throw error("an unknown escape in a string", at: index - 2)
    default: content.append(byte)
    }
  }

  /// `\uXXXX`, joined with its second half where it is a surrogate.
  private mutating func readUnicodeEscape() throws(JSONError) -> String {
    let start = index - 2
    let unit = UInt16(try readHex(digits: 4))
    if UTF16.isLeadSurrogate(unit), bytes[index...].starts(with: Array("\\u".utf8)) {
      let back = index
      index += 2
      let second = UInt16(try readHex(digits: 4))
      if UTF16.isTrailSurrogate(second) { return String(decoding: [unit, second], as: UTF16.self) }
      index = back
    }
    if let scalar = Unicode.Scalar(unit) { return String(scalar) }
    guard dialect == .lenient else { throw error("half of a surrogate pair in a string", at: start) }
    return "\u{FFFD}"
  }

  private mutating func readHex(digits: Int) throws(JSONError) -> UInt32 {
    guard index + digits <= bytes.count else { throw unexpectedEnd }
    var value: UInt32 = 0
    for byte in bytes[index..<index + digits] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw error("an escape needs \(digits) hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
    }
    index += digits
    return value
  }
}
