import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor
@testable import Settings

@Suite struct LimitWatchTests {
  private func told(_ bench: Bench, _ limit: Limit) -> [Event] {
    bench.registry.events.events(since: 0).filter {
      $0.type == "limit_reached" && $0.details.first?.1 == .string(limit.rawValue)
    }
  }

  private func limits(_ change: (inout Limits) -> Void) -> Limits {
    var limits = Limits()
    change(&limits)
    return limits
  }

  @Test func anEpisodeIsToldOnceAndOfEachProxy() throws {
    let bench = try Bench()
    let watch = bench.registry.hub.watch
    for _ in 0..<5 { watch.met(.connectionsPerProxy, value: 7, proxy: "a") }
    watch.met(.connectionsPerProxy, value: 7, proxy: "b")
    watch.met(.connections, value: 9)
    #expect(watch.count(of: .connectionsPerProxy) == 6 && watch.count(of: .connections) == 1)
    #expect(told(bench, .connectionsPerProxy).map(\.proxy) == ["a", "b"])
    #expect(told(bench, .connections).map(\.proxy) == [nil])
    #expect(bench.log.all.count { $0.contains("limit reached") } == 3)
    let line = try #require(bench.log.all.first)
    #expect(line.contains("proxy=a limit=connections_per_proxy value=7 flag=--max-connections-per-proxy"))
  }

  /// Names of proxies that come and go are no memory for ever.
  @Test func manyProxiesAreNotKept() throws {
    let bench = try Bench()
    for number in 0..<500 { bench.registry.hub.watch.met(.connectionsPerProxy, value: 1, proxy: "p\(number)") }
    #expect(told(bench, .connectionsPerProxy).count == 500)
  }

  // MARK: Connections

  /// That proxy's wait in its backlog; another one's don't notice.
  @Test func aFullProxyPausesItsOwnListener() throws {
    let bench = try Bench(limits { $0.sessionsPerProxy = 2 })
    let upstream = try Upstream.echo(bench.loop)
    let (a, b) = (try bench.create("a", upstream: upstream.address), try bench.create("b", upstream: upstream.address))
    let first = try bench.openClient(a)
    #expect(told(bench, .connectionsPerProxy).isEmpty)
    let second = try bench.openClient(a)
    let waiting = try (0..<2).map { _ in try bench.connect(a) }
    for client in waiting { client.send("hello") }
    let other = try bench.openClient(b)
    bench.loop.run(forMilliseconds: 20)
    #expect(a.counters.liveSessions == 2 && b.counters.liveSessions == 1)
    #expect(waiting.allSatisfy { !$0.isOver && $0.received.isEmpty })
    #expect(bench.registry.used(of: .connectionsPerProxy) == 2)
    // Changes of conditions must not open it by the way.
    try bench.use()
    bench.loop.run(forMilliseconds: 20)
    #expect(a.counters.liveSessions == 2)
    first.close()
    try bench.loop.runUntil { waiting.contains { $0.text == "hello" } }
    second.close()
    try bench.loop.runUntil { waiting.allSatisfy { $0.text == "hello" } }
    #expect(told(bench, .connectionsPerProxy).map(\.proxy) == ["a"])
    for client in waiting + [other] { client.close() }
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    let last = try (0..<2).map { _ in try bench.openClient(a) }
    #expect(last.allSatisfy { $0.text == "hello" })
  }

  /// A proxy at its limit when all are at theirs: either may end first.
  @Test func bothLimitsOfConnectionsHoldTogether() throws {
    let bench = try Bench(limits { ($0.sessions, $0.sessionsPerProxy) = (3, 2) })
    let upstream = try Upstream.echo(bench.loop)
    let (a, b) = (try bench.create("a", upstream: upstream.address), try bench.create("b", upstream: upstream.address))
    let clients = try [a, a, b].map { try bench.openClient($0) }
    let (toA, toB) = (try bench.connect(a), try bench.connect(b))
    for client in [toA, toB] { client.send("hello") }
    bench.loop.run(forMilliseconds: 20)
    #expect(bench.registry.sessions.count == 3)
    clients[2].close()
    // The room is B's alone.
    try bench.loop.runUntil { toB.text == "hello" }
    #expect(toA.received.isEmpty)
    clients[0].close()
    try bench.loop.runUntil { toA.text == "hello" }
    #expect(told(bench, .connections).count == 1)
  }

  /// A listener needs a descriptor, too.
  @Test func listenersLeaveLessRoomForSessions() throws {
    let bench = try Bench(Limits().fitting(descriptors: 64))
    let hub = bench.registry.hub
    // 24 are kept back.
    #expect(hub.room.limit == 20 && bench.registry.value(of: .connections) == 20)
    for number in 0..<10 { try bench.create("p\(number)", upstream: "127.0.0.1:1") }
    #expect(hub.room.limit == 15)
    try bench.update("p0", enabled: false)
    #expect(hub.room.limit == 15, "it keeps its socket")
    for number in 0..<10 { try bench.registry.delete("p\(number)") }
    #expect(hub.room.limit == 20 && hub.listeners == 0)
    #expect(try Bench(limits { $0.sessions = 5 }.fitting(descriptors: 64)).registry.value(of: .connections) == 5)
  }

  /// Room that a deleted proxy leaves is used, though no session has ended; and a new proxy takes of it.
  @Test func theRoomThatAListenerLeavesIsUsed() throws {
    let bench = try Bench(limits { $0.descriptors = 5 })
    let upstream = try Upstream.echo(bench.loop)
    let web = try bench.create("web", upstream: upstream.address)
    let first = try bench.openClient(web)
    let second = try bench.openClient(web)
    try bench.create("a", upstream: "h:1")
    #expect(bench.registry.value(of: .connections) == 1)
    first.close()
    try bench.loop.runUntil { bench.registry.sessions.count == 1 }
    let waiting = try bench.connect(web)
    waiting.send("hello")
    bench.loop.run(forMilliseconds: 20)
    #expect(waiting.received.isEmpty && bench.registry.sessions.count == 1)
    try bench.registry.delete("a")
    try bench.loop.runUntil { waiting.text == "hello" }
    withExtendedLifetime(second) {}
  }

  // MARK: Bytes

  @Test func aFullLinkIsToldAndAShortageToo() throws {
    let bench = try Bench(limits { ($0.linkBytes, $0.processBytes) = (32 << 10, 1 << 20) })
    let source = try Upstream(bench.loop) { $0.send(payload(4_000_000)) }
    let proxy = try bench.create(upstream: source.address, toxics: [.latency(3_600_000)])
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { !self.told(bench, .linkBufferBytes).isEmpty }
    #expect(told(bench, .linkBufferBytes).map(\.proxy) == ["web"])
    #expect(told(bench, .bufferBytes).isEmpty)
    let more = try (0..<40).map { _ in try bench.connect(proxy) }
    try bench.loop.runUntil { !self.told(bench, .bufferBytes).isEmpty }
    for client in more + [client] { client.reset() }
    try bench.loop.runUntil { bench.registry.bufferedBytes == 0 }
    #expect(bench.registry.timesReached(.bufferBytes) > 0)
  }

  // MARK: What is forgotten

  @Test func whatIsForgottenCounts() throws {
    let bench = try Bench(limits { ($0.events, $0.keptCounters) = (100, 1) })
    for number in 0..<3 {
      try bench.create("p\(number)", upstream: "127.0.0.1:1")
      bench.registry.byName["p\(number)"]?.counters.sessions = 1
      try bench.registry.delete("p\(number)")
    }
    #expect(bench.registry.used(of: .keptCounters) == 1 && bench.registry.timesReached(.keptCounters) == 2)
    #expect(bench.registry.timesReached(.events) == 0)
    for _ in 0..<100 { bench.registry.note("reset", []) }
    #expect(bench.registry.used(of: .events) == 100 && bench.registry.timesReached(.events) == 6)
  }

  /// Each has a place of its own in the limits of the daemon.
  @Test func everyLimitCanBeSet() {
    for (place, limit) in Limit.allCases.enumerated() {
      var limits = Limits()
      #expect(limits[limit] == limit.usual)
      limits[limit] = 1_000_000 + place
      #expect(Limit.allCases.allSatisfy { limits[$0] == ($0 == limit ? 1_000_000 + place : $0.usual) })
    }
  }
}
