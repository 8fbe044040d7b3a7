import Conditioning
import Forwarding
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// CONNECT and SOCKS: the way there, what it costs, and how it fails.
@Suite struct ForwardTunnelTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// A client of a forward proxy that has asked for `target`, and what it was told.
  private func tunnel(_ proxy: Proxy, to target: String, early: String = "") throws -> (Peer, answer: String) {
    let client = try bench.connect(proxy)
    let request = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n\(early)"
    return (client, try bench.ask(client, request) { $0.contains("\r\n\r\n") })
  }

  private func port(of address: String) throws -> String { try Endpoint(parsing: address).service }

  @Test func aTunnelPassesBytesAndEndsAsTheyAre() throws {
    let upstream = try Upstream.echo(bench.loop)
    let (client, answer) = try tunnel(bench.createForward(), to: upstream.address)
    #expect(answer == "HTTP/1.1 200 Connection established\r\n\r\n")
    let bytes = payload(700_001)
    let before = client.received.count
    client.send(bytes)
    client.finish()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && Array(client.received.dropFirst(before)) == bytes)
    #expect(bench.reasons() == ["closed"])
    #expect(bench.registry.bufferedBytes == 0)
    #expect(bench.events("forwarded").map { $0.detail("target") } == [.string(upstream.address)])
  }

  @Test func anIdleTunnelKeepsNothingToReadRequestsWith() throws {
    let upstream = try Upstream.echo(bench.loop)
    _ = try tunnel(bench.createForward(), to: upstream.address)
    let forward = try #require(bench.registry.sessions.first?.forward)
    #expect(forward.isTunnel && forward.talk == nil)
    #expect(forward.target?.description == upstream.address)
  }

  @Test func whatComesWithTheRequestIsPassedOn() throws {
    let upstream = try Upstream.echo(bench.loop)
    let client = try bench.connect(bench.createForward())
    let answer = try bench.ask(client, "CONNECT \(upstream.address) HTTP/1.1\r\nHost: x\r\n\r\nearly") {
      $0.hasSuffix("early")
    }
    #expect(answer == "HTTP/1.1 200 Connection established\r\n\r\nearly")
  }

  @Test func socksConnectsByNameAndAddress() throws {
    let upstream = try Upstream.echo(bench.loop)
    let port = try #require(UInt16(port(of: upstream.address)))
    let proxy = try bench.createForward(.socks)
    let requests = [
      SOCKS.connect("localhost", port), [5, 1, 0, 1, 127, 0, 0, 1, UInt8(port >> 8), UInt8(port & 255)],
    ]
    for request in requests {
      let client = try bench.connect(proxy)
      client.send(SOCKS.greeting)
      try bench.loop.runUntil { client.received.count == 2 }
      client.send(request + Array("early".utf8))
      try bench.loop.runUntil { client.received.count == 17 || client.isOver }
      #expect(client.received == [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Array("early".utf8))
    }
    let old = try bench.connect(proxy)
    old.send([4, 1, UInt8(port >> 8), UInt8(port & 255), 0, 0, 0, 1, 0] + Array("localhost".utf8) + [0])
    try bench.loop.runUntil { old.received.count == 8 || old.isOver }
    #expect(old.received.prefix(2) == [0, 90])
  }

  @Test func theRoundTripIsChargedOnceAndTheLookupWhereThereIsOne() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.createForward()
    try bench.use(PathSpec(latencyMilliseconds: 80, dnsLatencyMilliseconds: 50_000))
    let byAddress = try bench.milliseconds { _ = try tunnel(proxy, to: upstream.address) }
    #expect((79...40_000).contains(byAddress), "\(byAddress)")
    try bench.use(PathSpec(latencyMilliseconds: 80, dnsLatencyMilliseconds: 120))
    var client: Peer?
    let byName = try bench.milliseconds {
      client = try tunnel(proxy, to: "localhost:\(port(of: upstream.address))").0
    }
    #expect(byName >= 199, "\(byName)")
    let exchange = try bench.milliseconds { _ = try bench.ask(#require(client), "ping") { $0 == "ping" } }
    #expect(exchange >= 79, "\(exchange)")
    #expect(bench.registry.sessions.last?.forward?.handshakes == 1)
  }

  @Test func aLatencyToxicCountsInTheHandshakeToo() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.createForward(toxics: [.latency(60)])
    let time = try bench.milliseconds { _ = try tunnel(proxy, to: upstream.address) }
    #expect(time >= 59, "\(time)")
  }

  @Test func failuresAreSaidInTheProtocol() throws {
    let nobody = try closedPort()
    let http = try bench.createForward()
    let (client, refused) = try tunnel(http, to: nobody)
    #expect(refused.hasPrefix("HTTP/1.1 502 ") && refused.contains("Connection refused"), "\(refused)")
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded, "an end, and no reset, which could destroy the answer")
    let (_, unknown) = try tunnel(http, to: "no.such.name.invalid:80")
    #expect(unknown.hasPrefix("HTTP/1.1 502 ") && unknown.contains("no.such.name.invalid"), "\(unknown)")
    let socks = try bench.createForward(.socks, "socks")
    let old = try bench.connect(socks)
    old.send(SOCKS.greeting + (try SOCKS.connect(nobody)))
    try bench.loop.runUntil { old.isOver }
    #expect(old.isEnded && old.received.prefix(4) == [5, 0, 5, 5])
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.reasons() == ["dial_failed", "dial_failed", "dial_failed"])
  }

  private func closedPort() throws -> String {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let listener = try Listener(loop: bench.loop, address: address)
    defer { listener.close() }
    return listener.localAddress.description
  }

  @Test func whatTheProxySaysItselfIsNobodysTraffic() throws {
    let proxy = try bench.createForward(rules: ["denied.test=deny"])
    let begin = bench.registry.events.newest
    let (client, answer) = try tunnel(proxy, to: "denied.test:1")
    #expect(answer.hasPrefix("HTTP/1.1 403 "))
    client.finish()
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    for beginning in [ProxyRegistry.Beginning.event(0), .event(begin)] {
      let count = try bench.registry.traffic(in: bench.registry.span(since: beginning))["forward"]
      #expect(count == TrafficCount(connections: 1, refused: 1))
    }
    #expect(proxy.counters.traffic == Counters.Traffic())
    #expect(bench.events("session_closed").map { $0.detail("downstream_bytes") } == [0])
  }

  @Test func offlineIsSaidAndTheListenerStays() throws {
    try bench.use(PathSpec(), [.drop(1, how: .refuse)])
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.createForward(rules: ["*.direct.test=direct", "127.0.0.1=direct"])
    let (_, direct) = try tunnel(proxy, to: upstream.address)
    #expect(direct.hasPrefix("HTTP/1.1 200 "))
    bench.registry.forward.rules = []
    let (_, offline) = try tunnel(proxy, to: upstream.address)
    #expect(offline.hasPrefix("HTTP/1.1 502 ") && offline.contains("under-test"), "\(offline)")
  }

  @Test func rulesChooseByHostAndTheFirstCounts() throws {
    try bench.registry.catalogue.define(Profile(name: "slow", path: PathSpec(latencyMilliseconds: 90)))
    let upstream = try Upstream.echo(bench.loop)
    let port = try port(of: upstream.address)
    let proxy = try bench.createForward(rules: ["localhost:1=deny", "localhost=slow", "127.0.0.1=deny", "*=slow"])
    let (client, answer) = try tunnel(proxy, to: "LocalHost:\(port)")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    let slow = try bench.milliseconds { _ = try bench.ask(client, "ping") { $0 == "ping" } }
    #expect(slow >= 89, "\(slow)")
    let (_, denied) = try tunnel(proxy, to: upstream.address)
    #expect(denied.hasPrefix("HTTP/1.1 403 ") && denied.contains("127.0.0.1=deny"), "\(denied)")
    // A live session follows what is said of its host now.
    bench.registry.forward.rules = try [HostRule(parsing: "localhost=direct")]
    _ = try bench.ask(client, "ping") { $0 == "ping" }
    #expect(bench.registry.sessions[0].delay(.upstream) == .zero)
    #expect(bench.registry.sessions[0].profileName == nil)
    bench.registry.forward.rules = try [HostRule(parsing: "localhost=deny")]
    try bench.loop.runUntil { client.isOver }
    #expect(client.failure != nil)
  }

  @Test func theWayBackToItselfIsRefusedAndDisturbsNobody() throws {
    let proxy = try bench.createForward()
    let other = try bench.createForward(.socks, "socks")
    for listen in [proxy.listen, other.listen, "localhost:\(try port(of: proxy.listen))"] {
      let (client, answer) = try tunnel(proxy, to: listen)
      #expect(answer.hasPrefix("HTTP/1.1 508 "), "\(answer)")
      try bench.loop.runUntil { client.isOver }
    }
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
  }

  @Test func aProxyOfThisDaemonIsReachedAndConditionsOnce() throws {
    try bench.use(PathSpec(latencyMilliseconds: 100))
    let upstream = try Upstream.echo(bench.loop)
    let web = try bench.create(upstream: upstream.address)
    let (client, answer) = try tunnel(bench.createForward(), to: web.listen)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    let time = try bench.milliseconds { _ = try bench.ask(client, "ping") { $0 == "ping" } }
    #expect(time >= 99, "\(time)")
    let delays = bench.registry.sessions.map { [$0.delay(.upstream), $0.delay(.downstream)] }
    #expect(delays == [[.zero, .zero], [.milliseconds(50), .milliseconds(50)]], "once, not twice")
    // And a circle of the two is found.
    let back = try bench.create("back", upstream: bench.registry.proxy(named: "forward").listen)
    let (lost, _) = try tunnel(bench.registry.proxy(named: "forward"), to: back.listen)
    lost.send("CONNECT \(back.listen) HTTP/1.1\r\nHost: x\r\n\r\n")
    try bench.loop.runUntil { lost.isOver }
    client.close()
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
  }

  @Test func aHeldConnectionWaitsWithoutWork() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.createForward(toxics: [.drop(1, how: .hang)])
    let client = try bench.connect(proxy)
    client.send("CONNECT \(upstream.address) HTTP/1.1\r\nHost: x\r\n\r\n")
    try bench.loop.runUntil { bench.registry.sessions.first?.state == .held }
    let before = bench.loop.turnDurations.count
    bench.loop.run(forMilliseconds: 50)
    #expect(bench.loop.turnDurations.count - before < 20)
    #expect(upstream.peers.isEmpty && client.text.isEmpty)
    try bench.registry.removeToxic("drop", from: "forward")
    try bench.loop.runUntil { client.text.hasPrefix("HTTP/1.1 200 ") }
  }

  @Test func aSilentClientIsLetGoAndASlowOneTold() throws {
    var limits = Limits()
    limits.requestTimeout = .milliseconds(60)
    limits.idleTimeout = .milliseconds(120)
    let bench = try Bench(limits)
    let proxy = try bench.createForward()
    let slow = try bench.connect(proxy)
    slow.send("CONNECT exam")
    let (silent, blank) = (try bench.connect(proxy), try bench.connect(proxy))
    blank.send("\r\n")
    try bench.loop.runUntil { slow.isOver && silent.isOver && blank.isOver && bench.registry.sessions.isEmpty }
    #expect(blank.isEnded && blank.text.isEmpty, "no request has begun: \(blank.text)")
    #expect(slow.isEnded && slow.text.hasPrefix("HTTP/1.1 408 "))
    #expect(silent.isEnded && silent.text.isEmpty)
    #expect(Set(bench.reasons()) == ["refused", "idle"])
  }

  @Test(arguments: [ProxyMode.http, .socks])
  func garbageIsRefused(_ mode: ProxyMode) throws {
    let proxy = try bench.createForward(mode)
    for text in ["\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\r\n\r\n\r\n", "\0\0\0\0"] {
      let client = try bench.connect(proxy)
      client.send(text)
      try bench.loop.runUntil { client.isOver }
      if mode == .http { #expect(client.text.hasPrefix("HTTP/1.1 400 "), "\(text.debugDescription)") }
    }
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
  }

  @Test func aClientThatLeavesOnTheWayLeavesNothing() throws {
    try bench.use(PathSpec(latencyMilliseconds: 5_000))
    let upstream = try Upstream.echo(bench.loop)
    let client = try bench.connect(bench.createForward())
    client.send("CONNECT \(upstream.address) HTTP/1.1\r\nHost: x\r\n\r\n")
    try bench.loop.runUntil { upstream.peers.count == 1 }
    client.reset()
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.reasons() == ["client_reset"])
  }

  @Test func aNextProxyThatLeadsBackIsRefused() throws {
    let one = try bench.createForward()
    // Something in between, so that addresses alone don't tell.
    let relay = try Upstream(bench.loop) { [bench] peer in
      guard let onward = try? Peer(bench.loop, to: bench.address(of: one)) else { return }
      peer.onBytes = { onward.send($0) }
      onward.onBytes = { [unowned peer] in peer.send($0) }
      onward.onEnd = { [unowned peer] in peer.finish() }
    }
    bench.registry.forward.via = try ViaSpec(parsing: "http://\(relay.address)")
    let (_, answer) = try tunnel(one, to: "example.test:443")
    #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("508"), "\(answer)")
    let client = try bench.connect(one)
    client.send("GET http://example.test/ HTTP/1.1\r\nHost: example.test\r\n\r\n")
    try bench.loop.runUntil { client.isOver || client.text.contains("\r\n\r\n") }
    #expect(client.text.hasPrefix("HTTP/1.1 508 "), "\(client.text)")
    #expect(bench.events("session_opened").count == 4)
  }

  @Test func theNextProxyConnectsAndItsRefusalIsTold() throws {
    let upstream = try Upstream.echo(bench.loop)
    var asked = ""
    let next = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] bytes in
        guard asked.isEmpty else { return peer.send(bytes) }
        asked = String(decoding: bytes, as: UTF8.self)
        let isDenied = asked.contains("denied")
        peer.send(isDenied ? "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\nhi ")
      }
    }
    bench.registry.forward.via = try ViaSpec(parsing: "http://me:secret@\(next.address)")
    let proxy = try bench.createForward()
    let (client, answer) = try tunnel(proxy, to: "example.test:443")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(asked.hasPrefix("CONNECT example.test:443 HTTP/1.1\r\n"))
    #expect(asked.contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"))
    _ = try bench.ask(client, "ping") { $0.hasSuffix("ping") }
    #expect(client.text.hasSuffix("\r\n\r\nhi ping"))
    asked = ""
    let (_, denied) = try tunnel(proxy, to: "denied.test:443")
    #expect(denied.hasPrefix("HTTP/1.1 502 ") && denied.contains("407"), "\(denied)")
    // This machine is reached without it.
    let (_, direct) = try tunnel(proxy, to: upstream.address)
    #expect(direct.hasPrefix("HTTP/1.1 200 ") && upstream.peers.count == 1)
  }
}
