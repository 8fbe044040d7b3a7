@testable import Forwarding
import Testing

@Suite struct HTTPResponseTests {
  typealias Step = HTTPResponseReader.Step

  private func reader(_ methods: [String]) -> HTTPResponseReader {
    var reader = HTTPResponseReader()
    for method in methods { reader.begin(method: method) }
    return reader
  }

  /// Without the heads' bytes: `200`, then what is left of the steps.
  private func steps(_ methods: String..., text: String) -> [String] {
    let run = run(reader(methods), text.wire)
    #expect(run.isSound)
    return run.steps.map { step in
      switch step {
      case .head(_, let info): "\(info.status)\(info.keepsAlive ? "" : " closes")"
      case .body(let count): "body \(count)"
      case .complete(let keepsAlive): keepsAlive ? "complete" : "complete, closes"
      case .refused(let refusal): refusal.kind == .badAnswer ? "bad" : "\(refusal.kind)"
      case .upgraded: "upgraded"
      case .needsMore: "?"
      }
    }
  }

  @Test func headsPassUnchanged() throws {
    let head = "HTTP/1.1 200 Fine, thanks\nX:  y \nconnection: Keep-Alive, x\nContent-Length: 0\n\n".wire
    guard case .head(let bytes, let info) = run(reader(["GET"]), head).steps.first else {
      throw UnexpectedStep(step: "")
    }
    #expect(bytes == head)
    #expect(info.status == 200 && info.keepsAlive && !info.isHTTP10 && !info.isUntilClose && info.isSuccess)
  }

  @Test func bodiesEndWhereTheySay() {
    #expect(steps("GET", text: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello") == ["200", "body 5", "complete"])
    #expect(
      steps("GET", text: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nx\n0\nT: u\n\n")
        == ["200", "body 17", "complete"])
    #expect(steps("GET", text: "HTTP/1.1 200 OK\n\nto the end") == ["200 closes", "body 10"])
    #expect(steps("GET", text: "HTTP/1.1 200\nContent-Length: 0\n\n") == ["200", "complete"])
  }

  static let bodiless: [(String, Int)] = [("HEAD", 200), ("GET", 204), ("GET", 304), ("HEAD", 404)]

  @Test(arguments: bodiless) func someHaveNoBody(method: String, status: Int) {
    let text = "HTTP/1.1 \(status) X\nContent-Length: 9\n\n"
    #expect(steps(method, text: text) == ["\(status)", "complete"])
    let second = "HTTP/1.1 200 OK\nContent-Length: 1\n\nx"
    #expect(steps(method, "GET", text: text + second) == ["\(status)", "complete", "200", "body 1", "complete"])
  }

  @Test func headMayTellOfChunks() {
    #expect(steps("HEAD", text: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n") == ["200", "complete"])
    #expect(steps("HEAD", text: "HTTP/1.1 200 OK\n\n") == ["200", "complete"])
  }

  @Test func chunksBehind204AreNeverTheNextResponse() {
    #expect(
      steps("GET", "GET", text: "HTTP/1.1 204 X\nTransfer-Encoding: chunked\n\n") == ["204 closes", "complete, closes"])
  }

  @Test func anotherHeadFollowsAnInformationalOne() {
    let final = "HTTP/1.1 200 OK\nContent-Length: 1\n\nx"
    #expect(
      steps("POST", text: "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Hints\nLink: x\n\n" + final)
        == ["100", "103", "200", "body 1", "complete"])
  }

  @Test func connectionsAreKeptAsTheServerSays() {
    let cases: [(String, String)] = [
      ("HTTP/1.1 200 OK\nConnection: close", "complete, closes"), ("HTTP/1.1 200 OK", "complete"),
      ("HTTP/1.0 200 OK", "complete, closes"), ("HTTP/1.0 200 OK\nConnection: keep-alive", "complete"),
    ]
    for (head, end) in cases { #expect(steps("GET", text: "\(head)\nContent-Length: 0\n\n").last == end, "\(head)") }
  }

  @Test func tunnelsBegin() {
    #expect(steps("GET", text: "HTTP/1.1 101 Switching\nUpgrade: websocket\n\n\u{1}") == ["101", "upgraded"])
    #expect(steps("CONNECT", text: "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc") == ["200", "upgraded"])
    #expect(steps("CONNECT", text: "HTTP/1.0 200 OK\n\nabc").last == "upgraded")
    let lengths = "Content-Length: 1\nTransfer-Encoding: chunked"
    #expect(steps("CONNECT", text: "HTTP/1.1 200 OK\n\(lengths)\n\nabc").last == "upgraded")
    #expect(steps("CONNECT", text: "HTTP/1.1 407 No\n\(lengths)\n\nabc").last == "bad")
    #expect(
      steps("CONNECT", text: "HTTP/1.1 407 No\nContent-Length: 3\n\nno!") == ["407", "body 3", "complete"])
    let input = "HTTP/1.1 200 OK\n\nabc".wire
    #expect(run(reader(["CONNECT"]), input).consumed == input.count - 3, "what follows belongs to the tunnel")
  }

  static let bad = [
    "HTTP/1.1 200 OK\nContent-Length: 1\nTransfer-Encoding: chunked\n\n",
    "HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 1\n\n",
    "HTTP/1.1 200 OK\nContent-Length: x\n\n", "HTTP/1.1 200 OK\nTransfer-Encoding: gzip\n\n",
    "HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n", "HTTP/1.1 200 OK\n folded\n\n", "HTTP/1.1 200 OK\nX : y\n\n",
    "HTTP/2.0 200 OK\n\n", "ICY 200 OK\n\n", "HTTP/1.1 20 OK\n\n", "HTTP/1.1 2000 OK\n\n", "HTTP/1.1 099 OK\n\n",
    "HTTP/1.1  200 OK\n\n", "HTTP/1.1\n\n", "\nHTTP/1.1 200 OK\n\n",
    "SSH-2.0-x\n", "\u{15}\u{3}", "HTTP/1.1 200 O\u{1}",
    "HTTP/1.1 204 X\nContent-Length: 1\nTransfer-Encoding: chunked\n\n",
  ]

  @Test(arguments: bad) func otherAnswersAreBad(text: String) {
    #expect(steps("GET", text: text).last == "bad")
  }

  @Test func whatNobodyAskedForIsBad() {
    #expect(steps(text: "HTTP/1.1 408 Too slow\n\n") == ["bad"])
    #expect(steps("GET", text: "HTTP/1.1 204 X\n\nH").last == "bad")
  }

  @Test func reasonsSayWhoseFaultItIs() throws {
    let step = run(reader(["GET"]), "HTTP/1.1 200 OK\nContent-Length: x\n\n".wire).steps.last
    guard case .refused(let refusal) = step else { throw UnexpectedStep(step: "") }
    #expect(refusal.reason.hasPrefix("the server's answer: Content-Length is 'x'"))
  }

  static let ends: [(String, Bool)] = [
    ("", false), ("HTTP/1.1 2", false), ("HTTP/1.1 200 OK\nContent-Length: 2\n\nx", false),
    ("HTTP/1.1 200 OK\nContent-Length: 1\n\nx", true), ("HTTP/1.1 200 OK\n\nx", true), ("HTTP/1.1 200 OK\n\n", true),
    ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n0\n", false), ("HTTP/1.1 100 Continue\n\n", false),
    ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n0\n\n", true), ("HTTP/1.1 101 X\n\n", true), ("?\n", false),
  ]

  @Test(arguments: ends) func anEndCompletesOrCuts(text: String, completes: Bool) {
    var reader = reader(["GET"])
    let bytes = text.wire
    var offset = 0
    while true {
      let (consumed, step) = reader.next(bytes.span.bytes, from: offset)
      offset += consumed
      if HTTPResponseReader.isNeedsMore(step) || HTTPResponseReader.isLast(step) { break }
    }
    #expect(reader.ended() == completes)
  }

  @Test func nothingIsOwedBetweenExchanges() {
    #expect(HTTPResponseReader().ended())
  }
}
