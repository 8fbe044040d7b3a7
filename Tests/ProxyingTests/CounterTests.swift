import Conditioning
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// What is counted beyond a proxy's life: deleted proxies, and routes that were left.
@Suite struct CounterTests {
  private func pass(_ bytes: Int, through proxy: Proxy, _ bench: Bench) throws {
    let client = try bench.connect(proxy)
    client.send(String(repeating: "x", count: bytes))
    try bench.loop.runUntil { client.received.count == bytes || client.isOver }
    client.reset()
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
  }

  private func bytes(_ count: Int64) -> Counters.Traffic {
    let both = Counters.Bytes(received: count, sent: count)
    return Counters.Traffic(upstream: both, downstream: both)
  }

  @Test func aProxyOfTheSameNameGoesOnCountingWhereTheLastOneEnded() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    try pass(10, through: bench.create(upstream: upstream.address), bench)
    let listen = try bench.registry.proxy(named: "web").listen
    try bench.registry.delete("web")
    #expect(bench.registry.archive.proxies.values.map(\.key) == ["web"])
    #expect(bench.registry.archive.proxies.values.first?.value.sessions == 1)
    #expect(bench.registry.archive.routes.values.map(\.value) == [bytes(10)])

    // Meanwhile a connection of another test may come from this port, for a moment.
    var made: Proxy?
    for _ in 0..<1_000 where made == nil {
      made = try? bench.create(listen: listen, upstream: upstream.address)
      if made == nil { bench.loop.run(forMilliseconds: 10) }
    }
    let again = try #require(made)
    #expect(bench.registry.archive.proxies.values.isEmpty && bench.registry.archive.routes.values.isEmpty)
    try pass(5, through: again, bench)
    #expect(again.counters.traffic == bytes(5), "since it was made")
    #expect(again.countersOfName.traffic == bytes(15))
    #expect(again.countersOfName.closed == [.clientReset: 2])
    #expect(again.traffic?.bytes == bytes(15))
    #expect(again.counters.liveSessions == 0)
  }

  @Test func eachRouteHasItsOwnBytes() throws {
    let bench = try Bench()
    let (one, two) = (try Upstream.echo(bench.loop), try Upstream.echo(bench.loop))
    let proxy = try bench.create(upstream: one.address)
    let first = try #require(proxy.traffic?.route)
    #expect(first == TrafficRoute(proxy: "web", listener: proxy.listen, upstream: one.address))
    try pass(10, through: proxy, bench)

    try bench.update(upstream: two.address)
    #expect(proxy.traffic?.bytes == bytes(0))
    try pass(7, through: proxy, bench)
    #expect(proxy.traffic?.bytes == bytes(7))
    #expect(bench.registry.archive.routes.values.map(\.key) == [first])

    try bench.update(listen: "127.0.0.1:0", upstream: one.address)
    #expect(proxy.traffic?.bytes == bytes(10), "port 0 is the port that it has, so this is the first route again")
    #expect(proxy.counters.traffic == bytes(17))
  }

  @Test func aRouteThatComesBackGoesOn() throws {
    let bench = try Bench()
    let (one, two) = (try Upstream.echo(bench.loop), try Upstream.echo(bench.loop))
    let proxy = try bench.create(upstream: one.address)
    try pass(10, through: proxy, bench)
    try bench.update(upstream: two.address)
    try bench.update(upstream: one.address)
    #expect(proxy.traffic?.bytes == bytes(10))
    try pass(1, through: proxy, bench)
    #expect(proxy.traffic?.bytes == bytes(11))
    #expect(bench.registry.archive.routes.values.isEmpty, "nothing went by the other one")
  }

  @Test func aProxyThatNeverListenedHasNoRoute() throws {
    let bench = try Bench()
    let proxy = try bench.create(listen: "nonsense", upstream: "nowhere:1", enabled: false)
    #expect(proxy.traffic == nil)
    try bench.registry.delete("web")
    #expect(bench.registry.archive.proxies.values.isEmpty, "it counted nothing")
  }

  @Test func aProxyThatCouldNotBeMadeLeavesTheArchiveAlone() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    try pass(3, through: bench.create(upstream: upstream.address), bench)
    try bench.registry.delete("web")
    let taken = try bench.create("other", upstream: upstream.address)
    #expect(throws: RegistryError.self) { try bench.create(listen: taken.listen, upstream: upstream.address) }
    #expect(bench.registry.archive.proxies.values.count == 1)
  }

  @Test func closingsAndDropsAreCountedByCause() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address, toxics: [.drop(1, how: .close)])
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(proxy.counters.dropsByCause == [Counters.DropCause(toxic: "drop", how: "close"): 1])
    #expect(proxy.counters.drops == 1)
    #expect(proxy.counters.closed == [.dropped: 1])
    try bench.use(PathSpec(), [.drop(1, how: .reset)])
    let other = try bench.connect(proxy)
    try bench.loop.runUntil { other.isOver && bench.registry.sessions.isEmpty }
    #expect(proxy.counters.dropsByCause[Counters.DropCause(toxic: "drop", how: "reset")] == 1)
  }

  // MARK: The bound

  @Test func theOldestIsForgotten() {
    var recent = RecentValues<String, Int>(countMax: 3, keyBytesMax: 100)
    for (index, key) in ["a", "b", "c", "a", "d"].enumerated() { recent.put(index, for: key, keyBytes: 1) }
    #expect(Dictionary(uniqueKeysWithValues: recent.values) == ["c": 2, "a": 3, "d": 4])
    #expect(recent.forgotten == 1)
    recent.put(9, for: "long", keyBytes: 98)
    #expect(Dictionary(uniqueKeysWithValues: recent.values) == ["d": 4, "a": 3, "long": 9])
    recent.put(10, for: "too long", keyBytes: 101)
    #expect(recent.values.isEmpty)
    #expect(recent.take("d") == nil)
  }

  @Test func manyRoutesLeaveABoundedTrace() {
    var archive = CounterArchive()
    for number in 0..<3_000 {
      archive.put(bytes(1), ofRoute: TrafficRoute(proxy: "p", listener: "127.0.0.1:\(number)", upstream: "u:1"))
    }
    #expect(archive.routes.values.count == 1_000)
    #expect(archive.forgotten == 2_000)
  }
}
