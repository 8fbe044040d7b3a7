import Testing

@testable import Reactor

/// Raw requests as they come over the wire, and what comes back.
@Suite struct HTTPServerTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var segments: [String]
    var statuses: [Int]
    var bodies: [String]
    var staysOpen = true

    init(_ name: String, _ segments: [String], _ replies: [(Int, String)], staysOpen: Bool = true) {
      testDescription = name
      self.segments = segments
      statuses = replies.map(\.0)
      bodies = replies.map(\.1)
      self.staysOpen = staysOpen
    }
  }

  static let served = [
    Case(
      "keep-alive", ["GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /b HTTP/1.1\r\nHost: x\r\n\r\n"],
      [
        (200, "GET /a "), (200, "GET /b "),
      ]),
    Case(
      "pipelined", ["GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n"],
      [
        (200, "GET /a "), (200, "GET /b "),
      ]),
    Case(
      "pipelined with a body, cut in the second head",
      ["POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /b HT", "TP/1.1\r\nHost: x\r\n\r\n"],
      [(200, "POST /a abc"), (200, "GET /b ")]),
    Case(
      "Connection: close", ["GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"], [(200, "GET /a ")],
      staysOpen: false),
    Case("HTTP/1.0", ["GET /a HTTP/1.0\r\n\r\n"], [(200, "GET /a ")], staysOpen: false),
    Case("HTTP/1.0 keep-alive", ["GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"], [(200, "GET /a ")]),
    Case("bare LF", ["GET /a HTTP/1.1\nHost: x\n\n"], [(200, "GET /a ")]),
    Case(
      "empty lines before requests", ["\r\n", "\n\r\nGET /a HTTP/1.1\r\n\r\n\r\nGET /b HTTP/1.1\r\n\r\n"],
      [
        (200, "GET /a "), (200, "GET /b "),
      ]),
    Case("no Host", ["GET /a HTTP/1.1\r\n\r\n"], [(200, "GET /a ")]),
    Case("POST without length", ["POST /a HTTP/1.1\r\nHost: x\r\n\r\n"], [(200, "POST /a ")]),
    Case(
      "body in a later segment", ["POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n", "bo", "dy"],
      [
        (200, "POST /a body")
      ]),
    Case(
      "chunked with a trailer",
      ["PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "2\r\nde\r\n0\r\nT: 1\r\n\r\n"],
      [(200, "PUT /a abcde")]),
    Case(
      "chunked, then another request",
      ["PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\nGET /b HTTP/1.1\r\n\r\n"],
      [(200, "PUT /a a"), (200, "GET /b ")]),
    Case("double slash", ["GET //proxies HTTP/1.1\r\n\r\n"], [(200, "GET //proxies ")]),
    Case("bad escape", ["GET /%zz?%y HTTP/1.1\r\n\r\n"], [(200, "GET /%zz?%y ")]),
    Case("escaped slash", ["GET /a%2Fb/../c#d HTTP/1.1\r\n\r\n"], [(200, "GET /a%2Fb/../c#d ")]),
    Case("asterisk", ["OPTIONS * HTTP/1.1\r\n\r\n"], [(200, "OPTIONS * ")]),
    Case("absolute", ["GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n"], [(200, "GET http://h/a ")]),
    Case(
      "CONNECT, and what is meant for a tunnel", ["CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\n\r\n"],
      [(200, "CONNECT h:443 ")], staysOpen: false),
    Case("unknown method", ["FOO /a HTTP/1.1\r\n\r\n"], [(200, " /a ")]),
    Case(
      "unknown method with a body", ["FOO /a HTTP/1.1\r\nContent-Length: 20\r\n\r\nGET /b HTTP/1.1\r\n\r\n"],
      [(200, " /a ")], staysOpen: false),
    Case("PATCH", ["PATCH /a HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"], [(200, "PATCH /a x")]),
    Case("DELETE with a body", ["DELETE /a HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"], [(200, "DELETE /a x")]),
    Case("TRACE", ["TRACE /a HTTP/1.1\r\n\r\n"], [(200, "TRACE /a ")]),
    Case(
      "TRACE with a body isn't followed by a request of that body",
      ["TRACE /a HTTP/1.1\r\nContent-Length: 18\r\n\r\nGET /b HTTP/1.1\r\n\r\n"], [(200, "TRACE /a ")], staysOpen: false
    ),
  ]

  @Test(arguments: served) func serves(_ row: Case) throws {
    let fixture = try HTTPFixture()
    let client = fixture.connect()
    for segment in row.segments {
      client.send(segment)
      fixture.pump()
    }
    #expect(fixture.wait { client.replies.count == row.statuses.count && (row.staysOpen || client.isClosed) })
    #expect(client.replies.map(\.status) == row.statuses)
    #expect(client.replies.map(\.text) == row.bodies)
    #expect(client.replies.allSatisfy { $0.headers["Date"]?.hasSuffix(" GMT") == true })
    #expect(client.isClosed == !row.staysOpen)
    #expect(!client.wasReset)
  }

  static let refused = [
    Case("garbage", ["\u{1}\u{2}\r\n\r\n"], [(400, "malformed")]),
    Case("no version", ["GET /a\r\n\r\n"], [(400, "malformed")]),
    Case("HTTP/2.0", ["GET /a HTTP/2.0\r\n\r\n"], [(400, "malformed")]),
    Case("header without a colon", ["GET /a HTTP/1.1\r\nHost\r\n\r\n"], [(400, "malformed")]),
    Case("space in a header's name", ["GET /a HTTP/1.1\r\nHost : x\r\n\r\n"], [(400, "header name")]),
    Case(
      "long header", ["GET /a HTTP/1.1\r\nX: \(String(repeating: "x", count: 2_000))\r\n\r\n"], [(431, "1024 bytes")]),
    Case(
      "many headers", ["GET /a HTTP/1.1\r\n\(String(repeating: "X: y\r\n", count: 500))\r\n"], [(431, "1024 bytes")]),
    Case("long target", ["GET /\(String(repeating: "x", count: 2_000)) HTTP/1.1\r\n\r\n"], [(431, "1024 bytes")]),
    Case("endless target", ["GET /\(String(repeating: "x", count: 40_000))"], [(431, "1024 bytes")]),
    Case(
      "bad header before a long body",
      [
        "POST /a HTTP/1.1\r\nContent-Length: x\r\n\r\n\(String(repeating: "x", count: 2_000))"
      ], [(400, "malformed")]),
    Case(
      "length and chunked",
      [
        "POST /a HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      ], [(400, "error")]),
    Case("other coding", ["POST /a HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"], [(501, "chunked")]),
    Case(
      "two lengths", ["POST /a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
      [
        (400, "Content-Length")
      ]),
    Case("signed length", ["POST /a HTTP/1.1\r\nContent-Length: +1\r\n\r\na"], [(400, "Content-Length")]),
    Case("negative length", ["POST /a HTTP/1.1\r\nContent-Length: -1\r\n\r\na"], [(400, "malformed")]),
    Case("huge length", ["POST /a HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"], [(413, "4096 bytes")]),
    Case("length above the limit", ["POST /a HTTP/1.1\r\nContent-Length: 4097\r\n\r\n"], [(413, "4096 bytes")]),
    Case(
      "announced body above the limit",
      [
        "POST /a HTTP/1.1\r\nContent-Length: 4097\r\nExpect: 100-continue\r\n\r\n"
      ], [(413, "4096 bytes")]),
    Case(
      "chunk above the limit", ["POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1001\r\n"],
      [
        (413, "4096 bytes")
      ]),
    Case(
      "chunks above the limit",
      ["POST /a HTTP/1.1\r\ntransfer-encoding:chunked\r\n\r\n2\r\nab\r\n", "fff\r\n"], [(413, "4096 bytes")]),
    Case(
      "chunked in HTTP/1.0", ["POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"], [(400, "HTTP/1.1")]),
    Case("a zero byte in a field", ["GET /a HTTP/1.1\r\nHost: a\0b\r\n\r\n"], [(400, "zero byte")]),
    Case("a zero byte in a name", ["GET /a HTTP/1.1\r\nHo\0st: a\r\n\r\n"], [(400, "")]),
    Case("malformed chunk", ["POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"], [(400, "chunk")]),
    Case(
      "malformed second chunk",
      ["POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n00", "3\nabc\r\n-1", "\r\n"], [(400, "chunk")]),
    Case(
      "chunk with an extension", ["POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\n"], [(400, "chunk")]),
    Case(
      "other expectation", ["POST /a HTTP/1.1\r\nContent-Length: 1\r\nExpect: tea\r\n\r\na"], [(417, "100-continue")]),
    Case("bad second request", ["GET /a HTTP/1.1\r\n\r\nnonsense\r\n\r\n"], [(200, "GET /a "), (400, "malformed")]),
  ]

  /// What evhttp takes and another reader may take for something else: bytes of the body could pass for a request.
  static let ambiguousChunks = [
    "0x3\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n", "3 zzz\r\nabc\r\n0\r\n\r\n", "3\nabc\r\n0\r\n\r\n",
    "3\r\nabc\n0\r\n\r\n", "3\r\nabc\r\n0\n\r\n", "\r\n3\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n\r\n0\r\n\r\n",
  ].map { body in
    Case(
      "chunks \(body.debugDescription)", ["POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"],
      [(400, "chunk")])
  }

  @Test(arguments: refused + ambiguousChunks) func refusesInJSON(_ row: Case) throws {
    var limits = HTTPLimits()
    limits.headerBytesMax = 1_024
    limits.bodyBytesMax = 4_096
    let fixture = try HTTPFixture(limits: limits)
    let client = fixture.connect()
    for segment in row.segments {
      client.send(segment)
      fixture.pump()
    }
    #expect(fixture.wait { client.isClosed })
    #expect(client.replies.map(\.status) == row.statuses)
    for (reply, text) in zip(client.replies, row.bodies) { #expect(reply.text.contains(text), "\(reply.text)") }
    let last = try #require(client.replies.last)
    #expect(last.isJSONError, "\(last)")
    #expect(last.headers["Connection"] == "close")
    #expect(last.headers["Date"]?.hasSuffix(" GMT") == true)
    // Nothing else came along, such as the rest of evhttp's page.
    let lengths = client.replies.map { $0.body.count }
    #expect(client.received.suffix(lengths.last!).elementsEqual(last.body))
    #expect(fixture.requests.count == row.statuses.count - 1)
    client.close()
    #expect(fixture.wait { fixture.server.connectionCount == 0 })
  }

  @Test func anExpectingClientIsToldToContinue() throws {
    let fixture = try HTTPFixture()
    let client = fixture.connect()
    client.send("POST /a HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
    #expect(fixture.wait { client.text == "HTTP/1.1 100 Continue\r\n\r\n" })
    client.send("body")
    #expect(fixture.wait { client.replies.count == 2 })
    #expect(client.replies.last?.text == "POST /a body")
  }

  @Test func malformedAfterContinueIsStillJSON() throws {
    let fixture = try HTTPFixture()
    let client = fixture.connect()
    client.send("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
    #expect(fixture.wait { client.text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\n") })
    client.send("zz\r\n")
    #expect(fixture.wait { client.isClosed })
    #expect(client.replies.map(\.status) == [100, 400])
    #expect(client.replies.last?.isJSONError == true)
  }

  @Test func headAndBodilessReplies() throws {
    let fixture = try HTTPFixture { request, responder in
      responder.reply(status: request.target == "/204" ? 204 : 200, headers: ["X-A": "1\r\nX-B: 2"], body: [1, 2, 3])
    }
    let client = fixture.connect()
    client.isHead = true
    client.send("HEAD / HTTP/1.1\r\n\r\nHEAD /204 HTTP/1.1\r\n\r\nDELETE /204 HTTP/1.1\r\n\r\n")
    #expect(fixture.wait { client.replies.count == 3 })
    #expect(client.replies.map(\.status) == [200, 204, 204])
    #expect(client.replies.map { $0.headers["Content-Length"] } == ["3", nil, nil])
    #expect(client.replies.map { $0.headers["Content-Type"] } == [nil, nil, nil])
    #expect(client.replies.allSatisfy { $0.headers["X-A"] == "1  X-B: 2" && $0.headers["X-B"] == nil })
  }

  @Test func requestsCarryHeadersVersionAndPeer() throws {
    let fixture = try HTTPFixture()
    _ = fixture.exchange(["GET / HTTP/1.0\r\nA: 1\r\nb:2\r\na: 3\r\n\r\n"])
    let request = try #require(fixture.requests.first)
    #expect(request.headers["B"] == "2")
    #expect(request.headers.all("A") == ["1", "3"])
    #expect(request.minorVersion == 0)
    #expect(request.peer?.host == "127.0.0.1")
  }

  @Test func aDroppedResponderReplies500() throws {
    let fixture = try HTTPFixture { _, _ in }
    let reply = try #require(fixture.exchange(["GET / HTTP/1.1\r\n\r\n"]).first)
    #expect(reply.status == 500)
    #expect(reply.isJSONError)
  }

  @Test func aReplyMayComeLater() throws {
    var kept: [HTTPResponder] = []
    let fixture = try HTTPFixture { _, responder in kept.append(responder) }
    let client = fixture.connect()
    client.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
    #expect(fixture.wait { kept.count == 1 })
    kept.removeFirst().reply(status: 202)
    #expect(fixture.wait { kept.count == 1 })
    kept.removeFirst().reply(status: 203)
    #expect(fixture.wait { client.replies.map(\.status) == [202, 203] })
  }

  @Test func thePortInUseIsNamed() throws {
    let fixture = try HTTPFixture()
    let error = #expect(throws: LoopError.self) {
      _ = try HTTPServer(loop: fixture.loop, address: fixture.server.localAddress) { _, _ in }
    }
    #expect(error?.description == "bind: Address already in use")
  }

  @Test func theServerMayBeClosedInItsHandler() throws {
    var close: () -> Void = {}
    let fixture = try HTTPFixture { _, responder in
      close()
      responder.reply(status: 200)
    }
    close = { [unowned fixture] in fixture.server.close() }
    let client = fixture.connect()
    client.send("GET / HTTP/1.1\r\n\r\n")
    #expect(fixture.wait { client.isClosed })
    #expect(fixture.server.connectionCount == 0)
  }
}
