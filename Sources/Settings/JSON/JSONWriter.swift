extension JSON {
  /// Compact JSON in the order of the members, safe to stand inside HTML or JavaScript.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The same in UTF-8. It is written so, because appending to a string takes longer, and a call that lists ten thousand
  /// events holds up all connections meanwhile.
  package var bytes: [UInt8] {
    var output: [UInt8] = []
    write(to: &output)
    return output
  }

  fileprivate func write(to output: inout [UInt8]) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .integer(let value): Self.write(value, to: &output)
    case .unsigned(let value): output += value.description.utf8
    case .number(let value): output += Self.decimalText(of: value).utf8
    case .string(let value): Self.write(value, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object): object.write(to: &output)
    case .encodedArray(let text): output += text
    }
  }

  fileprivate static func write(_ string: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    // Nearly all strings are plain, and lists hold thousands.
    if string.utf8.allSatisfy(isPlain) { output += string.utf8 } else { writeEscaped(string, to: &output) }
    output.append(UInt8(ascii: "\""))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"): false
    default: (0x20...0x7E).contains(byte)
    }
  }

  private static func writeEscaped(_ string: String, to output: inout [UInt8]) {
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\"".utf8
      case "\\": output += "\\\\".utf8
      case "\n": output += "\\n".utf8
      case "\r": output += "\\r".utf8
      case "\t": output += "\\t".utf8
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "<", ">", "&", "\u{2028}", "\u{2029}": output += escape(scalar).utf8
      default: output += String(scalar).utf8
      }
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

extension JSONObject {
  fileprivate func write(to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      JSON.write(member.key, to: &output)
      output.append(UInt8(ascii: ":"))
      member.value.write(to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}

// MARK: Numbers

extension JSON {
  private static func write(_ value: Int64, to output: inout [UInt8]) {
    if let small = UInt32(exactly: value) { write(small, to: &output) } else { output += value.description.utf8 }
  }

  /// Digit by digit, in a quarter of the time that a string takes: a trace has up to a million of them.
  private static func write(_ value: UInt32, to output: inout [UInt8]) {
    var length = 1
    var limit: UInt64 = 10
    while value >= limit {
      length += 1
      limit *= 10
    }
    var index = output.count + length
    output.append(contentsOf: repeatElement(0, count: length))
    var rest = value
    repeat {
      index -= 1
      output[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
  }

  /// `[1,2,3]`, ready to be written.
  static func encoded(_ numbers: [UInt32]) -> JSON {
    var text = [UInt8(ascii: "[")]
    text.reserveCapacity(9 * numbers.count + 2)
    for (index, number) in numbers.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      write(number, to: &text)
    }
    text.append(UInt8(ascii: "]"))
    return .encodedArray(text)
  }

  /// The shortest decimal that gives back the same value: `100`, `0.1`, `1e+30`. Whole numbers below 10^21 have no
  /// exponent. JSON has no infinity and no NaN; they become `null`.
  static func decimalText(of value: Double) -> String {
    guard value.isFinite else { return "null" }
    if value == 0 { return "0" }
    let (digits, exponent) = shortestDigits(of: value.magnitude)
    return (value < 0 ? "-" : "") + layOut(digits: digits, exponent: exponent)
  }

  /// `value` = 0.DIGITS × 10^exponent, read from the standard library's shortest description.
  private static func shortestDigits(of value: Double) -> (digits: String, exponent: Int) {
    let parts = value.description.split(separator: "e")
    let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let all = halves.joined()
    let digits = all.drop { $0 == "0" }
    let exponent = halves[0].count - (all.count - digits.count) + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    let kept = digits.count - (digits.reversed().firstIndex { $0 != "0" } ?? 0)
    return (String(digits.prefix(kept)), exponent)
  }

  private static func layOut(digits: String, exponent: Int) -> String {
    switch exponent {
    case -5...0: return "0." + String(repeating: "0", count: -exponent) + digits
    case 1...21:
      if digits.count <= exponent { return digits + String(repeating: "0", count: exponent - digits.count) }
      return digits.prefix(exponent) + "." + digits.dropFirst(exponent)
    default:
      let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
      let power = exponent - 1
      return digits.prefix(1) + fraction + (power < 0 ? "e-" : "e+") + power.magnitude.description
    }
  }
}
