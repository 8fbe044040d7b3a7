import Forwarding

/// Which hosts a rule concerns: a name, a name with `*`, an address or a network, and perhaps a port.
///
/// Names are compared as they are asked for and never looked up: a network matches addresses alone.
package struct HostPattern: Hashable, Sendable, CustomStringConvertible {
  private enum Host: Hashable, Sendable {
    case name(Glob)
    case network(IPNetwork)
  }

  /// As given.
  package let text: String
  /// In lower case, without the port, a final dot or brackets.
  package let hostText: String
  /// Nil: any.
  package let port: UInt16?
  private let host: Host

  package static let allowed =
    "a name, a name with * such as *.example.com, an IP address or a network such as 10.0.0.0/8; with :PORT for that port"

  /// - Throws: `is "a b": …`
  package init(parsing text: String) throws(SettingsError) {
    do { try self.init(reading: text) } catch { throw error.refusal(of: text, allowed: Self.allowed) }
  }

  init(reading text: String) throws(TextProblem) {
    guard !text.isEmpty else { throw TextProblem("no host") }
    guard !text.contains("://") else { throw TextProblem("a URL, of which only the host is wanted") }
    guard let (host, port) = Self.split(text) else { throw TextProblem("brackets are not around an IPv6 address") }
    self.text = text
    self.port = try port.map { text throws(TextProblem) in try Self.port(text) }
    hostText = HostName.folded(host)
    if host.contains("/") || IPAddress(host) != nil {
      self.host = .network(try IPNetwork(reading: hostText))
    } else {
      if let problem = Self.problem(in: hostText) { throw TextProblem(problem) }
      self.host = .name(Glob(hostText.utf8))
    }
  }

  package var description: String { text }

  /// The addresses that it matches; nil for names.
  package var network: IPNetwork? { if case .network(let network) = host { network } else { nil } }

  package func matches(host: String, port: UInt16) -> Bool { matches(HostName(host), port: port) }

  package func matches(_ name: HostName, port: UInt16) -> Bool {
    guard self.port == nil || self.port == port else { return false }
    return switch host {
    case .name(let glob): glob.matches(name.bytes)
    case .network(let network): name.address.map(network.contains) ?? false
    }
  }

  // MARK: Reading

  /// Nil where a bracket stands wrong.
  private static func split(_ text: String) -> (host: Substring, port: Substring?)? {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]"), text[..<end].contains(":") else { return nil }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      return (text[..<end].dropFirst(), rest.isEmpty ? nil : rest.dropFirst())
    }
    guard !text.contains("["), !text.contains("]") else { return nil }
    // With more than one colon it is an IPv6 address, which has brackets where a port follows.
    guard let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon else { return (text[...], nil) }
    return (text[..<colon], text[text.index(after: colon)...])
  }

  private static func port(_ text: Substring) throws(TextProblem) -> UInt16 {
    let isNumber = (1...5).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isNumber, let port = UInt16(text), port > 0 else {
      throw TextProblem("the port is not a number from 1 to 65535")
    }
    return port
  }

  /// What is wrong with a name; nil when nothing is.
  private static func problem(in name: String) -> String? {
    guard !name.isEmpty else { return "no host" }
    if name.contains(":") { return "not an IPv6 address" }
    guard name.utf8.count <= HostName.maximumBytes else { return "longer than \(HostName.maximumBytes) bytes" }
    let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
    guard isASCII else { return "not ASCII; such names are asked for in their xn-- form" }
    let isKnown = name.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "-_.*".utf8.contains(byte)
    }
    guard isKnown else { return "a character that no host name has" }
    guard !name.hasPrefix("."), !name.contains("..") else { return "an empty part between dots" }
    // `127.1` would be a name that never matches, because clients ask for 127.0.0.1.
    let isNumeric = name.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    return isNumeric ? "not an IPv4 address" : nil
  }
}

/// A host as a client asks for it, made ready to be compared with many patterns.
package struct HostName: Hashable, Sendable {
  package static let maximumBytes = 253

  let bytes: [UInt8]
  let address: IPAddress?

  /// - Parameter text: a name, in any letter case and with a final dot or without, or a literal address without brackets.
  package init(_ text: String) {
    bytes = Array(HostName.folded(text).utf8)
    address = IPAddress(text)
  }

  /// ASCII alone: Unicode has letters whose lower case is ASCII.
  static func folded(_ text: some StringProtocol) -> String {
    let lower = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return String(decoding: lower.last == UInt8(ascii: ".") ? lower.dropLast() : lower[...], as: UTF8.self)
  }
}
