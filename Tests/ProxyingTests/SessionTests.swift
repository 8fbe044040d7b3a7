import Conditioning
import Settings
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor

/// Each way in which a session lives and closes; the table is at `Session`.
@Suite struct SessionTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// What a session may be put through without changing what arrives.
  static let conditions: [[ToxicSpec]] = [
    [], [.noop()], [.latency(5), .latency(3, .upstream)], [.bandwidth(20_000), .bandwidth(20_000, .upstream)],
    [.stall(20)], [.drop(0, per: .exchange), .latency(1)],
  ]

  #if os(Linux)
    /// What an idle one is made of, beside its sockets; eight bytes more are sixteen for malloc.
    @Test func itIsSmall() throws {
      let upstream = try Upstream.echo(bench.loop)
      let client = try bench.connect(bench.create(upstream: upstream.address))
      try bench.loop.runUntil { !bench.registry.sessions.isEmpty }
      #expect(heapBytes(bench.registry.sessions[0]) <= 408)
      client.finish()
    }
  #endif

  @Test(arguments: conditions)
  func bytesArriveBothWaysInOrder(_ toxics: [ToxicSpec]) throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address, toxics: toxics)
    let client = try bench.connect(proxy)
    let bytes = payload(700_001)
    client.send(bytes)
    client.finish()
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.received == bytes)
    #expect(upstream.peers[0].received == bytes)
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.reasons() == ["closed"])
    #expect(proxy.counters.upstream == Counters.Bytes(received: 700_001, sent: 700_001))
    #expect(proxy.counters.downstream == Counters.Bytes(received: 700_001, sent: 700_001))
    #expect(bench.registry.bufferedBytes == 0)
  }

  @Test(arguments: conditions)
  func anEndOfTheClientLeavesTheOtherWayOpen(_ toxics: [ToxicSpec]) throws {
    let upstream = try Upstream(bench.loop)
    let client = try bench.connect(bench.create(upstream: upstream.address, toxics: toxics))
    client.send("12345")
    client.finish()
    try bench.loop.runUntil { upstream.peers.first?.isEnded ?? false }
    let server = upstream.peers[0]
    #expect(server.text == "12345")
    server.send("answer")
    try bench.loop.runUntil { client.text == "answer" || client.isOver }
    #expect(!client.isOver)
    server.finish()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && client.text == "answer")
  }

  @Test(arguments: conditions)
  func anEndOfTheUpstreamLeavesTheOtherWayOpen(_ toxics: [ToxicSpec]) throws {
    let upstream = try Upstream(bench.loop) { peer in
      peer.send("hello")
      peer.finish()
    }
    let client = try bench.connect(bench.create(upstream: upstream.address, toxics: toxics))
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.text == "hello")
    client.send("late")
    client.finish()
    try bench.loop.runUntil { upstream.peers[0].isOver && bench.registry.sessions.isEmpty }
    #expect(upstream.peers[0].isEnded && upstream.peers[0].text == "late")
  }

  @Test(arguments: conditions)
  func aResetOfTheClientReachesTheUpstreamBehindItsBytes(_ toxics: [ToxicSpec]) throws {
    let upstream = try Upstream(bench.loop)
    let client = try bench.connect(bench.create(upstream: upstream.address, toxics: toxics))
    client.send("12345")
    try bench.loop.runUntil { upstream.peers.first?.text == "12345" }
    client.reset()
    try bench.loop.runUntil { upstream.peers[0].isOver && bench.registry.sessions.isEmpty }
    #expect(upstream.peers[0].failure != nil)
    #expect(bench.reasons() == ["client_reset"])
  }

  @Test(arguments: conditions)
  func aResetOfTheUpstreamReachesTheClientBehindItsBytes(_ toxics: [ToxicSpec]) throws {
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] _ in
        peer.send("answer")
        peer.reset()
      }
    }
    let client = try bench.connect(bench.create(upstream: upstream.address, toxics: toxics))
    client.send("question")
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.text == "answer")
    #expect(client.failure != nil)
    #expect(bench.reasons() == ["upstream_reset"])
  }

  /// A server that answers before it has read all, and goes: the answer is not lost to the failing write.
  @Test(arguments: conditions)
  func anEarlyAnswerIsDeliveredThoughWritingFails(_ toxics: [ToxicSpec]) throws {
    let upstream = try Upstream(bench.loop) { $0.isReading = false }
    let client = try bench.connect(bench.create(upstream: upstream.address, toxics: toxics))
    client.send(payload(20_000_000))
    try bench.loop.runUntil { upstream.peers.first?.socket.isReadable ?? false }
    bench.loop.run(forMilliseconds: 30)
    let answer = payload(50_000, seed: 2)
    upstream.peers[0].send(answer)
    // Closing with unread bytes is a reset.
    upstream.peers[0].close()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.received == answer)
    #expect(client.failure != nil)
  }

  /// More than one turn reads, and a reset behind it.
  @Test func bytesBeforeAResetAreReadThoughTurnsAreShort() throws {
    var limits = Limits()
    limits.unsentBytes = 2_000
    let bench = try Bench(limits)
    let answer = payload(50_000)
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] _ in
        peer.send(answer)
        peer.reset()
      }
    }
    let client = try bench.connect(bench.create(upstream: upstream.address, toxics: [.noop()]))
    client.send("question")
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.received == answer)
    #expect(client.failure != nil)
  }

  /// The edge that tells of a reset comes once: it must not be lost to a session that waits for its turn anyway.
  @Test func aResetIsNoticedThoughTheSessionIsQueued() throws {
    let upstream = try Upstream.echo(bench.loop)
    let client = try bench.openClient(bench.create(upstream: upstream.address))
    try bench.registry.addToxic(.stall(nil, .upstream), to: "web")
    client.send(payload(1_000_000))
    let session = try #require(bench.registry.sessions.first)
    try bench.loop.runUntil { session.upstream.room(Pipe.Bounds(bench.registry.limits), isMemoryShort: false) == 0 }
    // Both in one turn: the reset, and a change that queues the session.
    client.reset()
    try bench.registry.addToxic(.latency(1), to: "web")
    try bench.loop.runUntil(seconds: 5) { session.clientSocket == nil }
    #expect(session.upstream.source == .reset)
  }

  @Test func aResetIsNoticedWhileNothingIsRead() throws {
    let upstream = try Upstream.echo(bench.loop)
    let client = try bench.connect(bench.create(upstream: upstream.address, toxics: [.bandwidth(0, .upstream)]))
    client.send(payload(100_000))
    bench.loop.run(forMilliseconds: 30)
    client.reset()
    bench.loop.run(forMilliseconds: 10)
    try bench.registry.removeToxic("bandwidth_upstream", from: "web")
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.reasons() == ["client_reset"])
  }

  // MARK: Dialling

  @Test(arguments: ["127.0.0.1:PORT", "no-such-host.invalid:80", "nonsense", "127.0.0.1:99999"])
  func anUpstreamThatCantBeReachedIsAResetAndIsTold(_ address: String) throws {
    // Bound and not listening, so that nobody else gets it.
    let closed = try bench.create("closed", upstream: "x:1")
    let port = try bench.address(of: closed).port
    try bench.update("closed", enabled: false)
    let text = address.replacing("PORT", with: "\(port)")
    let proxy = try bench.create(upstream: text)
    let client = try bench.connect(proxy)
    client.send("hello")
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.failure != nil)
    #expect(proxy.counters.dialFailures == 1)
    #expect(bench.events("dial_failed").first?.detail("upstream")?.stringValue == text)
    #expect(bench.log.all.filter { $0.hasPrefix("info: upstream not reached") }.count == 1)
    #expect(bench.reasons() == ["dial_failed"])
    #expect(proxy.isEnabled)
  }

  @Test func disablingCancelsADial() throws {
    // No address answers there (RFC 5737), so the dial would go on for its whole time limit.
    let proxy = try bench.create(upstream: "192.0.2.1:9")
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { bench.registry.sessions.count == 1 || client.isOver }
    try bench.update(enabled: false)
    try bench.loop.runUntil { client.isOver }
    #expect(bench.registry.sessions.isEmpty)
  }

  @Test func aSessionEndsOnAUsersWord() throws {
    let upstream = try Upstream.echo(bench.loop)
    let client = try bench.openClient(bench.create(upstream: upstream.address))
    let session = try #require(bench.registry.sessions.first)
    #expect(session.upstreamBytes == 5 && session.downstreamBytes == 5)
    #expect(session.upstreamAddress?.description == upstream.address)
    #expect(bench.registry.session(session.id) === session)
    session.end()
    try bench.loop.runUntil { client.isOver && upstream.peers[0].isOver }
    #expect(client.failure != nil && upstream.peers[0].failure != nil)
    #expect(bench.reasons() == ["ended"])
    session.end()
    #expect(bench.reasons() == ["ended"], "once is enough")
  }

  /// The refusal of a loopback upstream is quicker than a client's `connect`, which must not fail for it.
  @Test func aFailedDialResetsALittleLater() throws {
    let bench = try Bench()
    let proxy = try bench.create(upstream: "127.0.0.1:1")
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { bench.events("dial_failed").count == 1 }
    #expect(bench.registry.sessions.count == 1 && !client.isOver)
    // What the client does in the meantime changes nothing.
    client.send("hello")
    client.finish()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.failure != nil)
    #expect(bench.reasons() == ["dial_failed"])
  }
}
