import Conditioning
import Forwarding
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// Exchanges of plain HTTP that end otherwise than with a request, an answer and the next request.
@Suite struct ForwardExchangeTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func request(_ address: String, _ fields: String = "", version: String = "1.1") -> String {
    "POST http://\(address)/ HTTP/\(version)\r\nHost: \(address)\r\n\(fields)\r\n"
  }

  /// An upstream that says this as soon as it is asked, and stays.
  private func upstream(saying answer: String) throws -> Upstream {
    try Upstream(bench.loop) { peer in
      var isAsked = false
      peer.onBytes = { [unowned peer] _ in
        if !isAsked { peer.send(answer) }
        isAsked = true
      }
    }
  }

  /// What a client is told that sends `text`, up to the end of its connection.
  private func wholeAnswer(to text: String, toxics: [ToxicSpec] = []) throws -> Peer {
    let client = try bench.connect(bench.createForward(toxics: toxics))
    client.send(text)
    try bench.loop.runUntil { client.isOver }
    return client
  }

  @Test func protocolsAreSwitchedOnlyWhenAsked() throws {
    let upstream = try upstream(saying: "HTTP/1.1 101 Switching Protocols\r\n\r\nframe")
    let client = try wholeAnswer(to: request(upstream.address))
    #expect(client.isEnded && client.text.hasPrefix("HTTP/1.1 502 ") && !client.text.contains("frame"))
  }

  @Test func informationalAnswersAreNothingForHTTP10() throws {
    let upstream = try upstream(saying: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + Upstream.answer("hello"))
    let client = try wholeAnswer(to: request(upstream.address, version: "1.0"))
    #expect(client.isEnded && client.text == Upstream.answer("hello"))
  }

  @Test func whatComesBehindAnAnswerIsNone() throws {
    let upstream = try upstream(saying: Upstream.answer("hello") + Upstream.answer("stray"))
    let client = try wholeAnswer(to: request(upstream.address))
    #expect(client.isEnded && client.text == Upstream.answer("hello"))
  }

  @Test func aClientThatWantsNoMoreIsLetGo() throws {
    let upstream = try upstream(saying: Upstream.answer("hello"))
    let client = try wholeAnswer(to: request(upstream.address, "Connection: close\r\n"))
    #expect(client.isEnded && client.text == Upstream.answer("hello"))
  }

  @Test func anEarlyAnswerThatClosesIsTheLast() throws {
    let upstream = try upstream(saying: Upstream.answer("no", "Connection: close\r\n"))
    let client = try wholeAnswer(to: request(upstream.address, "Content-Length: 100\r\n") + "the beginning")
    #expect(client.isEnded && client.text == Upstream.answer("no", "Connection: close\r\n"))
  }

  /// The rest of the body would go to whoever is asked next.
  @Test func anEarlyAnswerIsTheLastWhereItsRequestIsStillOnItsWay() throws {
    let upstream = try upstream(saying: Upstream.answer("no"))
    let body = String(repeating: "x", count: 60_000)
    let text = request(upstream.address, "Content-Length: \(body.count)\r\n") + body
    let client = try wholeAnswer(to: text, toxics: [.bandwidth(40, .upstream)])
    #expect(client.isEnded && client.text == Upstream.answer("no"))
  }

  @Test func anAnswerThatTurnsBadIsCutOff() throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let upstream = try upstream(saying: head)
    let client = try bench.connect(bench.createForward())
    client.send(request(upstream.address))
    try bench.loop.runUntil { client.text == head || client.isOver }
    upstream.peers[0].send("what?")
    try bench.loop.runUntil { client.isOver }
    #expect(client.text == head, "no second answer")
    #expect(client.failure != nil, "an end would be that of the first")
  }

  @Test func aClientThatLeavesInMidRequestIsToldApart() throws {
    let proxy = try bench.createForward()
    for text in ["GET http://exam", ""] {
      let client = try bench.connect(proxy)
      client.send(text)
      client.finish()
      try bench.loop.runUntil { client.isOver }
    }
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.reasons() == ["client_reset", "closed"])
  }

  // MARK: The next proxy

  private func connect(_ bench: Bench, to target: String) throws -> String {
    let client = try bench.connect(bench.registry.proxy(named: "forward"))
    return try bench.ask(client, "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n") { $0.contains("\r\n\r\n") }
  }

  @Test func aNextProxyThatClosesOrSaysNothingIsTold() throws {
    var limits = Limits()
    limits.connectTimeout = .milliseconds(300)
    let bench = try Bench(limits)
    let next = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] bytes in
        if String(decoding: bytes, as: UTF8.self).contains("closes") { peer.finish() }
      }
    }
    bench.registry.forward.via = try ViaSpec(parsing: next.address)
    try bench.createForward()
    let closed = try connect(bench, to: "closes.test:443")
    #expect(closed.hasPrefix("HTTP/1.1 502 ") && closed.contains("closed the connection"), "\(closed)")
    let silent = try connect(bench, to: "silent.test:443")
    #expect(silent.hasPrefix("HTTP/1.1 504 ") && silent.contains("doesn't answer"), "\(silent)")
  }

  @Test func exceptionsAreReachedWithoutIt() throws {
    let next = try Upstream.echo(bench.loop)
    var via = try ViaSpec(parsing: next.address)
    via.exceptions = [try HostPattern(parsing: "*.invalid")]
    bench.registry.forward.via = via
    try bench.createForward()
    let answer = try connect(bench, to: "no.such.name.invalid:443")
    #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("no.such.name.invalid"), "\(answer)")
    #expect(next.peers.isEmpty)
  }
}
