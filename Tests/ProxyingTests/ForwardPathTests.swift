import Conditioning
import Forwarding
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// Forward proxies on a path with modelled TCP: the handshake comes before the answer to CONNECT, and before each upstream's
/// first request.
@Suite struct ForwardPathTests {
  private let bench: Bench
  private let echo: Upstream

  init() throws {
    bench = try Bench()
    echo = try Upstream.echo(bench.loop)
  }

  private let slow = PathSpec(
    latencyMilliseconds: 100, downstreamBytesPerSecond: 1_000_000, upstreamBytesPerSecond: 1_000_000)

  private func connect(_ target: String) -> String { "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n" }

  private func get(_ address: String) -> String { "GET http://\(address)/ HTTP/1.1\r\nHost: \(address)\r\n\r\n" }

  private func answer(_ client: Peer, _ request: String) throws -> String {
    try bench.ask(client, request) { $0.contains("\r\n\r\n") }
  }

  // MARK: Tunnels

  @Test func theAnswerToConnectTakesARoundTripAndTheNextOnlyOne() throws {
    try bench.use(slow)
    let client = try bench.connect(bench.createForward())
    var said = ""
    let first = try bench.milliseconds { said = try answer(client, connect(echo.address)) }
    #expect(said.contains(" 200 "))
    #expect(first >= 100, "\(first)")
    let second = try bench.milliseconds { _ = try bench.ask(client, "ping") { $0 == "ping" } }
    #expect(second >= 100, "\(second)")
    let connection = try #require(bench.registry.sessions.first?.connection)
    #expect(connection.handshake == .established)
  }

  @Test func theUpstreamIsDialledWhenTheHandshakeGetsThere() throws {
    try bench.use(slow)
    let client = try bench.connect(bench.createForward(.socks))
    let time = try bench.milliseconds {
      client.send(SOCKS.greeting + (try SOCKS.connect(echo.address)))
      try bench.loop.runUntil { !echo.peers.isEmpty || client.isOver }
      #expect(bench.registry.sessions.first?.state == .dialling && client.received.count == 2)
    }
    #expect(time >= 49, "\(time)")
    try bench.loop.runUntil { client.received.count == 12 || client.isOver }
    #expect(client.received.dropFirst(2).prefix(2) == [5, 0])
  }

  @Test(arguments: [true, false])
  func aRefusalIsToldAfterTheRoundTrip(isTunnel: Bool) throws {
    try bench.use(slow)
    let nobody = try bench.closedPort()
    let client = try bench.connect(bench.createForward())
    let time = try bench.milliseconds {
      let said = try answer(client, isTunnel ? connect(nobody) : get(nobody))
      #expect(said.hasPrefix("HTTP/1.1 502 ") && said.contains("Connection refused"), "\(said)")
    }
    #expect(time >= 99, "\(time)")
    try bench.loop.runUntil { client.isOver && bench.registry.sessions.isEmpty }
    #expect(client.isEnded && bench.reasons() == ["dial_failed"])
  }

  @Test func whatNoPacketReachesIsGivenUpWithAnAnswer() throws {
    var dead = slow
    dead.upstreamBytesPerSecond = 0
    try bench.use(dead)
    let client = try bench.connect(bench.createForward())
    client.send(connect(echo.address))
    try bench.loop.runUntil { bench.registry.sessions.first?.state == .dialling }
    let session = try #require(bench.registry.sessions.first)
    let forward = try #require(session.forward)
    guard case .opening(let until) = forward.stage else { return #expect(Bool(false), "\(forward.stage)") }
    #expect(until > bench.loop.instant + .seconds(120) && until <= bench.loop.instant + Session.openingTime)
    // Two minutes later.
    forward.stage = .opening(until: bench.loop.instant)
    session.driveLater()
    try bench.loop.runUntil { client.isOver }
    #expect(client.isEnded && client.text.hasPrefix("HTTP/1.1 504 "), "\(client.text)")
    #expect(echo.peers.isEmpty)
  }

  /// The server is there and gone again before the client can know of it: that takes both ways.
  @Test func whatIsLostDuringTheHandshakeIsToldBehindIt() throws {
    try bench.use(slow)
    let upstream = try Upstream(bench.loop) { $0.reset() }
    let client = try bench.connect(bench.createForward())
    let time = try bench.milliseconds {
      let said = try answer(client, connect(upstream.address))
      #expect(said.hasPrefix("HTTP/1.1 502 ") && said.contains("reset it at once"), "\(said)")
    }
    #expect(time >= 99, "\(time)")
  }

  @Test func aPathThatGoesAwayHoldsNoAnswerBack() throws {
    try bench.use(PathSpec(latencyMilliseconds: 600_000))
    let client = try bench.connect(bench.createForward())
    client.send(connect(echo.address))
    try bench.loop.runUntil { bench.registry.sessions.first?.state == .dialling }
    bench.registry.profile.set(nil, cause: .cleared)
    try bench.loop.runUntil { client.isOver || client.text.contains(" 200 ") }
    #expect(!client.isOver)
  }

  @Test func aProxyOfThisDaemonChargesItsOwnHandshakeOnly() throws {
    try bench.use(slow)
    let web = try bench.create(upstream: echo.address)
    let client = try bench.connect(bench.createForward())
    client.send(connect(web.listen))
    try bench.loop.runUntil { client.text.contains(" 200 ") || client.isOver }
    // No packet of the forward proxy's own: what there is was sent by the session behind it.
    let counters = try #require(bench.registry.pathCounters.first?.counters)
    #expect(!client.isOver && counters.upstream.packets <= 1)
    let sessions = bench.registry.sessions
    #expect(sessions.map { $0.connection != nil } == [false, true])
  }

  // MARK: What stands still

  @Test(
    arguments: [
      .stall(120, .downstream), .stall(120, .upstream),
      ToxicSpec(.bandwidth(kilobytesPerSecond: 0), stream: .downstream),
    ] as [ToxicSpec])
  func whatStandsStillHoldsTheAnswerToConnectBack(_ toxic: ToxicSpec) throws {
    let proxy = try bench.createForward(toxics: [toxic])
    let client = try bench.connect(proxy)
    let began = bench.loop.now
    client.send(connect(echo.address))
    if toxic.type == .bandwidth {
      try bench.loop.runUntil { !echo.peers.isEmpty }
      bench.loop.run(forMilliseconds: 50)
      #expect(client.text.isEmpty)
      try bench.registry.removeToxic(toxic.name, from: "forward")
    }
    try bench.loop.runUntil { client.text.contains(" 200 ") || client.isOver }
    #expect(!client.isOver)
    if toxic.type == .stall { #expect(bench.loop.now - began >= 119_000_000) }
  }

  @Test func whatStandsStillCostsNoWork() throws {
    let client = try bench.connect(bench.createForward(toxics: [.stall(nil, .downstream)]))
    client.send(connect(echo.address))
    try bench.loop.runUntil { !echo.peers.isEmpty }
    bench.loop.run(forMilliseconds: 20)
    let before = bench.loop.turnDurations.count
    bench.loop.run(forMilliseconds: 50)
    #expect(bench.loop.turnDurations.count - before < 20)
    #expect(client.text.isEmpty)
  }

  // MARK: Requests

  @Test func eachUpstreamHasAHandshakeAndAKeptConnectionNone() throws {
    try bench.use(slow)
    let servers = try (0..<2).map { _ in try Upstream.http(bench.loop) }
    let client = try bench.connect(bench.createForward())
    for (index, isNew) in [(0, true), (0, false), (1, true), (1, false), (0, true)] {
      let before = bench.registry.sessions.first?.forward?.handshakes ?? 0
      let time = try bench.milliseconds {
        _ = try bench.ask(client, get(servers[index].address)) { $0.hasSuffix("hello") }
      }
      #expect(time >= (isNew ? 200 : 100), "\(index) \(time)")
      let session = try #require(bench.registry.sessions.first)
      #expect(try #require(session.forward).handshakes == before + (isNew ? 1 : 0))
    }
  }

  /// All requests at once, to servers in turn, while packets are lost: each answer whole, and in the order of the requests.
  @Test func requestsSentAtOnceAreAnsweredInOrder() throws {
    var lossy = slow
    lossy.latencyMilliseconds = 10
    (lossy.upstreamLoss, lossy.downstreamLoss) = (.share(0.05), .share(0.05))
    try bench.use(lossy)
    let bodies = ["a", "b"].map { String(repeating: $0, count: 40_000) }
    let servers = try bodies.map { try Upstream.http(bench.loop, body: $0) }
    let client = try bench.connect(bench.createForward())
    let order = [0, 1, 1, 0, 1, 0, 0]
    client.send(order.map { get(servers[$0].address) }.joined())
    let expected = order.map { Upstream.answer(bodies[$0]) }.joined()
    try bench.loop.runUntil { client.isOver || client.received.count >= expected.utf8.count }
    #expect(client.text == expected)
  }
}
