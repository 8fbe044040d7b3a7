/// Another HTTP proxy that connections are made through: `http://user:password@host:port`.
package struct ViaSpec: Hashable, Sendable {
  /// A name or a literal address, without brackets.
  package var host: String
  package var port: UInt16
  /// As a value of `Proxy-Authorization` (RFC 7617); nil without user and password.
  package var authorization: String?
  /// Hosts that are reached without it.
  package var exceptions: [HostPattern] = []

  package init(host: String, port: UInt16, authorization: String? = nil) {
    (self.host, self.port, self.authorization) = (host, port, authorization)
  }

  /// Whether a connection to that host is made without it.
  package func isException(host: String, port: UInt16) -> Bool {
    guard !exceptions.isEmpty else { return false }
    let name = HostName(host)
    return exceptions.contains { $0.matches(name, port: port) }
  }
}

extension ViaSpec: CustomStringConvertible, CustomDebugStringConvertible {
  /// `http://proxy.corp:3128`, never with what it is told to keep to itself.
  package var description: String { "http://" + (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
  package var debugDescription: String { description }
}

// MARK: Reading

extension ViaSpec {
  /// Of a URL without a port (RFC 9110 §4.2.1).
  package static let defaultPort: UInt16 = 80
  package static let allowed =
    "http://HOST:PORT or http://USER:PASSWORD@HOST:PORT; without :PORT it is port \(defaultPort)"

  /// Reads a URL. As curl does, it takes one without `http://`, too.
  ///
  /// - Throws: `is "http://…@proxy:x": …`, never with user or password.
  package init(parsing text: String) throws(SettingsError) {
    do { try self.init(reading: text) } catch {
      throw error.refusal(of: ViaSpec.withoutCredentials(text), allowed: Self.allowed)
    }
  }

  private init(reading text: String) throws(TextProblem) {
    guard !text.isEmpty else { throw TextProblem("no host") }
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { throw TextProblem("white space") }
    let (scheme, rest) = ViaSpec.scheme(text)
    guard scheme.lowercased() == "http" else { throw TextProblem("only http:// can be spoken to the next proxy") }
    let authority = rest.prefix { !"/?#".contains($0) }
    guard ["", "/"].contains(rest.dropFirst(authority.count)) else { throw TextProblem("something behind the port") }
    let sign = authority.lastIndex(of: "@")
    let address = sign.map { authority[authority.index(after: $0)...] } ?? authority
    (host, port) = try ViaSpec.hostAndPort(address)
    authorization = try sign.map { sign throws(TextProblem) in try ViaSpec.basic(authority[..<sign]) }
  }

  private static func scheme(_ text: String) -> (scheme: String, rest: Substring) {
    let end = text.firstIndex { !($0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))) } ?? text.endIndex
    guard text[end...].hasPrefix("://") else { return ("http", text[...]) }
    return (String(text[..<end]), text[end...].dropFirst(3))
  }

  private static func hostAndPort(_ text: Substring) throws(TextProblem) -> (host: String, port: UInt16) {
    // Without a port, in brackets or not.
    let hasPort = text.hasPrefix("[") ? !text.hasSuffix("]") : text.contains(":")
    let endpoint: Endpoint
    do throws(EndpointError) {
      endpoint = try Endpoint(parsing: hasPort ? String(text) : "\(text):\(defaultPort)")
    } catch {
      throw TextProblem(error.reason)
    }
    guard !endpoint.host.isEmpty else { throw TextProblem("no host") }
    guard let port = endpoint.port, port > 0 else { throw TextProblem("the port is not a number from 1 to 65535") }
    return (endpoint.host, port)
  }

  /// User and password of a URL, percent-encoded there, as the header has them (RFC 7617 §2).
  private static func basic(_ userInfo: Substring) throws(TextProblem) -> String {
    let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let decoded = parts.map(percentDecoded)
    guard let user = decoded[0], let password = decoded.count == 2 ? decoded[1] : [] else {
      throw TextProblem("a broken percent escape in user or password")
    }
    guard !user.contains(UInt8(ascii: ":")) else { throw TextProblem("a colon in the user's name") }
    guard (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw TextProblem("a control character in user or password")
    }
    return "Basic " + Base64.text(user + [UInt8(ascii: ":")] + password)
  }

  private static func percentDecoded(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      guard digits.count == 2 else { return nil }
      bytes.append(UInt8(digits[0] << 4 | digits[1]))
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// The text as it may be shown: up to the last `@` anything may be part of a password.
  static func withoutCredentials(_ text: String) -> String {
    guard let sign = text.lastIndex(of: "@") else { return text }
    let (scheme, rest) = scheme(text)
    return (rest.startIndex == text.startIndex ? "" : scheme + "://") + "…" + text[sign...]
  }
}

/// RFC 4648 §4.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0..<4 {
        text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
