import Conditioning
import Forwarding
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// What a forward session may go on with, what has to wait, and what is drawn for it.
@Suite struct ForwardReuseTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func get(_ address: String) -> String { "GET http://\(address)/ HTTP/1.1\r\nHost: \(address)\r\n\r\n" }
  private func connect(_ address: String) -> String { "CONNECT \(address) HTTP/1.1\r\nHost: \(address)\r\n\r\n" }

  @Test func anUpstreamThatClosesAsTheNextRequestComesIsDialledAgain() throws {
    let upstream = try Upstream.http(bench.loop)
    let client = try bench.connect(bench.createForward())
    _ = try bench.ask(client, get(upstream.address)) { $0.hasSuffix("hello") }
    upstream.peers[0].finish()
    let answer = try bench.ask(client, get(upstream.address)) { $0.hasSuffix("hello") }
    #expect(answer == Upstream.answer("hello") && upstream.peers.count == 2)
  }

  @Test func anAnswerOfTheProxyComesBehindTheOnesBeforeIt() throws {
    let body = String(repeating: "x", count: 6_000)
    let first = try Upstream.http(bench.loop, body: body)
    let second = try Upstream.echo(bench.loop)
    let client = try bench.connect(bench.createForward(toxics: [.bandwidth(40)]))
    client.send(get(first.address) + connect(second.address))
    let established = "HTTP/1.1 200 Connection established\r\n\r\n"
    let wanted = Upstream.answer(body) + established
    try bench.loop.runUntil { client.isOver || client.received.count >= wanted.utf8.count }
    #expect(client.text == wanted)
  }

  @Test func aClientThatIsHeldHangsUntilItIsLetGo() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.createForward(toxics: [.drop(1, how: .hang)])
    let client = try bench.connect(proxy)
    client.send(connect(upstream.address))
    try bench.loop.runUntil { !bench.events("forwarded").isEmpty }
    bench.loop.run(forMilliseconds: 20)
    #expect(upstream.peers.isEmpty && client.received.isEmpty)
  }

  /// Whether the toxic that is decided by chance let each of so many clients through.
  @Test func aConnectionThatIsRefusedByChanceIsToldSo() throws {
    let upstream = try Upstream.echo(bench.loop)
    try bench.use(PathSpec(), [.drop(0.5, how: .refuse)])
    let proxy = try bench.createForward()
    var answers: [String] = []
    for _ in 0..<16 {
      let client = try bench.connect(proxy)
      let answer = try bench.ask(client, connect(upstream.address)) { $0.contains("\r\n\r\n") }
      answers.append(String(answer.prefix(12)))
      client.close()
    }
    #expect(Set(answers) == ["HTTP/1.1 200", "HTTP/1.1 502"])
    #expect(bench.events("dropped").count == answers.count { $0 == "HTTP/1.1 502" })
    #expect(upstream.peers.count == answers.count { $0 == "HTTP/1.1 200" }, "what is refused reaches nobody")
  }

  @Test func theControlAPIIsNotReachedThroughIt() throws {
    let control = try Upstream.echo(bench.loop)
    let endpoint = try Endpoint(parsing: control.address)
    let port = try #require(endpoint.port)
    bench.registry.controlAddress = SocketAddress(literal: "127.0.0.1", port: port)
    let proxy = try bench.createForward()
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"] {
      let client = try bench.connect(proxy)
      let answer = try bench.ask(client, connect("\(host):\(endpoint.service)")) { $0.contains("\r\n\r\n") }
      #expect(answer.hasPrefix("HTTP/1.1 508 ") && answer.contains("control API"), "\(host): \(answer)")
    }
  }

  /// A circle may be found when the tunnel is there already: then it can't be told in words.
  @Test func nothingIsSaidIntoATunnel() throws {
    let proxy = try bench.createForward()
    let back = try bench.create("back", upstream: proxy.listen)
    let client = try bench.connect(back)
    client.send(connect(back.listen))
    try bench.loop.runUntil { client.isOver }
    let text = client.text
    let isAlone = text.hasPrefix("HTTP/1.1 508 ") || text.hasSuffix(" 200 Connection established\r\n\r\n")
    #expect(isAlone || text.isEmpty, "\(text)")
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
  }

  @Test func roundTripsHaveJitterThatTheSeedRepeats() throws {
    func roundTrips(seed: UInt64) throws -> [Interval] {
      let bench = try Bench(seed: seed)
      let upstream = try Upstream.echo(bench.loop)
      try bench.use(PathSpec(latencyMilliseconds: 20, jitterMilliseconds: 10))
      let client = try bench.connect(bench.createForward())
      _ = try bench.ask(client, connect(upstream.address)) { $0.contains("\r\n\r\n") }
      let session = try #require(bench.registry.sessions.first)
      let forward = try #require(session.forward)
      return (0..<4).map { _ in session.roundTrip(forward) }
    }
    let times = try roundTrips(seed: 7)
    #expect(Set(times).count == 4 && times.allSatisfy { $0 < .milliseconds(60) }, "\(times)")
    #expect(try roundTrips(seed: 7) == times)
    #expect(try roundTrips(seed: 8) != times)
  }
}
