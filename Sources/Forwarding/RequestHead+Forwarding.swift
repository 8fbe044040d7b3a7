/// What of a request's head goes on: everything as it came, but what is meant for one connection only (RFC 9110 §7.6.1).
extension RequestHead {
  /// As the origin server is to get it: with the path alone, and Host as in the URL (RFC 9112 §3.2).
  package func forOrigin() -> [UInt8] {
    var target = Array(message.bytes[requestTarget.path])
    if target.isEmpty, method == "OPTIONS" {
      target = [UInt8(ascii: "*")]
    } else if target.first != UInt8(ascii: "/") {
      target.insert(UInt8(ascii: "/"), at: 0)
    }
    return head(target: target[...], authorization: nil)
  }

  /// As the next proxy is to get it: with the whole URL, or CONNECT again.
  /// - Parameters:
  ///   - authorization: the value of `Proxy-Authorization`.
  ///   - name: what this proxy calls itself in `Via`, so that it knows its own requests again (RFC 9110 §7.6.3).
  package func forProxy(authorization: String?, name: String? = nil) -> [UInt8] {
    guard isConnect else {
      return head(target: message.bytes[requestTarget.text], authorization: authorization, name: name)
    }
    return target.connectRequest(
      authorization: authorization, via: message.values(of: "via").map(\.text) + (name.map { ["1.1 \($0)"] } ?? []))
  }

  /// Whether the request has come through a proxy that calls itself so.
  package func came(through name: String) -> Bool {
    message.elements(of: "via").contains { element in
      element.split(separator: .space).dropFirst().first?.elementsEqual(name.utf8) ?? false
    }
  }

  private func head(target: ArraySlice<UInt8>, authorization: String?, name: String? = nil) -> [UInt8] {
    var head = Array(method.utf8) + [.space] + target + (isHTTP10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n").utf8
    let host = "Host: ".utf8 + message.bytes[requestTarget.authority] + "\r\n".utf8
    if message.values(of: "host").isEmpty { head += host }
    let named = message.elements(of: "connection").filter { option in !Self.endToEnd.contains { option.isWord($0) } }
    for field in message.fields {
      let name = message.name(field)
      if name.isWord("host") {
        head += host
      } else if !isForOneConnection(name), !named.contains(where: { $0.matches(name) }) {
        head += message.bytes[field.line]
      }
    }
    if let name { head += "Via: 1.1 \(name)\r\n".utf8 }
    if let authorization { head += "Proxy-Authorization: \(authorization)\r\n".utf8 }
    return head + connectionFields() + "\r\n".utf8
  }

  /// A `Connection` field that names these doesn't take them away: they say whom the message is for and where it ends.
  private static let endToEnd = [
    "content-length", "transfer-encoding", "host", "expect", "content-type", "content-encoding", "cache-control",
    "authorization", "trailer",
  ]

  /// Transfer-Encoding isn't one of them: the body passes as it is.
  private static let forOneConnection = [
    "connection", "proxy-connection", "keep-alive", "te", "upgrade", "proxy-authorization", "proxy-authenticate",
  ]

  private func isForOneConnection(_ name: ArraySlice<UInt8>) -> Bool {
    Self.forOneConnection.contains { name.isWord($0) }
  }

  /// What of those fields holds for the next connection too.
  private func connectionFields() -> [UInt8] {
    var options: [String] = []
    var fields: [UInt8] = []
    if message.lists("close", in: "connection") { options.append("close") }
    if isUpgrade {
      options.append("Upgrade")
      for value in message.values(of: "upgrade") { fields += "Upgrade: ".utf8 + value + "\r\n".utf8 }
    }
    if message.lists("trailers", in: "te") {
      options.append("TE")
      fields += "TE: trailers\r\n".utf8
    }
    guard !options.isEmpty else { return fields }
    return fields + "Connection: \(options.joined(separator: ", "))\r\n".utf8
  }
}

extension ArraySlice<UInt8> {
  /// The same word, in whichever case.
  fileprivate func matches(_ other: ArraySlice<UInt8>) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.lowercased == $1.lowercased }
  }
}

extension Target {
  /// The request for a tunnel through the next proxy.
  /// - Parameter via: values of `Via`, the first proxy first.
  package func connectRequest(authorization: String?, via: [String] = []) -> [UInt8] {
    let credentials = authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
    let names = via.isEmpty ? "" : "Via: \(via.joined(separator: ", "))\r\n"
    return Array("CONNECT \(self) HTTP/1.1\r\nHost: \(self)\r\n\(names)\(credentials)\r\n".utf8)
  }
}
