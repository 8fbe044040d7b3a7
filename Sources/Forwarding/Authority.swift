/// `host:port` of a request line, a URL or a `Host` field (RFC 9110 §4.2, RFC 3986 §3.2).
struct Authority: Hashable, Sendable {
  let host: String
  /// nil when there is none, or nothing behind the colon.
  let port: UInt16?

  /// - Parameter what: for messages, what this is part of: "the URL".
  init(parsing text: ArraySlice<UInt8>, of what: String) throws(Refusal) {
    // Not shown: messages get into logs.
    guard !text.contains(UInt8(ascii: "@")) else {
      throw Refusal(.malformed, "\(what) holds a user name or password, which requests to a proxy must not have")
    }
    let hostEnd = try Self.hostEnd(text, of: what)
    let rest = text[hostEnd...]
    guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
      throw Refusal(.malformed, "\(what) has \(rest.excerpt) behind its address")
    }
    if rest.count > 1 {
      guard let port = rest.dropFirst().decimal(upTo: Int(UInt16.max)), port > 0 else {
        throw Refusal(.malformed, "\(what) has port \(rest.dropFirst().excerpt); allowed: 1 to 65535")
      }
      self.port = UInt16(port)
    } else {
      port = nil
    }
    let isBracketed = text.first == UInt8(ascii: "[")
    let host = isBracketed ? text[..<hostEnd].dropFirst().dropLast() : text[..<hostEnd]
    guard isBracketed == host.contains(UInt8(ascii: ":")) else {
      throw Refusal(
        .malformed, "\(what) has host \(text[..<hostEnd].excerpt); IPv6 addresses, and only they, are in brackets")
    }
    self.host = try HostText.normalised(host, of: what)
  }

  /// Behind the bracket of an IPv6 address, or where the port begins.
  private static func hostEnd(_ text: ArraySlice<UInt8>, of what: String) throws(Refusal) -> Int {
    guard text.first == UInt8(ascii: "[") else {
      return text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    }
    guard let bracket = text.firstIndex(of: UInt8(ascii: "]")) else {
      throw Refusal(.malformed, "\(what) has a '[' without ']'")
    }
    return bracket + 1
  }
}

/// Hosts in the one form that rules and names in messages use, whichever protocol brought them.
enum HostText {
  static let longestBytes = 255

  /// A name or a literal address without brackets. What is neither is refused here, because a resolver may take for an
  /// address what no rule knows for one: `127.1`, `0x7f000001`.
  static func normalised(_ text: ArraySlice<UInt8>, of what: String) throws(Refusal) -> String {
    guard (1...longestBytes).contains(text.count) else {
      throw text.isEmpty
        ? Refusal(.malformed, "\(what) names no host")
        : Refusal(.tooLarge, "\(what) has a host of \(text.count) bytes; allowed: \(longestBytes)")
    }
    if text.contains(UInt8(ascii: ":")) {
      guard let address = IPAddress(parsing: text) else {
        throw Refusal(.malformed, "\(what) has host \(text.excerpt), which isn't an IPv6 address")
      }
      return address.description
    }
    guard text.allSatisfy(isNameCharacter) else {
      throw Refusal(
        .malformed,
        "\(what) has host \(text.excerpt); allowed: letters, digits, '-', '_' and '.' (other names as xn--…)")
    }
    let name = text.last == UInt8(ascii: ".") ? text.dropLast() : text
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ !$0.isEmpty }) else {
      throw Refusal(.malformed, "\(what) has host \(text.excerpt), a name with an empty part")
    }
    if let last = labels.last, isNumber(last), IPAddress(parsing: text) == nil {
      throw Refusal(
        .malformed, "\(what) has host \(text.excerpt); IPv4 addresses are four decimal numbers without leading zeros")
    }
    return String(decoding: text.map(\.lowercased), as: UTF8.self)
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
  }

  /// Whether resolvers take a name that ends so for an address.
  private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
    if label.allSatisfy(\.isDigit) { return true }
    return label.prefix(2).isWord("0x") && label.dropFirst(2).allSatisfy { $0.hexDigit != nil }
  }
}
