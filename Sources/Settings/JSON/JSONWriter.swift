extension JSON {
  /// Compact JSON in the order of the members, safe to stand inside HTML or JavaScript.
  package var text: String {
    var output = ""
    write(to: &output)
    return output
  }

  private func write(to output: inout String) {
    switch self {
    case .null: output += "null"
    case .bool(let value): output += value ? "true" : "false"
    case .integer(let value): output += value.description
    case .unsigned(let value): output += value.description
    case .number(let value): output += Self.decimalText(of: value)
    case .string(let value): Self.write(value, to: &output)
    case .array(let elements):
      output += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { output += "," }
        element.write(to: &output)
      }
      output += "]"
    case .object(let object): object.write(to: &output)
    }
  }

  fileprivate static func write(_ string: String, to output: inout String) {
    output += "\""
    // Nearly all strings are plain, and lists hold thousands.
    if string.utf8.allSatisfy(isPlain) { output += string } else { writeEscaped(string, to: &output) }
    output += "\""
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"): false
    default: (0x20...0x7E).contains(byte)
    }
  }

  private static func writeEscaped(_ string: String, to output: inout String) {
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "<", ">", "&", "\u{2028}", "\u{2029}": output += escape(scalar)
      default: output.unicodeScalars.append(scalar)
      }
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  fileprivate func write(member key: String, to output: inout String) {
    Self.write(key, to: &output)
    output += ":"
    write(to: &output)
  }
}

extension JSONObject {
  fileprivate func write(to output: inout String) {
    output += "{"
    for (index, member) in members.enumerated() {
      if index > 0 { output += "," }
      member.value.write(member: member.key, to: &output)
    }
    output += "}"
  }
}

// MARK: Numbers

extension JSON {
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
