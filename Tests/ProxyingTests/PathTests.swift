import Conditioning
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// Sessions on a path with modelled TCP, over real sockets.
@Suite struct PathTests {
  private let bench: Bench
  private let echo: Upstream

  init() throws {
    bench = try Bench()
    echo = try Upstream.echo(bench.loop)
  }

  /// 100 ms of round trip, and 1 MB/s each way.
  private let slow = PathSpec(
    latencyMilliseconds: 100, downstreamBytesPerSecond: 1_000_000, upstreamBytesPerSecond: 1_000_000)

  private func milliseconds(_ body: () throws -> Void) throws -> Double { try bench.milliseconds(body) }

  // MARK: The handshake

  @Test func theFirstByteOfANewConnectionTakesTwoRoundTrips() throws {
    try bench.use(slow)
    let proxy = try bench.create(upstream: echo.address)
    var client: Peer?
    let first = try milliseconds { client = try bench.openClient(proxy) }
    #expect(first >= 200, "\(first)")
    let second = try milliseconds { _ = try bench.isServed(#require(client)) }
    #expect((100..<first).contains(second), "\(second)")
  }

  @Test func theUpstreamIsDialledWhenTheHandshakeGetsThere() throws {
    try bench.use(slow)
    let client = try bench.connect(bench.create(upstream: echo.address))
    let time = try milliseconds { try bench.loop.runUntil { !echo.peers.isEmpty || client.isOver } }
    #expect(time >= 49, "\(time)")
    #expect(!client.isOver)
  }

  @Test func aSessionIsDiallingWhileTheHandshakeIsUnderWay() throws {
    try bench.use(PathSpec(latencyMilliseconds: 10_000))
    let client = try bench.connect(bench.create(upstream: echo.address))
    try bench.loop.runUntil { bench.registry.sessions.first?.state == .dialling }
    let session = try #require(bench.registry.sessions.first)
    #expect(session.delay(.upstream) == .milliseconds(5_000) && session.delay(.downstream) == .milliseconds(5_000))
    // And a client that gives up is seen meanwhile.
    client.reset()
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.reasons() == ["client_reset"])
  }

  @Test func aServerThatSpeaksFirstIsHeardBehindTheHandshake() throws {
    try bench.use(slow)
    let upstream = try Upstream(bench.loop) { $0.send("220 ready\r\n") }
    let proxy = try bench.create(upstream: upstream.address)
    let time = try milliseconds {
      let client = try bench.connect(proxy)
      try bench.loop.runUntil { client.text == "220 ready\r\n" || client.isOver }
      #expect(!client.isOver)
    }
    #expect(time >= 149, "\(time)")
  }

  @Test func aRefusalComesBackAfterTheRoundTrip() throws {
    try bench.use(slow)
    let proxy = try bench.create(upstream: bench.closedPort())
    let client = try bench.connect(proxy)
    let time = try milliseconds { try bench.loop.runUntil { client.isOver } }
    #expect(client.failure != nil && time >= 99, "\(time)")
    #expect(bench.reasons() == ["dial_failed"])
  }

  @Test func aPathThatGoesAwayHoldsNoHandshakeBack() throws {
    try bench.use(PathSpec(latencyMilliseconds: 600_000))
    let proxy = try bench.create(upstream: echo.address)
    let client = try bench.connect(proxy)
    client.send("hello")
    try bench.loop.runUntil { bench.registry.sessions.first?.state == .dialling }
    bench.registry.profile.set(nil, cause: .cleared)
    try bench.loop.runUntil { client.text == "hello" || client.isOver }
    #expect(client.text == "hello")
  }

  // MARK: Ends

  @Test func anEndOneWayLeavesTheOtherOpen() throws {
    try bench.use(slow)
    // Answers only behind the client's end.
    let upstream = try Upstream(bench.loop) { peer in
      peer.onEnd = { [unowned peer] in
        peer.send(Array(peer.received.reversed()))
        peer.finish()
      }
    }
    let client = try bench.connect(bench.create(upstream: upstream.address))
    client.send(payload(30_000))
    client.finish()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && client.received == payload(30_000).reversed())
    #expect(bench.reasons() == ["closed"])
  }

  @Test(arguments: [true, false])
  func aResetPasses(fromClient: Bool) throws {
    try bench.use(slow)
    let client = try bench.openClient(bench.create(upstream: echo.address))
    let server = echo.peers[0]
    if fromClient { client.reset() } else { server.reset() }
    try bench.loop.runUntil { (fromClient ? server : client).failure != nil && bench.registry.sessions.isEmpty }
    #expect(bench.reasons() == [fromClient ? "client_reset" : "upstream_reset"])
  }

  @Test func anEndedSessionLeavesNothingOnThePath() throws {
    try bench.use(slow)
    let proxy = try bench.create(upstream: echo.address)
    let client = try bench.openClient(proxy)
    weak let connection = bench.registry.sessions.first?.connection
    #expect(connection != nil)
    client.send(payload(200_000))
    bench.loop.run(forMilliseconds: 60)
    bench.registry.sessions.first?.end()
    #expect(bench.registry.sessions.isEmpty)
    // Until the last packet that was under way has arrived nowhere.
    try bench.loop.runUntil { connection == nil }
  }

  // MARK: Changes

  @Test func toNoneInMidTransferAllIsThereAtOnce() throws {
    try bench.use(PathSpec(latencyMilliseconds: 2_000, downstreamBytesPerSecond: 5_000))
    let size = 3_000_000
    let upstream = try Upstream(bench.loop) { $0.send(payload(size)) }
    let client = try bench.connect(bench.create(upstream: upstream.address))
    // At 5 kB/s it would take ten minutes.
    try bench.loop.runUntil { bench.registry.sessions.first?.bufferedBytes ?? 0 > 0 }
    bench.registry.profile.set(nil, cause: .cleared)
    try bench.loop.runUntil { client.received.count == size || client.isOver }
    #expect(client.received == payload(size))
  }

  /// From one modelled path to another, to a plain one, to none and back, in both directions at once.
  @Test func switchingInMidTransferKeepsEveryByteInOrder() throws {
    let paths: [(String, PathSpec)] = [
      ("a", slow), ("plain", PathSpec(latencyMilliseconds: 30, downstreamBytesPerSecond: 2_000_000, model: .plain)),
      ("b", PathSpec(latencyMilliseconds: 25, downstreamBytesPerSecond: 400_000, downstreamLoss: .share(0.02))),
      ("c", PathSpec(latencyMilliseconds: 40, jitterMilliseconds: 30, upstreamBytesPerSecond: 3_000_000)),
    ]
    for (name, path) in paths { try bench.registry.catalogue.define(Profile(name: name, path: path)) }
    let proxy = try bench.create(upstream: echo.address, profile: "a")
    let clients = try (0..<3).map { _ in try bench.connect(proxy) }
    let size = 1_000_000
    for client in clients {
      client.send(payload(size))
      client.finish()
    }
    for name in ["b", "plain", "a", "none", "c", "b", "a", "plain", "c", "none", "b", "c"] {
      bench.loop.run(forMilliseconds: 70)
      proxy.ownProfile.set(bench.registry.catalogue[name], cause: .set)
    }
    bench.loop.run(forMilliseconds: 70)
    proxy.ownProfile.set(nil, cause: .cleared)
    try bench.loop.runUntil { clients.allSatisfy(\.isOver) && bench.registry.sessions.isEmpty }
    for client in clients { #expect(client.isEnded && client.received == payload(size)) }
    #expect(bench.registry.bufferedBytes == 0)
  }

  @Test func anotherRateActsOnWhatIsUnderWay() throws {
    try bench.use(PathSpec(latencyMilliseconds: 40, downstreamBytesPerSecond: 2_000))
    let upstream = try Upstream(bench.loop) { $0.send(payload(400_000)) }
    let client = try bench.connect(bench.create(upstream: upstream.address))
    try bench.loop.runUntil { client.received.count > 0 }
    // The rest would take three minutes.
    let path = PathSpec(latencyMilliseconds: 40, downstreamBytesPerSecond: 4_000_000)
    try bench.registry.catalogue.define(Profile(name: "under-test", path: path))
    bench.registry.catalogueChanged()
    try bench.loop.runUntil { client.received.count == 400_000 || client.isOver }
    #expect(client.received == payload(400_000))
  }

  /// Two minutes later, which the test doesn't wait for.
  @Test func whatNoPacketReachesIsGivenUp() throws {
    var dead = slow
    dead.upstreamBytesPerSecond = 0
    try bench.use(dead)
    let client = try bench.connect(bench.create(upstream: echo.address))
    try bench.loop.runUntil { bench.registry.sessions.first?.phase == .opening }
    let session = try #require(bench.registry.sessions.first)
    #expect(try #require(session.givesUpAt) > bench.loop.instant + .seconds(120))
    session.givesUpAt = bench.loop.instant
    session.driveLater()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.failure != nil && bench.reasons() == ["dial_failed"] && echo.peers.isEmpty)
  }

  // MARK: Many, and much

  @Test func aLossyPathKeepsEveryByte() throws {
    let lossy = PathSpec(
      latencyMilliseconds: 20, downstreamBytesPerSecond: 6_250_000, upstreamBytesPerSecond: 6_250_000,
      downstreamLoss: .share(0.03), upstreamLoss: .share(0.03))
    try bench.use(lossy)
    let client = try bench.connect(bench.create(upstream: echo.address))
    client.send(payload(2_000_000))
    client.finish()
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.received == payload(2_000_000))
    let counters = try #require(bench.registry.pathCounters.first?.counters)
    #expect(counters.downstream.lost > 0 && counters.upstream.lost > 0)
  }

  @Test func manyShareOnePath() throws {
    try bench.use(PathSpec(latencyMilliseconds: 30, downstreamBytesPerSecond: 4_000_000))
    let source = try Upstream(bench.loop) { peer in
      peer.send(payload(10_000))
      peer.finish()
    }
    let proxies = [try bench.create("a", upstream: source.address), try bench.create("b", upstream: source.address)]
    var clients: [Peer] = []
    let time = try milliseconds {
      clients = try (0..<200).map { try bench.connect(proxies[$0 % 2]) }
      for client in clients { client.finish() }
      try bench.loop.runUntil { clients.allSatisfy(\.isOver) && bench.registry.sessions.isEmpty }
    }
    #expect(clients.allSatisfy { $0.isEnded && $0.received == payload(10_000) })
    // 2 MB through 4 MB/s.
    #expect(time >= 500, "\(time)")
  }

  @Test func theSameSeedLosesTheSamePackets() throws {
    func losses(seed: UInt64) throws -> [Int64] {
      let bench = try Bench(seed: seed)
      let path = PathSpec(
        latencyMilliseconds: 10, downstreamBytesPerSecond: 1_000_000, upstreamBytesPerSecond: 1_000_000,
        downstreamLoss: .share(0.1))
      try bench.use(path)
      let upstream = try Upstream(bench.loop) { peer in
        peer.onEnd = { [unowned peer] in
          peer.send(payload(100_000))
          peer.finish()
        }
      }
      let proxy = try bench.create(upstream: upstream.address)
      return try (0..<4).map { _ in
        let before = bench.registry.pathCounters.first?.counters.downstream.lost ?? 0
        let client = try bench.connect(proxy)
        client.finish()
        try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
        return (bench.registry.pathCounters.first?.counters.downstream.lost ?? 0) - before
      }
    }
    let first = try losses(seed: 5)
    #expect(first.reduce(0, +) > 0)
    #expect(try losses(seed: 5) == first)
    #expect(try losses(seed: 6) != first)
  }

  @Test func countersOutliveThePath() throws {
    try bench.use(slow)
    _ = try bench.openClient(bench.create(upstream: echo.address))
    func packets() -> Int64? { bench.registry.pathCounters.first?.counters.upstream.packets }
    let before = try #require(packets())
    #expect(before > 0 && bench.registry.pathCounters.map(\.profile) == ["under-test"])
    bench.registry.profile.set(nil, cause: .cleared)
    #expect(try #require(packets()) >= before)
    bench.registry.profile.set(bench.registry.catalogue["under-test"], cause: .set)
    #expect(try #require(packets()) >= before)
    // The profile's next network counts on.
    _ = try bench.openClient(try #require(bench.registry.proxies.first))
    let after = try #require(packets())
    #expect(bench.registry.pathCounters.count == 1 && after > before)
  }
}

extension Bench {
  /// Where nobody listens.
  func closedPort() throws -> String {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let listener = try Listener(loop: loop, address: address)
    defer { listener.close() }
    return listener.localAddress.description
  }
}
