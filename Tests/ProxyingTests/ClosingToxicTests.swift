import LoopTesting
import Settings
import Testing

@testable import Conditioning
@testable import Proxying
@testable import Reactor

/// Toxics that lose bytes or close connections, as sessions carry them out.
@Suite struct ClosingToxicTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func toxic(_ attributes: ToxicAttributes, _ stream: Settings.Stream = .downstream) -> ToxicSpec {
    ToxicSpec(attributes, name: "t", stream: stream)
  }

  /// An upstream that sends `bytes` as soon as it is there.
  private func sender(_ bytes: [UInt8]) throws -> Upstream {
    try Upstream(bench.loop) { $0.send(bytes) }
  }

  @Test func aLimitIsDeliveredWholeToASlowReader() throws {
    let bytes = payload(4_000_000)
    let upstream = try sender(bytes)
    let proxy = try bench.create(upstream: upstream.address, toxics: [toxic(.limitData(bytes: 3_000_001))])
    let client = try bench.connect(proxy, isReading: false)
    try bench.loop.runUntil { bench.registry.sessions.first.map { $0.downstream.received > 500_000 } ?? false }
    bench.loop.run(forMilliseconds: 50)
    client.isReading = true
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded)
    #expect(client.received == Array(bytes.prefix(3_000_001)))
    client.close()
    try bench.loop.runUntil { bench.registry.sessions.isEmpty && upstream.peers.allSatisfy(\.isOver) }
    #expect(bench.reasons() == ["dropped"])
    #expect(bench.registry.bufferedBytes == 0)
  }

  /// What the upstream does behind the limit doesn't concern the client any more.
  @Test func aLimitIsDeliveredWholeThoughTheUpstreamResets() throws {
    var limits = Limits()
    limits.unsentBytes = 64 << 20
    let bench = try Bench(limits)
    let upstream = try Upstream(bench.loop) { $0.send(payload(21_000_000)) }
    let proxy = try bench.create(upstream: upstream.address, toxics: [toxic(.limitData(bytes: 20_000_000))])
    let client = try bench.connect(proxy, isReading: false)
    try bench.loop.runUntil { bench.registry.sessions.first.map { $0.downstream.sink == .closeDue } ?? false }
    try #require(bench.registry.sessions.first.map { $0.downstream.unsent > 0 } ?? false)
    upstream.peers.forEach { $0.reset() }
    bench.loop.run(forMilliseconds: 50)
    client.isReading = true
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.received.count == 20_000_000)
    client.close()
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.reasons() == ["dropped"])
  }

  /// The same through a delay, and with the client's own end behind the limit.
  @Test func aLimitUpstreamClosesThoughTheClientHasEnded() throws {
    let upstream = try Upstream(bench.loop)
    let proxy = try bench.create(
      upstream: upstream.address, toxics: [.latency(20, .upstream), toxic(.limitData(bytes: 5), .upstream)])
    let client = try bench.connect(proxy)
    client.send("12345")
    client.finish()
    try bench.loop.runUntil { client.isOver && upstream.peers.allSatisfy(\.isOver) }
    #expect(client.isEnded && upstream.peers.map(\.text) == ["12345"])
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
  }

  /// What a toxic drops must not pile up, even behind one that delays.
  @Test(arguments: [false, true]) func droppedBytesTakeNoMemory(isDelayed: Bool) throws {
    let upstream = try Upstream(bench.loop) { peer in peer.send(payload(30_000_000)) }
    let delay: [ToxicSpec] = isDelayed ? [.latency(5)] : []
    let proxy = try bench.create(
      upstream: upstream.address, toxics: delay + [toxic(.timeout(milliseconds: 0))])
    let client = try bench.connect(proxy)
    var most = 0
    try bench.loop.runUntil {
      most = max(most, bench.registry.sessions.first?.downstream.queue.count ?? 0)
      return bench.registry.sessions.first?.downstream.received == 30_000_000
    }
    bench.loop.run(forMilliseconds: 20)
    #expect(client.received.isEmpty)
    #expect(bench.registry.sessions.first?.downstream.queue.count == 0)
    // 5 ms of a loopback connection, and no more.
    #expect(most < 20_000_000)
    #expect(isDelayed || most == 0)
  }

  @Test func whatIsLeftOfAClosedConnectionHoldsNoBytes() throws {
    let upstream = try Upstream(bench.loop)
    let proxy = try bench.create(
      upstream: upstream.address, toxics: [.latency(3_600_000, .upstream), toxic(.limitData(bytes: 50_000))])
    let client = try bench.connect(proxy)
    client.send(payload(500_000))
    try bench.loop.runUntil { bench.registry.sessions.first?.upstream.queue.count == 500_000 }
    upstream.peers[0].send(payload(100_000))
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.received.count == 50_000)
    // It lingers, for the client hasn't closed its side.
    #expect(bench.registry.sessions.count == 1 && bench.registry.bufferedBytes == 0)
  }

  @Test func whatCameBeforeTheLossIsDelivered() throws {
    let bytes = payload(1_000_000)
    let upstream = try sender(bytes)
    var timeout = toxic(.timeout(milliseconds: 0))
    timeout.trigger.afterBytes = 700_000
    let proxy = try bench.create(upstream: upstream.address, toxics: [timeout, .latency(30), .bandwidth(20_000)])
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { client.received.count == 700_000 || client.isOver }
    bench.loop.run(forMilliseconds: 50)
    #expect(client.received == Array(bytes.prefix(700_000)) && !client.isOver)
    try bench.registry.removeToxic("t", from: proxy.name)
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.received.count == 700_000)
  }

  /// The last piece makes room to read the end behind it, which nothing tells of again.
  @Test(arguments: [1, 2, 600]) func theEndBehindASlicersLastPieceIsSeen(average: Int64) throws {
    let upstream = try Upstream(bench.loop) { peer in
      peer.send("12345")
      peer.finish()
    }
    let slicer = ToxicAttributes.slicer(SlicerSpec(averageSize: average, delayMicroseconds: 2_000))
    let proxy = try bench.create(upstream: upstream.address, toxics: [toxic(slicer)])
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.text == "12345")
  }

  /// All toxics go at once: what one holds must not fall into the next that is about to go.
  @Test func aResetLosesNothingBetweenToxics() throws {
    let upstream = try sender(payload(1_000))
    let proxy = try bench.create(
      upstream: upstream.address, toxics: [.latency(3_600_000), toxic(.timeout(milliseconds: 0))])
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { bench.registry.sessions.first?.bufferedBytes == 1_000 }
    try bench.reset()
    try bench.loop.runUntil { client.received.count == 1_000 || client.isOver }
    #expect(client.received == payload(1_000))
    bench.loop.run(forMilliseconds: 20)
    #expect(!client.isOver)
  }

  @Test func aResetPeerResetsBothSides() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.openClient(proxy)
    try bench.registry.addToxic(toxic(.resetPeer(milliseconds: 20)), to: proxy.name)
    try bench.loop.runUntil { client.isOver && upstream.peers.allSatisfy(\.isOver) }
    #expect(client.failure != nil && upstream.peers.allSatisfy { $0.failure != nil })
    #expect(bench.reasons() == ["dropped"])
    #expect(bench.events("dropped").count == 1)
  }

  // MARK: Which connections

  /// The numbers of the connections, counted from 1, that a toxic cuts off.
  private func struck(of count: Int, _ proxy: Proxy) throws -> [Int] {
    try (1...count).filter { _ in
      let client = try bench.connect(proxy)
      client.send("hello")
      try bench.loop.runUntil { client.isOver || client.received.count == 5 }
      return client.isOver
    }
  }

  @Test(
    arguments: [
      (0, 0, [1, 2, 3, 4, 5, 6]), (2, 0, [1, 2]), (0, 3, [3, 6]), (5, 2, [2, 4]), (0, 1, [1, 2, 3, 4, 5, 6]),
    ]
      as [(Int64, Int64, [Int])])
  func aToxicChoosesConnections(first: Int64, every: Int64, expected: [Int]) throws {
    let upstream = try Upstream.echo(bench.loop)
    var chooser = toxic(.limitData(bytes: 0))
    chooser.trigger.firstConnections = first
    chooser.trigger.every = every
    let proxy = try bench.create(upstream: upstream.address, toxics: [chooser])
    #expect(try struck(of: 6, proxy) == expected)
  }

  @Test func itCountsFromWhenItCameAndLeavesLiveConnectionsAlone() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let before = try (0..<3).map { _ in try bench.openClient(proxy) }
    var chooser = toxic(.limitData(bytes: 0))
    chooser.trigger.firstConnections = 2
    try bench.registry.addToxic(chooser, to: proxy.name)
    #expect(try struck(of: 1, proxy) == [1])
    // What it has counted goes on through changes of it and beside it.
    try bench.registry.addToxic(.latency(1), to: proxy.name)
    chooser.trigger.firstConnections = 3
    try bench.registry.updateToxic(chooser, of: proxy.name)
    #expect(try struck(of: 4, proxy) == [1, 2])
    #expect(try before.allSatisfy { try bench.isServed($0) })
    // Taken away and put back it counts anew.
    try bench.registry.removeToxic("t", from: proxy.name)
    try bench.registry.addToxic(chooser, to: proxy.name)
    #expect(try struck(of: 4, proxy) == [1, 2, 3])
  }

  /// Another upstream makes another proxy of it, whose toxics begin to count.
  @Test func aProxyThatIsReplacedCountsAnew() throws {
    let (one, two) = (try Upstream.echo(bench.loop), try Upstream.echo(bench.loop))
    var chooser = toxic(.limitData(bytes: 0))
    chooser.trigger.firstConnections = 1
    let proxy = try bench.create(upstream: one.address, toxics: [chooser])
    #expect(try struck(of: 3, proxy) == [1])
    let spec = ProxySpec(name: "web", listen: proxy.listen, upstream: two.address, toxics: [chooser])
    try bench.populate([spec])
    #expect(try struck(of: 3, proxy) == [1])
    // The same once more changes nothing.
    try bench.populate([spec])
    #expect(try struck(of: 2, proxy) == [])
  }

  @Test func aProfilesToxicCountsFromTheSwitch() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    _ = try bench.openClient(proxy)
    var chooser = toxic(.limitData(bytes: 0))
    chooser.trigger.firstConnections = 2
    try bench.use(PathSpec(), [chooser])
    #expect(try struck(of: 4, proxy) == [1, 2])
  }
}
