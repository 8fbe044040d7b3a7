import Conditioning
import Forwarding
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// Plain HTTP through a forward proxy: many requests on a connection, each to where it says.
@Suite struct ForwardRequestTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func get(_ address: String, _ path: String = "/", _ fields: String = "") -> String {
    "GET http://\(address)\(path) HTTP/1.1\r\nHost: \(address)\r\n\(fields)\r\n"
  }

  @Test func requestsOfOneConnectionGoWhereEachSays() throws {
    var heads: [String] = []
    let first = try Upstream.http(bench.loop) { head in
      heads.append(head)
      return Upstream.answer("one")
    }
    let second = try Upstream.http(bench.loop, body: "two")
    let client = try bench.connect(bench.createForward())
    for (server, body) in [(first, "one"), (first, "one"), (second, "two"), (first, "one")] {
      let answer = try bench.ask(client, get(server.address, "/a?b", "Proxy-Connection: keep-alive\r\nX-A: b\r\n")) {
        $0.hasSuffix(body)
      }
      #expect(answer == Upstream.answer(body))
    }
    #expect(heads[0] == "GET /a?b HTTP/1.1\r\nHost: \(first.address)\r\nX-A: b\r\n\r\n", "\(heads[0])")
    #expect(first.peers.count == 2, "an upstream is kept for the next request to it")
    #expect(second.peers.count == 1)
    let targets = [first.address, second.address, first.address].map(JSON.string)
    #expect(bench.events("forwarded").map { $0.detail("target") } == targets, "told once for each connection")
    client.finish()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && bench.reasons() == ["closed"])
  }

  @Test func theHandshakeIsChargedForEachNewUpstreamOnly() throws {
    try bench.use(PathSpec(latencyMilliseconds: 80))
    let upstream = try Upstream.http(bench.loop)
    let client = try bench.connect(bench.createForward())
    func ask() throws { _ = try bench.ask(client, get(upstream.address)) { $0.hasSuffix("hello") } }
    let first = try bench.milliseconds { try ask() }
    let second = try bench.milliseconds { try ask() }
    #expect(first >= 159, "\(first)")
    #expect(second >= 79, "\(second)")
    #expect(bench.registry.sessions[0].forward?.handshakes == 1)
  }

  @Test func bodiesOfAnyFormPass() throws {
    var received: [UInt8] = []
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] bytes in
        received += bytes
        if received.suffix(2) == Array("!!".utf8) { peer.send(Upstream.answer("one")) }
        if received.suffix(5) == Array("0\r\n\r\n".utf8) { peer.send(Upstream.answer("two")) }
      }
    }
    let client = try bench.connect(bench.createForward(toxics: [.latency(1), .latency(1, .upstream)]))
    let body = payload(300_001) + Array("!!".utf8)
    client.send("POST http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n")
    client.send(body)
    client.send("POST http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    client.send("3\r\nabc\r\n")
    try bench.loop.runUntil { client.text.hasSuffix("one") && received.suffix(8) == Array("3\r\nabc\r\n".utf8) }
    client.send("0\r\n\r\n")
    try bench.loop.runUntil { client.text.hasSuffix("two") }
    let head = "POST / HTTP/1.1\r\nHost: \(upstream.address)\r\n"
    let first = Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    let second = Array("\(head)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8)
    let isWhole = received == first + second
    #expect(isWhole)
    #expect(client.text == Upstream.answer("one") + Upstream.answer("two"))
  }

  @Test func anUploadArrivesWholeAndTheNextRequestWaits() throws {
    let body = payload(1_000_003)
    var received: [UInt8] = []
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] bytes in
        received += bytes
        if received.count >= 1_000_003 + 50, received.suffix(3) == body.suffix(3) {
          peer.send(Upstream.answer("done"))
        } else if received.count > 1_000_003 + 80, received.suffix(4) == Array("\r\n\r\n".utf8) {
          peer.send(Upstream.answer("more"))
        }
      }
    }
    let client = try bench.connect(bench.createForward(toxics: [.bandwidth(40_000, .upstream)]))
    client.send("PUT http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n")
    client.send(body)
    client.send(get(upstream.address))
    try bench.loop.runUntil { client.text.hasSuffix("more") || client.isOver }
    #expect(client.text == Upstream.answer("done") + Upstream.answer("more"))
    let headEnd = try #require(received.firstRange(of: Array("\r\n\r\n".utf8)))
    #expect(Array(received[headEnd.upperBound...].prefix(body.count)) == body)
  }

  @Test func answersThatAreUnderWayHoldUpNoWork() throws {
    let upstream = try Upstream.http(bench.loop, body: String(repeating: "x", count: 20_000))
    let echo = try Upstream.echo(bench.loop)
    let client = try bench.connect(bench.createForward(toxics: [.bandwidth(100)]))
    client.send(get(upstream.address) + get(upstream.address) + "CONNECT \(echo.address) HTTP/1.1\r\nHost: x\r\n\r\n")
    try bench.loop.runUntil { echo.peers.count == 1 }
    let before = bench.loop.turnDurations.count
    bench.loop.run(forMilliseconds: 50)
    #expect(bench.loop.turnDurations.count - before < 200)
    try bench.loop.runUntil { client.text.hasSuffix("HTTP/1.1 200 Connection established\r\n\r\n") || client.isOver }
    let answer = Upstream.answer(String(repeating: "x", count: 20_000))
    #expect(client.text == answer + answer + "HTTP/1.1 200 Connection established\r\n\r\n")
  }

  @Test func aKeptConnectionToAProxyOfThisDaemonIsConditionedOnceEachTime() throws {
    try bench.use(PathSpec(latencyMilliseconds: 60))
    let upstream = try Upstream.http(bench.loop)
    let web = try bench.create(upstream: upstream.address)
    let client = try bench.connect(bench.createForward())
    for _ in 0..<3 {
      let time = try bench.milliseconds { _ = try bench.ask(client, get(web.listen)) { $0.hasSuffix("hello") } }
      #expect(time >= 59, "\(time)")
      let delays = bench.registry.sessions.map { $0.delay(.upstream) }
      #expect(delays == [.zero, .milliseconds(30)])
    }
  }

  @Test func continueAndUpgradePass() throws {
    let upstream = try Upstream(bench.loop) { peer in
      var isUpgraded = false
      peer.onBytes = { [unowned peer] bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if isUpgraded { return peer.send(bytes) }
        if text.contains("100-continue") { peer.send("HTTP/1.1 100 Continue\r\n\r\n") }
        if text == "body!" { peer.send(Upstream.answer("thanks")) }
        if text.contains("Upgrade: websocket") {
          isUpgraded = true
          peer.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframe")
        }
      }
    }
    let client = try bench.connect(bench.createForward())
    let head =
      "POST http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    #expect(try bench.ask(client, head) { $0.hasSuffix("\r\n\r\n") } == "HTTP/1.1 100 Continue\r\n\r\n")
    #expect(try bench.ask(client, "body!") { $0.hasSuffix("thanks") } == Upstream.answer("thanks"))
    let upgrade = get(upstream.address, "/", "Connection: Upgrade\r\nUpgrade: websocket\r\n")
    #expect(try bench.ask(client, upgrade) { $0.hasSuffix("frame") }.hasPrefix("HTTP/1.1 101 "))
    #expect(try bench.ask(client, "GET is no request here") { $0.hasSuffix("here") } == "GET is no request here")
  }

  @Test func anUpstreamThatClosesBetweenRequestsIsDialledAgain() throws {
    let upstream = try Upstream.http(bench.loop)
    let client = try bench.connect(bench.createForward())
    _ = try bench.ask(client, get(upstream.address)) { $0.hasSuffix("hello") }
    upstream.peers[0].finish()
    try bench.loop.runUntil { upstream.peers[0].isOver || client.isOver }
    _ = try bench.ask(client, get(upstream.address)) { $0.hasSuffix("hello") }
    upstream.peers[1].reset()
    try bench.loop.runUntil { bench.registry.sessions.first?.upstreamAddress == nil }
    let answer = try bench.ask(client, get(upstream.address)) { $0.hasSuffix("hello") }
    #expect(answer == Upstream.answer("hello") && upstream.peers.count == 3)
  }

  @Test func anAnswerWithoutLengthEndsTheConnection() throws {
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] _ in
        peer.send("HTTP/1.0 200 OK\r\n\r\nall of it")
        peer.finish()
      }
    }
    let client = try bench.connect(bench.createForward(toxics: [.latency(5)]))
    client.send(get(upstream.address))
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && client.text == "HTTP/1.0 200 OK\r\n\r\nall of it")
  }

  @Test func aClientThatEndsBehindItsRequestHasItsAnswer() throws {
    let upstream = try Upstream.http(bench.loop)
    let client = try bench.connect(bench.createForward(toxics: [.latency(5), .latency(5, .upstream)]))
    client.send(get(upstream.address))
    client.finish()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && client.text == Upstream.answer("hello"))
  }

  @Test func aClientThatLeavesWhileItWaitsIsNoticed() throws {
    let upstream = try Upstream(bench.loop)
    let client = try bench.connect(bench.createForward())
    client.send(get(upstream.address))
    try bench.loop.runUntil { upstream.peers.first.map { !$0.received.isEmpty } ?? false }
    client.close()
    try bench.loop.runUntil { upstream.peers[0].isOver }
    upstream.peers[0].close()
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
  }

  @Test func aClientThatAsksOnAndOnWithoutReadingIsKeptWithinBounds() throws {
    let upstream = try Upstream(bench.loop)
    let client = try bench.connect(bench.createForward())
    client.send("POST http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n")
    try bench.loop.runUntil { upstream.peers.first.map { !$0.received.isEmpty } ?? false }
    let forward = try #require(bench.registry.sessions.first?.forward)
    client.send(Array("body".utf8) + payload(60_000))
    try bench.loop.runUntil { forward.pending.count == 60_000 }
    // Looking for the client's end, what comes before it is read ahead, but not without end.
    client.send(payload(40_000))
    client.finish()
    try bench.loop.runUntil { forward.pending.count >= Session.pendingMax }
    #expect(forward.pending.count == Session.pendingMax)
    upstream.peers[0].send(Upstream.answer("hello"))
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.text.hasPrefix(Upstream.answer("hello")), "what was asked first is answered")
  }

  @Test func aFailureIsAnAnswer() throws {
    let proxy = try bench.createForward(rules: ["denied.test=deny"])
    let client = try bench.connect(proxy)
    client.send(get("denied.test"))
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.text.hasPrefix("HTTP/1.1 403 ") && client.text.contains("denied.test=deny"))
    let own = try bench.connect(proxy)
    own.send(get(proxy.listen))
    try bench.loop.runUntil { own.isOver }
    #expect(own.isEnded && own.text.hasPrefix("HTTP/1.1 508 "))
  }

  @Test func anAnswerThatMayMeanTwoThingsIsNotPassedOn() throws {
    let upstream = try Upstream.http(bench.loop) { _ in
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc"
    }
    let client = try bench.connect(bench.createForward())
    client.send(get(upstream.address))
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.text.hasPrefix("HTTP/1.1 502 "), "\(client.text)")
  }

  @Test func theNextProxyGetsTheWholeURL() throws {
    var heads: [String] = []
    let next = try Upstream.http(bench.loop) { head in
      heads.append(head)
      return Upstream.answer("via")
    }
    bench.registry.forward.via = try ViaSpec(parsing: "http://me:secret@\(next.address)")
    let client = try bench.connect(bench.createForward())
    for host in ["one.test", "two.test"] {
      _ = try bench.ask(client, get(host, "/p")) { $0.hasSuffix("via") }
    }
    let lines = heads.map { $0.prefix { $0 != "\r\n" } }
    #expect(lines == ["GET http://one.test/p HTTP/1.1", "GET http://two.test/p HTTP/1.1"])
    #expect(heads[0].contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"))
    #expect(next.peers.count == 1, "both go through one connection")
  }

  @Test func requestsAreDroppedOneByOne() throws {
    try bench.use(PathSpec(), [.drop(0.5, per: .exchange)])
    let upstream = try Upstream.http(bench.loop)
    let proxy = try bench.createForward()
    var outcomes: [Bool] = []
    for _ in 0..<20 {
      let client = try bench.connect(proxy)
      for _ in 0..<3 {
        let answer = try bench.ask(client, get(upstream.address)) { $0.hasSuffix("hello") }
        outcomes.append(answer == Upstream.answer("hello"))
        if client.isOver { break }
      }
      client.close()
    }
    #expect(outcomes.contains(true) && outcomes.contains(false))
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.events("dropped").count == outcomes.count { !$0 })
  }
}
