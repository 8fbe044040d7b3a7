@testable import Forwarding
import Testing

@Suite struct ProxyAnswerTests {
  @Test func theReasonIsInTheBodyAndForPrograms() {
    let answer = ProxyAnswer.answer(to: Refusal(.unresolvable, "no address for 'x.example'"), closes: true)
    #expect(
      answer.lines == "HTTP/1.1 502 Bad Gateway\nContent-Type: text/plain; charset=utf-8\nContent-Length: 27\n"
        + "Proxy-Status: headwind; error=dns_error; details=\"no address for 'x.example'\"\nConnection: close\n\n"
        + "no address for 'x.example'\n".replacing("\n", with: "\u{A}"))
  }

  static let kinds: [(Refusal.Kind, Int, String)] = [
    (.malformed, 400, "http_request_error"), (.tooLarge, 431, "http_request_error"),
    (.unsupported, 501, "http_request_error"), (.tooSlow, 408, "http_request_error"),
    (.denied, 403, "http_request_denied"), (.loop, 508, "proxy_loop_detected"), (.unresolvable, 502, "dns_error"),
    (.refused, 502, "connection_refused"), (.hostUnreachable, 502, "destination_ip_unroutable"),
    (.networkUnreachable, 502, "destination_ip_unroutable"), (.timedOut, 504, "connection_timeout"),
    (.offline, 502, "destination_unavailable"), (.badAnswer, 502, "http_protocol_error"),
  ]

  @Test(arguments: kinds) func everyKindHasStatusAndError(kind: Refusal.Kind, status: Int, error: String) {
    #expect(Set(Self.kinds.map(\.0)) == Set(Refusal.Kind.allCases))
    let text = ProxyAnswer.answer(to: Refusal(kind, "why"), closes: false).lines
    #expect(text.hasPrefix("HTTP/1.1 \(status) ") && !text.contains(" Refused\n"))
    #expect(text.contains("error=\(error); details=\"why\"\n"))
    #expect(!text.contains("Connection:"))
  }

  @Test func aMoreExactStatusWins() {
    for (status, phrase) in [(414, "URI Too Long"), (505, "HTTP Version Not Supported")] {
      let answer = ProxyAnswer.answer(to: Refusal(.tooLarge, "", status: status), closes: true)
      #expect(answer.lines.hasPrefix("HTTP/1.1 \(status) \(phrase)\n"))
    }
  }

  /// Whatever the reason holds, the answer is one response that our own reader takes.
  @Test(arguments: ["a\r\nSet-Cookie: x\r\n\r\nHTTP/1.1 200 OK", "\"\\\"", "ü…\u{85}\u{0}", "", "\u{7F}\t"])
  func noReasonBreaksOut(reason: String) {
    for isHead in [false, true] {
      var reader = HTTPResponseReader()
      reader.begin(method: isHead ? "HEAD" : "GET")
      let answer = ProxyAnswer.answer(to: Refusal(.refused, reason), closes: true, isHead: isHead)
      let run = run(reader, answer)
      #expect(run.consumed == answer.count && run.steps.last == .complete(keepsAlive: false))
      let text = String(decoding: answer, as: UTF8.self)
      #expect(text.split(separator: "\r\n", omittingEmptySubsequences: false).count == 7)
    }
  }

  @Test func detailsAreAStructuredString() {
    let text = ProxyAnswer.answer(to: Refusal(.refused, "a \"b\\c\" ü"), closes: true).lines
    #expect(text.contains(#"details="a \"b\\c\" ?""#))
  }

  @Test func aTunnelIsAnnounced() {
    var reader = HTTPResponseReader()
    reader.begin(method: "CONNECT")
    #expect(run(reader, ProxyAnswer.established).steps.last == .upgraded)
  }
}
