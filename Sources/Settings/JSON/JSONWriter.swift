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
  /// Small ones digit by digit, in half the time that a string takes: a trace has up to a million of them.
  private static func write(_ value: Int64, to output: inout [UInt8]) {
    guard (0..<1_000_000_000).contains(value) else {
      output += value.description.utf8
      return
    }
    var rest = UInt32(value)
    var power: UInt32 = 1
    while rest / power >= 10 { power *= 10 }
    while power > 0 {
      output.append(UInt8(ascii: "0") + UInt8(rest / power))
      rest %= power
      power /= 10
    }
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
