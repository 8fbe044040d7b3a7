/// The head of a request that a client sends to a forward proxy.
package struct RequestHead: Hashable, Sendable {
  package let method: String
  package let target: Target
  package let isConnect: Bool
  /// The client asks for another protocol on this connection, WebSocket mostly.
  package let isUpgrade: Bool
  package let isHTTP10: Bool
  /// No further request comes, or is to be read, on the client's connection.
  package let wantsClose: Bool
  package let hasBody: Bool
  let framing: Framing
  let requestTarget: RequestTarget
  let message: MessageHead

  init(parsing message: MessageHead) throws(Refusal) {
    let line = try RequestLine(parsing: message.bytes[message.startLine])
    let isConnect = line.method.elementsEqual("CONNECT".utf8)
    let isHTTP10 = line.isHTTP10
    self.message = message
    self.isHTTP10 = isHTTP10
    self.isConnect = isConnect
    method = line.method.text
    requestTarget = try RequestTarget(parsing: line.target, isConnect: isConnect)
    target = requestTarget.target
    try Self.checkHost(message, besides: requestTarget, isHTTP10: isHTTP10)
    framing = try message.framing(isHTTP10: isHTTP10) ?? .none
    hasBody = framing != .none
    guard !isConnect || !hasBody else { throw Refusal(.malformed, "CONNECT with a body") }
    // RFC 9110 §7.8, RFC 9112 §9.3: neither upgrades nor persistent connections for HTTP/1.0 clients of a proxy.
    let asksForMore = message.lists("upgrade", in: "connection") && !message.elements(of: "upgrade").isEmpty
    isUpgrade = asksForMore && !isHTTP10 && !isConnect
    wantsClose = isHTTP10 || message.lists("close", in: "connection")
  }

  /// RFC 9112 §3.2
  private static func checkHost(
    _ message: MessageHead, besides target: RequestTarget, isHTTP10: Bool
  ) throws(Refusal) {
    let hosts = message.values(of: "host")
    guard hosts.count < 2 else { throw Refusal(.malformed, "several Host fields") }
    guard let host = hosts.first else {
      guard isHTTP10 else { throw Refusal(.malformed, "the Host field is missing") }
      return
    }
    // Nearly always what the target says, which has been read.
    guard !host.isEmpty, host != message.bytes[target.authority] else { return }
    _ = try Authority(parsing: host, of: "the Host field")
  }
}

/// Method, target and version, with one space between (RFC 9112 §3).
private struct RequestLine {
  let method: ArraySlice<UInt8>
  let target: ArraySlice<UInt8>
  let isHTTP10: Bool

  init(parsing line: ArraySlice<UInt8>) throws(Refusal) {
    let parts = line.split(separator: .space, omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), !parts[1].contains(.tab) else {
      throw Refusal(.malformed, "request line \(line.firstWord); allowed: METHOD URL HTTP/1.1, with one space between")
    }
    (method, target) = (parts[0], parts[1])
    guard method.allSatisfy(\.isToken) else { throw Refusal(.malformed, "method \(method.excerpt) isn't a word") }
    isHTTP10 = try Version.isHTTP10(parts[2])
  }
}

/// HTTP/1.0 or HTTP/1.1
enum Version {
  static func isHTTP10(_ text: ArraySlice<UInt8>) throws(Refusal) -> Bool {
    if text.elementsEqual("HTTP/1.1".utf8) { return false }
    if text.elementsEqual("HTTP/1.0".utf8) { return true }
    let number = text.dropFirst(5)
    let isVersion =
      text.starts(with: "HTTP/".utf8) && number.first?.isDigit == true
      && number.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    guard isVersion else { throw Refusal(.malformed, "\(text.excerpt) isn't a version of HTTP") }
    throw Refusal(.unsupported, "version \(text.excerpt); allowed: HTTP/1.1 and HTTP/1.0", status: 505)
  }
}
