@testable import Forwarding
import Testing

@Suite struct RequestForwardingTests {
  private func origin(_ text: String) throws -> String { try requestHead(text).forOrigin().lines }

  static let lines: [(String, String)] = [
    ("GET http://h/a?b HTTP/1.1", "GET /a?b HTTP/1.1"), ("GET http://h HTTP/1.1", "GET / HTTP/1.1"),
    ("GET http://h?q HTTP/1.1", "GET /?q HTTP/1.1"), ("get http://h/ HTTP/1.1", "get / HTTP/1.1"),
    ("GET http://h//x HTTP/1.1", "GET //x HTTP/1.1"), ("OPTIONS http://h HTTP/1.1", "OPTIONS * HTTP/1.1"),
    ("OPTIONS http://h/ HTTP/1.1", "OPTIONS / HTTP/1.1"), ("OPTIONS http://h?q HTTP/1.1", "OPTIONS /?q HTTP/1.1"),
    ("GET http://h/http://x/ HTTP/1.0", "GET /http://x/ HTTP/1.0"),
  ]

  @Test(arguments: lines) func theRequestLineHasThePath(line: String, expected: String) throws {
    #expect(try origin("\(line)\nHost: h\n\n") == "\(expected)\nHost: h\n\n")
  }

  @Test func hostIsTheURLs() throws {
    #expect(
      try origin("GET http://Real.example:8080/ HTTP/1.1\nA: 1\nhOST:  other.example \nB: 2\n\n")
        == "GET / HTTP/1.1\nA: 1\nHost: Real.example:8080\nB: 2\n\n")
    #expect(try origin("GET http://[::1]/ HTTP/1.0\nA: 1\n\n") == "GET / HTTP/1.0\nHost: [::1]\nA: 1\n\n")
  }

  @Test func everythingElsePassesByteForByte() throws {
    let fields = "a:b\nCookie:  x=1;  y\nX-Empty:\nCookie: z\nExpect: 100-continue\nX-Ü: \tü \n"
      .replacing("X-Ü", with: "X-U")
    #expect(try origin("GET http://h/ HTTP/1.1\nHost: h\n\(fields)\n") == "GET / HTTP/1.1\nHost: h\n\(fields)\n")
  }

  static let hops: [(String, String)] = [
    ("Proxy-Connection: keep-alive", ""), ("Proxy-Authorization: Basic eDp5", ""), ("Proxy-Authenticate: x", ""),
    ("Keep-Alive: timeout=5", ""), ("Connection: keep-alive", ""), ("Upgrade: websocket", ""), ("TE: gzip", ""),
    ("TE: gzip, trailers", "TE: trailers\nConnection: TE\n"), ("TE: trailers;q=1", ""),
    ("Connection: close", "Connection: close\n"), ("X-A: 1\nConnection: x-a\nX-B: 2", "X-B: 2\n"),
    ("Connection: a, close\nA: 1\nconnection: B\nb: 2\nC: 3", "C: 3\nConnection: close\n"),
    ("Connection: Upgrade\nUpgrade: websocket\nX: y", "X: y\nUpgrade: websocket\nConnection: Upgrade\n"),
    ("Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: A", "Upgrade: h2c\nConnection: Upgrade\n"),
    ("Content-Length: 3\nConnection: Content-Length, Host, Expect", "Content-Length: 3\n"),
    ("Transfer-Encoding: chunked\nConnection: transfer-encoding", "Transfer-Encoding: chunked\n"),
  ]

  @Test(arguments: hops) func whatIsForOneConnectionStaysHere(fields: String, rest: String) throws {
    #expect(try origin("POST http://h/ HTTP/1.1\nHost: h\n\(fields)\n\n") == "POST / HTTP/1.1\nHost: h\n\(rest)\n")
  }

  @Test func theNextProxyGetsTheWholeURL() throws {
    let head = try requestHead(
      "GET http://H:81/a HTTP/1.1\nHost: x\nProxy-Authorization: Basic old\nA: 1\nConnection: close\n\n")
    #expect(
      head.forProxy(authorization: "Basic new").lines
        == "GET http://H:81/a HTTP/1.1\nHost: H:81\nA: 1\nProxy-Authorization: Basic new\nConnection: close\n\n")
    #expect(
      head.forProxy(authorization: nil).lines
        == "GET http://H:81/a HTTP/1.1\nHost: H:81\nA: 1\nConnection: close\n\n")
    #expect(
      try requestHead("OPTIONS http://h HTTP/1.1\nHost: h\n\n").forProxy(authorization: nil).lines
        == "OPTIONS http://h HTTP/1.1\nHost: h\n\n")
  }

  @Test func theNextProxyGetsConnect() throws {
    let head = try requestHead("CONNECT [::1]:443 HTTP/1.1\nHost: x\nA: 1\n\n")
    #expect(
      try requestHead("CONNECT h:1 HTTP/1.1\nHost: h\nVia: 1.1 a, 1.0 b\nVia: 1.1 c\n\n")
        .forProxy(authorization: nil, name: "d").lines
        == "CONNECT h:1 HTTP/1.1\nHost: h:1\nVia: 1.1 a, 1.0 b, 1.1 c, 1.1 d\n\n")
    let plain = try requestHead("GET http://h/ HTTP/1.1\nHost: h\nVia: 1.1 a (x)\n\n")
    #expect(
      plain.forProxy(authorization: nil, name: "d").lines
        == "GET http://h/ HTTP/1.1\nHost: h\nVia: 1.1 a (x)\nVia: 1.1 d\n\n")
    #expect(plain.came(through: "a") && !plain.came(through: "d") && !plain.came(through: "1.1"))
    #expect(head.forProxy(authorization: nil).lines == "CONNECT [::1]:443 HTTP/1.1\nHost: [::1]:443\n\n")
    #expect(
      Target(host: "h", port: 1).connectRequest(authorization: "Basic x").lines
        == "CONNECT h:1 HTTP/1.1\nHost: h:1\nProxy-Authorization: Basic x\n\n")
  }
}
