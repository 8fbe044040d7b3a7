@testable import Forwarding
import Testing

@Suite struct HTTPRequestTests {
  private func steps(_ text: String) -> [HTTPRequestReader.Step] {
    let run = run(HTTPRequestReader(), text.wire)
    #expect(run.isSound)
    return run.steps
  }

  private func head(_ text: String) throws -> RequestHead {
    let first = try #require(steps(text).first)
    guard case .head(let head) = first else { throw Unexpected(step: "\(first)") }
    return head
  }

  struct Unexpected: Error { let step: String }

  @Test func connectNamesHostAndPort() throws {
    let head = try head("CONNECT Example.COM:443 HTTP/1.1\nHost: example.com:443\nProxy-Connection: keep-alive\n\n\u{16}\u{3}")
    #expect(head.isConnect)
    #expect(head.target == Target(host: "example.com", port: 443))
    #expect(!head.wantsClose && !head.hasBody && !head.isUpgrade && !head.isHTTP10)
    let input = "CONNECT [2001:DB8::1]:8443 HTTP/1.0\n\nrest".wire
    let run = run(HTTPRequestReader(), input)
    #expect(run.consumed == input.count - 4, "what follows belongs to the tunnel")
  }

  static let targets: [(String, String, UInt16)] = [
    ("http://example.com/", "example.com", 80),
    ("HTTP://Example.com:8080/a?b=c", "example.com", 8080),
    ("http://example.com", "example.com", 80),
    ("http://example.com:/x", "example.com", 80),
    ("http://example.com./x", "example.com.", 80),
    ("http://[::1]:81/", "::1", 81),
    ("http://[2001:0DB8:0:0:0:0:0:1]/", "2001:db8::1", 80),
    ("http://[::ffff:192.0.2.1]/", "192.0.2.1", 80),
    ("http://192.0.2.1?q", "192.0.2.1", 80),
    ("http://a_b-c.example/", "a_b-c.example", 80),
  ]

  @Test(arguments: targets) func urlsAreUnderstood(url: String, host: String, port: UInt16) throws {
    let head = try head("GET \(url) HTTP/1.1\nHost: whatever.example\n\n")
    #expect(head.target == Target(host: host, port: port))
  }
}
