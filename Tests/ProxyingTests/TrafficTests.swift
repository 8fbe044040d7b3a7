import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// What went through since a moment: exact, or refused.
@Suite struct TrafficTests {
  private func pass(_ text: String, _ proxy: Proxy, _ bench: Bench) throws {
    let client = try bench.connect(proxy)
    client.send(text)
    try bench.loop.runUntil { client.received.count == text.utf8.count || client.isOver }
    client.finish()
    try bench.loop.runUntil { client.isOver }
  }

  private func settle(_ bench: Bench, open: Int = 0) throws {
    try bench.loop.runUntil { bench.registry.sessions.count == open }
  }

  private func counts(_ bench: Bench, _ beginning: ProxyRegistry.Beginning) throws -> [String: TrafficCount] {
    bench.registry.traffic(in: try bench.registry.span(since: beginning))
  }

  @Test func theSpanFromTheStartAndFromAnEventCountTheSame() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let first = bench.registry.events.newest
    try pass("12345", proxy, bench)
    let live = try bench.openClient(proxy)
    try settle(bench, open: 1)
    var expected = TrafficCount(connections: 2, open: 1, upstreamBytes: 10, downstreamBytes: 10)
    #expect(try counts(bench, .event(0)) == ["web": expected])
    #expect(try counts(bench, .event(first)) == ["web": expected])
    // Bytes grow while a connection lives.
    live.send("abc")
    try bench.loop.runUntil { live.received.count == 8 }
    (expected.upstreamBytes, expected.downstreamBytes) = (13, 13)
    #expect(try counts(bench, .event(0)) == ["web": expected])
    #expect(try counts(bench, .event(first)) == ["web": expected])
  }

  @Test func onlyWhatWasOpenedSinceCounts() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    _ = try bench.create("idle", upstream: upstream.address)
    let old = try bench.openClient(proxy)
    let time = WallTime.now
    let event = bench.registry.events.newest
    old.send("more")
    try bench.loop.runUntil { old.received.count == 9 }
    #expect(try counts(bench, .event(event)) == ["web": TrafficCount(open: 1), "idle": TrafficCount()])
    try pass("12", proxy, bench)
    old.finish()
    try settle(bench)
    let expected = TrafficCount(connections: 1, upstreamBytes: 2, downstreamBytes: 2)
    #expect(try counts(bench, .event(event))["web"] == expected)
    #expect(try counts(bench, .time(time))["web"] == expected)
    #expect(try counts(bench, .event(0))["web"]?.connections == 2)
  }

  @Test func dropsFailuresAndDeletedProxiesCount() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let event = bench.registry.events.newest
    let dropping = try bench.create("dropping", upstream: upstream.address, toxics: [.drop(1)])
    let failing = try bench.create("failing", upstream: "127.0.0.1:1")
    for proxy in [dropping, failing] {
      let client = try bench.connect(proxy)
      try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    }
    let expected = [
      "dropping": TrafficCount(connections: 1, drops: 1), "failing": TrafficCount(connections: 1, dialFailures: 1),
    ]
    #expect(try counts(bench, .event(0)) == expected && counts(bench, .event(event)) == expected)
    for name in expected.keys { try bench.registry.delete(name) }
    #expect(try counts(bench, .event(0)) == expected && counts(bench, .event(event)) == expected)
  }

  @Test func whatIsForgottenOrStillToComeIsRefused() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    try pass("12", proxy, bench)
    try settle(bench)
    let (event, time) = (bench.registry.events.newest, WallTime.now)
    for _ in 0..<bench.registry.events.capacity { bench.registry.note("reset", []) }
    #expect(try counts(bench, .event(event))["web"] == TrafficCount(), "all behind it is kept, just")
    bench.registry.note("reset", [])
    for beginning in [ProxyRegistry.Beginning.event(event), .time(time)] {
      let error = #expect(throws: TrafficError.self) { _ = try counts(bench, beginning) }
      guard case .forgotten(let id, _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
      #expect(id == event + 2)
    }
    // The counters forget nothing.
    #expect(try counts(bench, .event(0))["web"]?.connections == 1)
    #expect(try counts(bench, .time(bench.registry.events.beganAt))["web"]?.upstreamBytes == 2)
    let nextEvent = bench.registry.events.newest + 1
    let nextMinute = WallTime.now.advanced(nanoseconds: 60_000_000_000)
    for beginning in [ProxyRegistry.Beginning.event(nextEvent), .time(nextMinute)] {
      let error = #expect(throws: TrafficError.self) { _ = try counts(bench, beginning) }
      guard case .toCome? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
  }
}
