import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor
@testable import Settings

/// Proxies whose upstream leads back to them.
@Suite struct CircleTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func port(_ proxy: Proxy) throws -> UInt16 { try #require(proxy.port) }

  private func dialFailures() -> [String] {
    bench.events("dial_failed").compactMap { $0.detail("reason")?.stringValue }
  }

  /// A client sees a reset, and not one session is left.
  private func expectRefusal(_ proxy: Proxy, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let client = try bench.connect(proxy)
    client.send("hello")
    try bench.loop.runUntil { client.isOver }
    #expect(client.failure != nil, sourceLocation: sourceLocation)
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
  }

  @Test(arguments: [
    ("127.0.0.1:0", "127.0.0.1"), ("127.0.0.1:0", "localhost"), ("127.0.0.1:0", "0.0.0.0"), (":0", "127.0.0.1"),
    (":0", "[::1]"), (":0", "[::]"), (":0", ""), (":0", "127.0.0.9"), ("[::1]:0", "[::1]"), ("[::1]:0", "[::]"),
  ])
  func aProxyIsNotItsOwnUpstream(listen: String, host: String) throws {
    let proxy = try bench.create(listen: listen, upstream: "127.0.0.1:1")
    let upstream = "\(host):\(try port(proxy))"
    try bench.update(upstream: upstream)
    try expectRefusal(proxy)
    #expect(dialFailures() == ["upstream \(upstream) is this proxy itself"])
    #expect(bench.reasons() == ["dial_failed"])
    #expect(proxy.counters.sessions == 1 && proxy.counters.dialFailures == 1)
  }

  @Test func aCircleOfThreeIsTold() throws {
    let first = try bench.create("a", upstream: "127.0.0.1:1")
    let third = try bench.create("c", upstream: first.listen)
    let second = try bench.create("b", upstream: third.listen)
    try bench.update("a", upstream: second.listen)
    try expectRefusal(first)
    #expect(dialFailures() == ["upstream \(first.listen) leads back to where it comes from: a → b → c → a"])
    #expect([first, second, third].map(\.counters.sessions) == [1, 1, 1])
    // From another place the same circle.
    try expectRefusal(third)
    #expect(dialFailures().last == "upstream \(third.listen) leads back to where it comes from: c → a → b → c")
  }

  @Test func aWayIntoACircleIsTold() throws {
    let inner = try bench.create("inner", upstream: "127.0.0.1:1")
    try bench.update("inner", upstream: inner.listen)
    let outer = try bench.create("outer", upstream: inner.listen)
    try expectRefusal(outer)
    #expect(dialFailures() == ["upstream \(inner.listen) is this proxy itself"])
  }

  @Test func aChainWithAnEndIsServed() throws {
    let upstream = try Upstream.echo(bench.loop)
    let last = try bench.create("last", listen: ":0", upstream: upstream.address)
    let middle = try bench.create("middle", upstream: "localhost:\(try port(last))")
    let first = try bench.create("first", upstream: middle.listen)
    let clients = try (0..<5).map { _ in try bench.openClient(first) }
    let others = try (0..<5).map { _ in try bench.openClient(last) }
    for client in clients + others { #expect(try bench.isServed(client)) }
    #expect(bench.registry.sessions.count == 20)
  }

  /// A connection that comes back after its session has gone is the end of it, too.
  @Test func clientsThatResetAtOnceLeaveNothingRunning() throws {
    let proxy = try bench.create(upstream: "127.0.0.1:1")
    try bench.update(upstream: proxy.listen)
    for _ in 0..<20 {
      let client = try bench.connect(proxy)
      try bench.loop.runUntil { client.socket.isWritable }
      client.reset()
      bench.loop.run(forMilliseconds: 5)
    }
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(proxy.counters.sessions == 20)
  }
}
