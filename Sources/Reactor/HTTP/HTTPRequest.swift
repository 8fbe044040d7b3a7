/// One complete request as the client sent it.
package struct HTTPRequest: Sendable, Hashable {
  /// GET, POST, HEAD, PUT, DELETE, OPTIONS, TRACE, CONNECT or PATCH; empty for any other, which evhttp doesn't tell.
  package var method: String
  /// The request line's second word, undecoded: "/a%2Fb?c", "//a", "*", "http://host/a" or "host:443".
  package var target: String
  package var headers: HTTPHeaders
  package var body: [UInt8]
  /// nil when the system doesn't tell.
  package var peer: SocketAddress?
  /// 0 for HTTP/1.0, 1 for HTTP/1.1.
  package var minorVersion: Int

  package init(
    method: String, target: String, headers: HTTPHeaders = [:], body: [UInt8] = [], peer: SocketAddress? = nil,
    minorVersion: Int = 1
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.peer = peer
    self.minorVersion = minorVersion
  }
}
