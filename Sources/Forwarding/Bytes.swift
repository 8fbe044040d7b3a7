/// What the parsers ask of single bytes and short texts; this module has no library to ask.
extension RawSpan {
  func byte(at offset: Int) -> UInt8 {
    // The one unsafe word of the module, and only by its name: the offset is checked, and any byte is a UInt8.
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

extension UInt8 {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20

  var isDigit: Bool { (0x30...0x39).contains(self) }
  var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
  /// Neither a space nor a control character, and ASCII.
  var isVisible: Bool { (0x21...0x7E).contains(self) }
  /// What lines of a head consist of.
  var isText: Bool { self >= 0x20 && self != 0x7F || self == .tab }
  var isBlank: Bool { self == .space || self == .tab }

  /// A character of names of header fields and methods (RFC 9110 §5.6.2).
  var isToken: Bool {
    if isDigit || isLetter { return true }
    return switch self {
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  var hexDigit: UInt8? {
    if isDigit { return self - 0x30 }
    let letter = self | 0x20
    return (0x61...0x66).contains(letter) ? letter - 0x61 + 10 : nil
  }
}

extension ArraySlice<UInt8> {
  /// Without blanks at either end.
  var trimmed: ArraySlice<UInt8> {
    let rest = drop(while: \.isBlank)
    guard let last = rest.lastIndex(where: { !$0.isBlank }) else { return [] }
    return rest[...last]
  }

  /// Whether this is `word`, which is in lower case, in whichever case.
  func isWord(_ word: String) -> Bool {
    let bytes = word.utf8
    return bytes.count == count && zip(self, bytes).allSatisfy { $0.lowercased == $1 }
  }

  /// The elements of a comma-separated list (RFC 9110 §5.6.1), without empty ones.
  var listElements: [ArraySlice<UInt8>] {
    split(separator: UInt8(ascii: ",")).map(\.trimmed).filter { !$0.isEmpty }
  }

  /// A number in decimal digits only, up to `limit`.
  func decimal(upTo limit: Int) -> Int? {
    guard !isEmpty else { return nil }
    var value = 0
    for byte in self {
      guard byte.isDigit else { return nil }
      let digit = Int(byte - 0x30)
      guard value <= (limit - digit) / 10 else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// For messages: in quotes, readable whatever it holds, and short.
  var excerpt: String {
    let longest = 60
    var text = "'"
    for byte in prefix(longest) {
      if byte == .space || byte.isVisible {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text + (count > longest ? "…'" : "'")
  }

  /// The excerpt for messages about text that may hold a password or a token further on.
  var firstWord: String { prefix { !$0.isBlank }.excerpt }

  var text: String { String(decoding: self, as: UTF8.self) }
}
