import Conditioning
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// What the dice say is told as events, each with the session's number within its proxy.
@Suite struct DecisionEventTests {
  /// A decision without its place in time.
  private struct Told: Hashable {
    let proxy: String?
    let number: Int?
    let details: [String: JSON]

    init(_ event: Event) {
      (proxy, number) = (event.proxy, event.sessionNumber)
      details = Dictionary(uniqueKeysWithValues: event.details)
    }
  }

  @Test func everyOutcomeIsToldWithItsSession() throws {
    let bench = try Bench(seed: 5)
    let upstream = try Upstream.echo(bench.loop)
    var some = ToxicSpec.noop()
    some.toxicity = 0.5
    some.name = "some"
    var drops = ToxicSpec.drop(0.5, per: .exchange, how: .close)
    drops.name = "drops"
    let proxy = try bench.create(upstream: upstream.address, toxics: [some, drops])
    for _ in 0..<24 {
      let client = try bench.connect(proxy)
      client.send("hello")
      try bench.loop.runUntil { client.isOver || client.received.count == 5 }
      client.reset()
    }
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    let told = bench.events("decision").map(Told.init)
    #expect(Set(told.map(\.number)) == Set(1...24))
    let toxicity = told.filter { $0.details["toxic"] == "toxic:some" }
    #expect(toxicity.count == 24)
    #expect(Set(toxicity.compactMap { $0.details["outcome"] }) == ["applied", "skipped"])
    #expect(toxicity.allSatisfy { $0.details["toxic_type"] == "noop" && $0.details["exchange"] == nil })
    let exchanges = told.filter { $0.details["toxic"] == "toxic:drops" }
    #expect(exchanges.count == 24 && exchanges.allSatisfy { $0.details["exchange"] == 1 })
    #expect(exchanges.allSatisfy { $0.details["stream"] == "upstream" && $0.details["toxic_type"] == "drop" })
    #expect(exchanges.allSatisfy { ($0.details["outcome"] == "dropped") == ($0.details["how"] == "close") })
    // Beside it, the event that there has always been.
    let dropped = bench.events("dropped").map(\.sessionNumber)
    #expect(Set(dropped) == Set(exchanges.filter { $0.details["outcome"] == "dropped" }.map(\.number)))
    #expect(!dropped.isEmpty && dropped.count < 24)
  }

  @Test func openingAndClosingTellTheNumberAndTheTime() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let other = try bench.create("other", upstream: upstream.address)
    let clients = try [proxy, other, proxy].map { try bench.openClient($0) }
    bench.loop.run(forMilliseconds: 30)
    for client in clients { client.finish() }
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    for type in ["session_opened", "session_closed"] {
      let numbers = bench.events(type).map { "\($0.proxy ?? "-") \($0.sessionNumber ?? 0)" }
      #expect(numbers.sorted() == ["other 1", "web 1", "web 2"], "\(type)")
    }
    let times = bench.events("session_closed").compactMap { $0.detail("duration_ms")?.integerValue }
    #expect(times.count == 3 && times.allSatisfy { (20...30_000).contains($0) }, "\(times)")
  }

  @Test func aSessionTellsItsStateAndItsDelays() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address, toxics: [.latency(30), .stall(nil, .upstream)])
    try bench.use(PathSpec(latencyMilliseconds: 100))
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { bench.registry.sessions.first?.state == .open || client.isOver }
    let session = try #require(bench.registry.sessions.first)
    #expect(session.number == 1)
    #expect(session.delay(.upstream) == .milliseconds(50) && session.delay(.downstream) == .milliseconds(80))
    bench.registry.profile.set(nil, cause: .cleared)
    #expect(session.delay(.upstream) == .zero && session.delay(.downstream) == .milliseconds(30))
  }

  @Test func aForwardSessionTellsWhereItGoesAndByWhichRule() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.createForward(rules: ["127.0.0.1=edge"])
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { bench.registry.sessions.first != nil }
    let session = try #require(bench.registry.sessions.first)
    #expect(session.state == .asking && session.target == nil && session.rule == nil)
    client.send("CONNECT \(upstream.address) HTTP/1.1\r\nHost: x\r\n\r\n")
    try bench.loop.runUntil { session.state == .dialling }
    #expect(session.target == upstream.address && session.rule == "127.0.0.1=edge")
    #expect(session.profileName == "edge" && session.delay(.upstream) == .milliseconds(200))
    try bench.loop.runUntil { session.state == .open || client.isOver }
    #expect(client.text.hasPrefix("HTTP/1.1 200 "))
    #expect(bench.events("forwarded").map(\.sessionNumber) == [1])
  }
}
