@testable import Forwarding
import Testing

@Suite struct HTTPRequestTests {
  typealias Step = HTTPRequestReader.Step

  private func steps(_ text: String) -> [Step] {
    let run = run(HTTPRequestReader(), text.wire)
    #expect(run.isSound)
    return run.steps
  }

  @Test func connectNamesHostAndPort() throws {
    let head = try requestHead("CONNECT Example.COM:443 HTTP/1.1\nHost: example.com:443\n\n\u{16}\u{3}")
    #expect(head.isConnect)
    #expect(head.target == Target(host: "example.com", port: 443))
    #expect(!head.wantsClose && !head.hasBody && !head.isUpgrade && !head.isHTTP10)
    #expect(try requestHead("CONNECT a:1 HTTP/1.1\nHost:\nContent-Length: 0\n\n").isConnect)
    #expect(try !requestHead("CONNECT a:1 HTTP/1.1\nHost:\nConnection: Upgrade\nUpgrade: x\n\n").isUpgrade)
  }

  @Test func whatFollowsConnectBelongsToTheTunnel() {
    let input = "CONNECT [2001:DB8::1]:8443 HTTP/1.0\n\nrest".wire
    #expect(run(HTTPRequestReader(), input).consumed == input.count - 4)
  }

  static let targets: [(String, String, UInt16)] = [
    ("http://example.com/", "example.com", 80),
    ("HTTP://Example.com:8080/a?b=c", "example.com", 8080),
    ("http://example.com", "example.com", 80),
    ("http://example.com:/x", "example.com", 80),
    ("http://example.com./x", "example.com.", 80),
    ("http://example.com/%7Ea|b@c:d/ü", "example.com", 80),
    ("http://[::1]:81/", "::1", 81),
    ("http://[2001:0DB8:0:0:0:0:0:1]/", "2001:db8::1", 80),
    ("http://[::ffff:192.0.2.1]/", "192.0.2.1", 80),
    ("http://192.0.2.1?q", "192.0.2.1", 80),
    ("http://a_b-c.example/", "a_b-c.example", 80),
    ("http://1.example/", "1.example", 80),
    ("http://h:65535/", "h", 65535),
  ]

  @Test(arguments: targets) func urlsAreUnderstood(url: String, host: String, port: UInt16) throws {
    let head = try requestHead("GET \(url) HTTP/1.1\nHost: whatever.example\n\n")
    #expect(head.target == Target(host: host, port: port))
    #expect(head.method == "GET" && !head.isConnect)
  }

  static let wrongTargets: [(String, Refusal.Kind, String)] = [
    ("/", .malformed, "forward proxy"), ("/index.html", .malformed, "http_proxy="), ("*", .malformed, "forward proxy"),
    ("example.com:80", .malformed, "forward proxy"), ("https://example.com/", .unsupported, "CONNECT"),
    ("ftp://example.com/", .unsupported, "'ftp'"), ("http://", .malformed, "names no host"),
    ("http:///x", .malformed, "names no host"), ("http://:80/", .malformed, "names no host"),
    ("http://u:p@example.com/", .malformed, "user name"), ("http://u@example.com/", .malformed, "user name"),
    ("http://h:0/", .malformed, "'0'"), ("http://h:65536/", .malformed, "'65536'"),
    ("http://h:8o/", .malformed, "'8o'"), ("http://h:+8/", .malformed, "'+8'"), ("http://h:1:2/", .malformed, "'1:2'"),
    ("http://h/#f", .malformed, "fragment"), ("http://[::1/", .malformed, "']'"), ("http://[::1]x/", .malformed, "'x'"),
    ("http://[]/", .malformed, "host '[]'"), ("http://[h]/", .malformed, "brackets"),
    ("http://[fe80::1%25eth0]/", .malformed, "IPv6"), ("http://[1::2::3]/", .malformed, "IPv6"),
    ("http://h\\x/", .malformed, "h\\x"), ("http://h%41/", .malformed, "h%41"), ("http://ü/", .malformed, "xn--"),
    ("http://127.1/", .malformed, "four decimal"), ("http://0x7f.1/", .malformed, "four decimal"),
    ("http://0x7f000001/", .malformed, "four decimal"), ("http://2130706433/", .malformed, "four decimal"),
    ("http://0177.0.0.1/", .malformed, "four decimal"), ("http://127.0.0.1./", .malformed, "four decimal"),
    ("http://256.0.0.1/", .malformed, "four decimal"), ("http://a..b/", .malformed, "empty part"),
    ("http://./", .malformed, "empty part"), ("http://.a/", .malformed, "empty part"),
    ("http://\(String(repeating: "a", count: 256))/", .tooLarge, "255"),
  ]

  @Test(arguments: wrongTargets) func otherURLsAreRefused(url: String, kind: Refusal.Kind, words: String) {
    expectRefusal(steps("GET \(url) HTTP/1.1\nHost: h\n\n").last, kind, words)
  }

  @Test(arguments: ["example.com", "h:", ":443", "h:0", "h:x", "http://h:1/", "u@h:1", "/"])
  func connectWantsHostAndPort(target: String) {
    expectRefusal(steps("CONNECT \(target) HTTP/1.1\nHost: h\n\n").last, .malformed, "CONNECT")
  }

  static let wrongLines: [(String, Refusal.Kind, String)] = [
    ("GET http://h/", .malformed, "one space"), ("GET  http://h/ HTTP/1.1", .malformed, "one space"),
    ("GET http://h/ HTTP/1.1 ", .malformed, "one space"), (" GET http://h/ HTTP/1.1", .malformed, "one space"),
    ("GET http://h/ x HTTP/1.1", .malformed, "one space"), ("GET\thttp://h/ HTTP/1.1", .malformed, "one space"),
    ("G(T http://h/ HTTP/1.1", .malformed, "G(T"), ("GET http://h/ HTTP/1.2", .unsupported, "HTTP/1.2"),
    ("GET http://h/ HTTP/2.0", .unsupported, "HTTP/2.0"), ("GET http://h/ http/1.1", .malformed, "version"),
    ("GET http://h/ HTTP/x", .malformed, "version"), ("GET http://h/ HTTP/", .malformed, "version"),
    ("PRI * HTTP/2.0", .unsupported, "HTTP/2.0"), ("\n\nGET http://h/ HTTP/1.1", .malformed, "empty line"),
  ]

  @Test(arguments: wrongLines) func requestLinesAreExact(line: String, kind: Refusal.Kind, words: String) {
    expectRefusal(steps(line + "\nHost: h\n\n").last, kind, words)
  }

  @Test func otherVersionsAre505() throws {
    let step = try #require(steps("PRI * HTTP/2.0\n\nSM\n\n").last)
    guard case .refused(let refusal) = step else { throw UnexpectedStep(step: "\(step)") }
    #expect(refusal.status == 505)
  }

  @Test func otherProtocolsAreToldAtTheirFirstByte() {
    expectRefusal(steps("\u{16}").last, .malformed, "TLS")
    expectRefusal(steps("\u{5}").last, .malformed, "SOCKS")
    expectRefusal(steps("\u{0}").last, .malformed, "\\x00")
  }

  @Test func oneEmptyLineBeforeARequestIsIgnored() {
    let request = "GET http://h/ HTTP/1.1\nHost: h\n\n"
    #expect(steps("\n" + request + "\n" + request) == steps(request + request))
  }

  @Test func requestsFollowEachOther() throws {
    let input = "POST http://a/ HTTP/1.1\nHost: a\nContent-Length: 3\n\nabcGET http://b/ HTTP/1.1\nHost: b\n\n"
    let all = steps(input)
    #expect(all.count == 5)
    #expect(all[1...2] == [.body(3), .complete] && all[4] == .complete)
    guard case .head(let second) = all[3] else { throw UnexpectedStep(step: "\(all[3])") }
    #expect(second.target.host == "b" && !second.hasBody)
  }

  @Test func betweenRequestsNothingIsHeld() {
    var reader = HTTPRequestReader()
    #expect(reader.isBetweenRequests)
    _ = reader.next(Array("G".utf8).span.bytes, from: 0)
    #expect(!reader.isBetweenRequests)
    let rest = "ET http://h/ HTTP/1.1\nHost: h\n\n".wire
    _ = reader.next(rest.span.bytes, from: 0)
    #expect(!reader.isBetweenRequests)
    #expect(reader.next(rest.span.bytes, from: rest.count).step == .complete)
    #expect(reader.isBetweenRequests)
  }

  static let closings: [(String, Bool, Bool)] = [
    ("HTTP/1.1\nHost: h", false, false), ("HTTP/1.1\nHost: h\nConnection: Close", true, false),
    ("HTTP/1.1\nHost: h\nConnection: keep-alive , close", true, false),
    ("HTTP/1.0\nConnection: keep-alive", true, false),
    ("HTTP/1.1\nHost: h\nConnection: Upgrade\nUpgrade: websocket", false, true),
    ("HTTP/1.1\nHost: h\nUpgrade: websocket", false, false), ("HTTP/1.1\nHost: h\nConnection: upgrade", false, false),
    ("HTTP/1.0\nConnection: upgrade\nUpgrade: websocket", true, false),
  ]

  @Test(arguments: closings) func connectionOptionsAreUnderstood(text: String, closes: Bool, upgrades: Bool) throws {
    let head = try requestHead("GET http://h/ \(text)\n\n")
    #expect(head.wantsClose == closes)
    #expect(head.isUpgrade == upgrades)
  }
}
