import Conditioning
import Forwarding
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// Upstreams and clients of forward proxies that break off, say too much, or nothing.
@Suite struct ForwardHostileTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func get(_ address: String, _ fields: String = "") -> String {
    "GET http://\(address)/ HTTP/1.1\r\nHost: \(address)\r\n\(fields)\r\n"
  }

  private func connect(_ address: String) -> String { "CONNECT \(address) HTTP/1.1\r\nHost: \(address)\r\n\r\n" }

  private func isOver(_ client: Peer) -> Bool { client.isOver && bench.registry.sessions.isEmpty }

  // MARK: Clients

  /// The buffer that all are read into is smaller than what a client may have sent ahead.
  @Test func moreRequestsThanFitAreAnsweredThoughTheClientHasEnded() throws {
    let bodyBytes = 8_000_000
    var peer: Peer?
    var seen = 0
    var isAnswering = false
    var tail: [UInt8] = []
    let upstream = try Upstream(bench.loop) { accepted in
      peer = accepted
      accepted.onBytes = { [unowned accepted] bytes in
        seen += bytes.count
        guard isAnswering else { return }
        tail += bytes
        while let end = tail.firstRange(of: Array("\r\n\r\n".utf8)) {
          tail.removeSubrange(..<end.upperBound)
          accepted.send(Upstream.answer("more"))
        }
      }
    }
    let client = try bench.connect(bench.createForward())
    client.send("POST http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(bodyBytes)\r\n\r\n")
    // So that the system's buffer for the client grows.
    client.send(payload(bodyBytes - 1_000))
    try bench.loop.runUntil { seen > bodyBytes - 1_000 }
    let request = get(upstream.address, "X: \(String(repeating: "x", count: 1_000))\r\n")
    client.send(payload(1_000) + Array(String(repeating: request, count: 10).utf8))
    let forward = try #require(bench.registry.sessions.first?.forward)
    try bench.loop.runUntil { forward.pending.count == 10 * request.utf8.count }
    client.send(String(repeating: request, count: 290))
    client.finish()
    try bench.loop.runUntil { bench.registry.sessions.first?.clientSocket?.peerClosed ?? true }
    bench.loop.run(forMilliseconds: 20)
    #expect(forward.pending.count <= Session.pendingMax + Session.requestPiece)
    isAnswering = true
    peer?.send(Upstream.answer("first"))
    try bench.loop.runUntil { isOver(client) }
    #expect(client.isEnded)
    #expect(client.text == Upstream.answer("first") + String(repeating: Upstream.answer("more"), count: 300))
  }

  @Test func aClientThatEndsBehindSeveralRequestsHasAllAnswers() throws {
    let upstream = try Upstream.http(bench.loop)
    let other = try Upstream.http(bench.loop, body: "other")
    let client = try bench.connect(bench.createForward(toxics: [.latency(3)]))
    client.send(get(upstream.address) + get(other.address) + get(upstream.address))
    client.finish()
    try bench.loop.runUntil { isOver(client) }
    #expect(client.isEnded)
    #expect(client.text == [Upstream.answer("hello"), Upstream.answer("other"), Upstream.answer("hello")].joined())
  }

  @Test func garbageBehindHEADHasAnAnswerWithItsBody() throws {
    let upstream = try Upstream.http(bench.loop) { _ in "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" }
    let client = try bench.connect(bench.createForward())
    client.send("HEAD http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\n\r\nno request\r\n\r\n")
    try bench.loop.runUntil { isOver(client) }
    let answers = client.text.split(separator: "HTTP/1.1 ")
    #expect(answers.count == 2 && answers[1].hasPrefix("400 "), "\(client.text)")
    #expect(answers.last?.hasSuffix("\r\n\r\n") == false)
  }

  // MARK: The last answer

  @Test(arguments: [.latency(500), ToxicSpec(.slowClose(milliseconds: 500), stream: .downstream)] as [ToxicSpec])
  func aToxicHasItsTimeForTheLastAnswer(_ toxic: ToxicSpec) throws {
    let bench = try patientFor(.milliseconds(100))
    let upstream = try Upstream.http(bench.loop)
    let client = try bench.connect(bench.createForward(toxics: [toxic]))
    client.send(get(upstream.address, "Connection: close\r\n"))
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && client.text == Upstream.answer("hello"))
  }

  @Test func aClientThatReadsNowAndThenHasItsLastAnswer() throws {
    let bench = try patientFor(.milliseconds(300))
    let body = String(repeating: "x", count: 6_000_000)
    let upstream = try Upstream.http(bench.loop, body: body)
    // What the toxic holds makes room to read ahead of the client.
    let client = try bench.connect(bench.createForward(toxics: [.latency(1)]), isReading: false)
    client.send(get(upstream.address, "Connection: close\r\n"))
    for _ in 0..<8 {
      bench.loop.run(forMilliseconds: 100)
      client.isReading = true
      client.isReading = false
    }
    client.isReading = true
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && client.received.count == Upstream.answer(body).utf8.count)
  }

  @Test func aClientThatNeverReadsItsLastAnswerIsGivenUp() throws {
    let bench = try patientFor(.milliseconds(100))
    let upstream = try Upstream.http(bench.loop)
    let client = try bench.connect(bench.createForward(toxics: [.stall(nil, .downstream)]))
    client.send(get(upstream.address, "Connection: close\r\n"))
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.failure != nil && bench.reasons() == ["closed"])
  }

  private func patientFor(_ time: Interval) throws -> Bench {
    var limits = Limits()
    limits.deliveryTimeout = time
    return try Bench(limits)
  }

  // MARK: Upstreams

  @Test func aResetOnTheWayThereIsARefusal() throws {
    try bench.use(PathSpec(latencyMilliseconds: 60))
    let upstream = try Upstream(bench.loop) { $0.reset() }
    let http = try bench.createForward()
    for request in [connect(upstream.address), get(upstream.address)] {
      let client = try bench.connect(http)
      client.send(request)
      try bench.loop.runUntil { isOver(client) }
      #expect(client.isEnded && client.text.hasPrefix("HTTP/1.1 502 "), "\(client.text)")
    }
    let socks = try bench.connect(bench.createForward(.socks, "socks"))
    socks.send(SOCKS.greeting + (try SOCKS.connect(upstream.address)))
    try bench.loop.runUntil { isOver(socks) }
    #expect(socks.isEnded && socks.received.prefix(4) == [5, 0, 5, 5])
  }

  /// The answer has come early, whole and with a promise to stay; the rest of the request can't be sent any more.
  @Test func aRequestThatCannotBeSentLeavesNoConnectionForTheNext() throws {
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] _ in peer.isReading = false }
    }
    let client = try bench.connect(bench.createForward(toxics: [.latency(1, .upstream)]))
    client.send("PUT http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    try bench.loop.runUntil { upstream.peers.first?.isReading == false }
    let session = try #require(bench.registry.sessions.first)
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x78, count: 65_536) + Array("\r\n".utf8)
    for _ in 0..<1_000 where session.upstream.queue.count < 100_000 {
      client.send(chunk)
      bench.loop.run(forMilliseconds: 2)
    }
    client.send("0\r\n\r\n")
    try bench.loop.runUntil { session.forward?.isRequestOver ?? true }
    upstream.peers[0].send(Upstream.answer("early"))
    upstream.peers[0].reset()
    client.send(get(upstream.address))
    try bench.loop.runUntil { isOver(client) }
    #expect(client.text == Upstream.answer("early"))
  }

  @Test func aResetBehindAnEarlyAnswerIsItsEnd() throws {
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] _ in peer.send(Upstream.answer("enough")) }
    }
    let client = try bench.connect(bench.createForward())
    client.send("PUT http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
    try bench.loop.runUntil { client.text.hasSuffix("enough") }
    upstream.peers[0].reset()
    try bench.loop.runUntil { isOver(client) }
    #expect(client.isEnded && client.text == Upstream.answer("enough"))
  }

  static let answers = [
    "220 mail.test ESMTP\r\n", "\u{16}\u{3}\u{1}", "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
    "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 300) + "\r\n",
  ]

  @Test(arguments: answers)
  func anAnswerThatIsNoneIsABadGateway(answer: String) throws {
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] _ in peer.send(answer) }
    }
    let client = try bench.connect(bench.createForward())
    client.send(get(upstream.address))
    try bench.loop.runUntil { isOver(client) }
    #expect(client.isEnded && client.text.hasPrefix("HTTP/1.1 502 "), "\(client.text)")
  }

  @Test func anAnswerThatGoesWrongOnTheWayIsCutOff() throws {
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] _ in
        peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n")
      }
    }
    let client = try bench.connect(bench.createForward())
    client.send(get(upstream.address))
    try bench.loop.runUntil { isOver(client) }
    #expect(client.failure != nil && !client.text.contains("502"), "what has begun can't become another answer")
  }

  @Test func whatNobodyAskedForIsNoAnswerToTheNextRequest() throws {
    let upstream = try Upstream.http(bench.loop) { _ in Upstream.answer("one") + Upstream.answer("forged") }
    let client = try bench.connect(bench.createForward())
    _ = try bench.ask(client, get(upstream.address)) { $0.hasSuffix("one") }
    try bench.loop.runUntil { isOver(client) }
    #expect(client.text == Upstream.answer("one"))
    var peer: Peer?
    let late = try Upstream(bench.loop) { accepted in
      peer = accepted
      accepted.onBytes = { [unowned accepted] _ in accepted.send(Upstream.answer("late")) }
    }
    let second = try bench.connect(bench.registry.proxy(named: "forward"))
    _ = try bench.ask(second, get(late.address)) { $0.hasSuffix("late") }
    peer?.send(Upstream.answer("forged"))
    try bench.loop.runUntil { bench.registry.sessions.first?.upstreamAddress == nil }
    #expect(try bench.ask(second, get(late.address)) { $0.hasSuffix("late") } == Upstream.answer("late"))
    #expect(late.peers.count == 2)
  }

  // MARK: The next proxy

  static let refusals: [(answer: String, says: String)] = [
    ("HTTP/1.1 407 No\r\n\r\n", "407"), ("SSH-2.0\r\n", "HTTP"), ("HTTP/1.1 302 Found\r\nLocation: x\r\n\r\n", "302"),
    ("HTTP/1.1 200 OK\n\n", "LF"), ("", "closed"),
  ]

  @Test(arguments: refusals)
  func aNextProxyThatDoesNotConnectIsABadGateway(answer: String, says: String) throws {
    let next = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] _ in
        peer.send(answer)
        peer.finish()
      }
    }
    bench.registry.forward.via = try ViaSpec(parsing: "http://\(next.address)")
    let client = try bench.connect(bench.createForward())
    client.send(connect("example.test:443"))
    try bench.loop.runUntil { isOver(client) }
    #expect(client.isEnded && client.text.hasPrefix("HTTP/1.1 502 ") && client.text.contains(says), "\(client.text)")
  }

  @Test func aNextProxyThatNeverAnswersIsATimeout() throws {
    var limits = Limits()
    limits.connectTimeout = .milliseconds(80)
    let bench = try Bench(limits)
    let next = try Upstream(bench.loop) { $0.send("HTTP/1.1 100 Continue\r\n\r\n") }
    bench.registry.forward.via = try ViaSpec(parsing: "http://\(next.address)")
    let client = try bench.connect(bench.createForward())
    client.send(connect("example.test:443"))
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && client.text.hasPrefix("HTTP/1.1 504 "), "\(client.text)")
  }
}
