/// A host and a service as text: `host:port`, `[v6]:port`, `:port`, or empty. Nothing is resolved here.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// Empty: any interface to listen on, this machine to connect to.
  package var host: String
  /// A port from 0 to 65535 in decimal, or the name of a service (`http`).
  package var service: String

  package init(host: String, service: String) {
    self.host = host
    self.service = service
  }

  /// The port, where it is given as a number.
  package var port: UInt16? { UInt16(service) }

  package var description: String {
    host.contains(":") ? "[\(host)]:\(service)" : "\(host):\(service)"
  }

  /// - Throws: `address TEXT: …`
  package init(parsing text: String) throws(EndpointError) {
    guard !text.isEmpty else {
      self.init(host: "", service: "0")
      return
    }
    let (host, service) = try Self.split(text)
    if Self.looksLikeIPv4(host), !Self.isIPv4(host) {
      throw EndpointError(text: text, reason: "invalid IPv4 address")
    }
    guard Self.isService(service) else { throw EndpointError(text: text, reason: "invalid port") }
    self.init(host: host, service: service.isEmpty ? "0" : service)
  }

  /// What is wrong with `text` as an address; nil when nothing is.
  package static func problem(in text: String) -> EndpointError? {
    do {
      _ = try Endpoint(parsing: text)
      return nil
    } catch { return error }
  }

  private static func split(_ text: String) throws(EndpointError) -> (host: String, service: String) {
    if text.contains(where: { $0 == "\0" || $0.isWhitespace }) {
      throw EndpointError(text: text, reason: "white space in address")
    }
    if let scheme = scheme(of: text) {
      throw EndpointError(text: text, reason: "a URL; write HOST:PORT, without \(scheme)://")
    }
    guard let colon = text.lastIndex(of: ":") else {
      throw EndpointError(text: text, reason: "missing port in address")
    }
    let service = String(text[text.index(after: colon)...])
    if text.hasPrefix("[") {
      return (try bracketed(text), service)
    }
    let host = text[..<colon]
    guard !host.contains(":") else { throw EndpointError(text: text, reason: "too many colons in address") }
    guard !host.contains("["), !host.contains("]") else {
      throw EndpointError(text: text, reason: "unexpected bracket in address")
    }
    return (String(host), service)
  }

  /// Of a URL, which is what people paste where an address is wanted (RFC 3986 §3.1).
  private static func scheme(of text: String) -> Substring? {
    let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    return !scheme.isEmpty && text[scheme.endIndex...].hasPrefix("://") ? scheme : nil
  }

  /// The host inside `[…]:service`.
  private static func bracketed(_ text: String) throws(EndpointError) -> String {
    guard let end = text.firstIndex(of: "]") else { throw EndpointError(text: text, reason: "missing ']' in address") }
    let rest = text[text.index(after: end)...]
    guard rest.hasPrefix(":") else { throw EndpointError(text: text, reason: "missing port in address") }
    guard !rest.dropFirst().contains(":") else {
      throw EndpointError(text: text, reason: "too many colons in address")
    }
    let host = text[text.index(after: text.startIndex)..<end]
    guard !host.contains("[") else { throw EndpointError(text: text, reason: "unexpected '[' in address") }
    return String(host)
  }

  /// `getaddrinfo` reads `127.1` as 127.0.0.1; the classic API refuses such forms.
  private static func looksLikeIPv4(_ host: String) -> Bool {
    !host.isEmpty && host.utf8.allSatisfy { ("0"..."9").contains(Character(Unicode.Scalar($0))) || $0 == 0x2E }
  }

  private static func isIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && ($0 == "0" || !$0.hasPrefix("0")) }
  }

  /// A port number, a name of a service (RFC 6335 §5.1, and what else stands in /etc/services), or nothing (port 0).
  private static func isService(_ service: String) -> Bool {
    guard let first = service.utf8.first else { return true }
    if UInt8(ascii: "0")...UInt8(ascii: "9") ~= first || first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      return service.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } && UInt16(service) != nil
    }
    return service.utf8.count <= 64
      && service.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "-_.+*".contains(character))
      }
  }
}

/// An address that can't be read.
package struct EndpointError: Error, Hashable, CustomStringConvertible {
  package var text: String
  package var reason: String

  /// `address nonsense: missing port in address`
  package var description: String { "address \(text.withoutAddressSecrets.plainExcerpt): \(reason)" }
}
