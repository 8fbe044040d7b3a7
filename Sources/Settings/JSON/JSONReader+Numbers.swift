extension JSONReader {
  /// Reads the number at `index`. Whole values of the 64-bit ranges stay exact, however they are spelled.
  mutating func readNumber() throws(JSONError) -> JSON {
    let start = index
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative || (dialect == .json5 && bytes[index] == UInt8(ascii: "+")) { index += 1 }
    let first = try peek()
    if dialect == .json5 {
      if first == UInt8(ascii: "I") || first == UInt8(ascii: "N") {
        throw error("NaN and Infinity are not allowed", at: start)
      }
      if first == UInt8(ascii: "0"), index + 1 < bytes.count, bytes[index + 1] | 0x20 == UInt8(ascii: "x") {
        return try readHexNumber(isNegative: isNegative)
      }
    }
    guard isDigit(first) || (dialect == .json5 && first == UInt8(ascii: ".")) else {
      throw unexpected(index == start ? "a value" : "a digit")
    }
    var decimal = try readDecimal()
    decimal.isNegative = isNegative
    guard let value = decimal.value, dialect == .lenient || value.isFinite else {
      throw error("a number too large to hold", at: start)
    }
    return value
  }

  private mutating func readDecimal() throws(JSONError) -> Decimal {
    var decimal = Decimal()
    let hasWhole = isDigit(bytes[index])
    if bytes[index] == UInt8(ascii: "0") {
      index += 1
      if dialect == .json5, index < bytes.count, isDigit(bytes[index]) { throw error("a number with a leading zero") }
    } else {
      decimal.digits += readDigits()
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      let fraction = readDigits()
      // JSON5 allows one side of the point to be empty, RFC 8259 neither.
      guard !fraction.isEmpty || (dialect == .json5 && hasWhole) else { throw unexpected("a digit after the point") }
      decimal.digits += fraction
      decimal.scale = -fraction.count
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      decimal.scale += try readExponent()
    }
    return decimal
  }

  private mutating func readDigits() -> ArraySlice<UInt8> {
    let start = index
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    return bytes[start..<index]
  }

  private mutating func readExponent() throws(JSONError) -> Int {
    index += 1
    let sign = try peek()
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index += 1 }
    let digits = readDigits()
    guard !digits.isEmpty else { throw unexpected("a digit of the exponent") }
    // Beyond ±100,000,000 every value is 0 or infinite: the clamp keeps later sums from overflowing.
    let magnitude = digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 100_000_000) }
    return sign == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  private mutating func readHexNumber(isNegative: Bool) throws(JSONError) -> JSON {
    let start = index
    index += 2
    let digits = readIdentifier()
    guard let magnitude = UInt64(digits, radix: 16) else {
      throw error("a hexadecimal number needs 1 to 16 hexadecimal digits", at: start)
    }
    return JSON(magnitude: magnitude, isNegative: isNegative) ?? .number(-Double(magnitude))
  }

}

/// A decimal number as spelled: digits × 10^scale.
private struct Decimal {
  var isNegative = false
  var digits: [UInt8] = []
  var scale = 0

  /// Nil only if the standard library can't read plain decimal text, which does not happen.
  var value: JSON? {
    whole ?? Double(text).map(JSON.number)
  }

  private var text: String {
    (isNegative ? "-0" : "0") + String(decoding: digits, as: UTF8.self) + "e\(scale)"
  }

  /// The exact integer, where the number is one that fits 64 bits.
  private var whole: JSON? {
    var digits = digits[...]
    var scale = scale
    while let last = digits.last, last == UInt8(ascii: "0"), scale < 0 {
      digits.removeLast()
      scale += 1
    }
    digits = digits.drop { $0 == UInt8(ascii: "0") }
    if digits.isEmpty { return .integer(0) }
    guard scale >= 0, digits.count + scale <= 20 else { return nil }
    let zeros = String(repeating: "0", count: scale)
    return UInt64(String(decoding: digits, as: UTF8.self) + zeros).flatMap {
      JSON(magnitude: $0, isNegative: isNegative)
    }
  }
}

extension JSON {
  /// Nil for what neither integer case holds: below `Int64.min`.
  fileprivate init?(magnitude: UInt64, isNegative: Bool) {
    if !isNegative {
      self = Int64(exactly: magnitude).map(JSON.integer) ?? .unsigned(magnitude)
    } else if magnitude <= Int64.min.magnitude {
      self = .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
    } else {
      return nil
    }
  }

  fileprivate var isFinite: Bool {
    if case .number(let value) = self { value.isFinite } else { true }
  }
}
