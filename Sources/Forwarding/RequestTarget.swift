/// What a request line names (RFC 9112 §3.2): a forward proxy knows `host:port` behind CONNECT, and whole URLs.
struct RequestTarget: Hashable, Sendable {
  /// As it came: `http://example.com/a?b`, `example.com:443`.
  let text: Range<Int>
  /// `example.com` or `example.com:8080`, for the Host field.
  let authority: Range<Int>
  /// Path and query of a URL, as they came; may be empty.
  let path: Range<Int>
  let target: Target

  init(parsing text: ArraySlice<UInt8>, isConnect: Bool) throws(Refusal) {
    if isConnect {
      try self.init(authority: text)
    } else {
      try self.init(url: text)
    }
  }

  private init(authority text: ArraySlice<UInt8>) throws(Refusal) {
    let authority = try Authority(parsing: text, of: "the target of CONNECT")
    guard let port = authority.port else {
      throw Refusal(.malformed, "CONNECT to \(text.excerpt) has no port; allowed: host:port")
    }
    self.text = text.indices
    self.authority = text.indices
    path = text.endIndex..<text.endIndex
    target = Target(host: authority.host, port: port)
  }

  private init(url text: ArraySlice<UInt8>) throws(Refusal) {
    let start = try Self.authorityStart(text)
    let rest = text[start...]
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    let authority = try Authority(parsing: rest[..<end], of: "the URL")
    self.text = text.indices
    self.authority = start..<end
    path = end..<text.endIndex
    target = Target(host: authority.host, port: authority.port ?? 80)
  }

  private static func authorityStart(_ text: ArraySlice<UInt8>) throws(Refusal) -> Int {
    guard !text.contains(UInt8(ascii: "#")) else {
      throw Refusal(.malformed, "the URL has a fragment ('#…'), which is never sent")
    }
    let isName = { (byte: UInt8) in byte.isLetter || byte.isDigit || [0x2B, 0x2D, 0x2E].contains(byte) }
    let scheme = text.prefix(while: isName)
    guard text.first?.isLetter == true, text[scheme.endIndex...].starts(with: "://".utf8) else {
      throw Refusal(
        .malformed,
        // It isn't shown: paths may be secrets, and messages get into logs.
        "this is a forward proxy, and a path alone doesn't say which server is meant: set this address as the"
          + " client's proxy (http_proxy=http://…), so that it sends whole URLs like http://example.com/")
    }
    guard !scheme.isWord("https") else {
      throw Refusal(.unsupported, "https:// URLs go through CONNECT, so that nothing between the ends can read them")
    }
    guard scheme.isWord("http") else {
      throw Refusal(.unsupported, "URLs of \(scheme.excerpt) can't be fetched; allowed: http, and CONNECT for all else")
    }
    return scheme.endIndex + 3
  }
}
