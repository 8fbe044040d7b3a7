import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

@Suite struct ResetTests {
  @Test func enablesAllAndTakesToxicsAwayButKeepsConnections() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    let running = try bench.create("running", upstream: upstream.address, toxics: [.latency(1), .noop(.upstream)])
    let stopped = try bench.create("stopped", upstream: upstream.address, toxics: [.latency(1)])
    let never = try bench.create("never", upstream: upstream.address, enabled: false)
    let shown = stopped.listen
    try bench.update("stopped", enabled: false)
    let client = try bench.openClient(running)
    try bench.reset()
    #expect(bench.registry.proxies.allSatisfy { $0.isEnabled && $0.toxics.isEmpty })
    #expect(stopped.listen == shown)
    #expect(try bench.isServed(client))
    for proxy in [running, stopped, never] { _ = try bench.openClient(proxy) }
    #expect(bench.events("reset").count == 1)
  }

  /// All toxics of a proxy go in one step: what each of them holds comes out, in order.
  @Test func whatSeveralToxicsHoldGoesOnInOrder() throws {
    let bench = try Bench()
    let upstream = try Upstream.echo(bench.loop)
    var toxics: [ToxicSpec] = [.latency(1), .bandwidth(10), .latency(60_000)]
    for index in toxics.indices { toxics[index].name = "t\(index)" }
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.openClient(proxy)
    for toxic in toxics { try bench.registry.addToxic(toxic, to: "web") }
    let sent = payload(2_000)
    client.send(sent)
    try bench.loop.runUntil { bench.registry.sessions[0].bufferedBytes == sent.count }
    bench.loop.run(forMilliseconds: 50)
    try bench.reset()
    try bench.loop.runUntil { client.received.count == 5 + sent.count }
    #expect(client.received.dropFirst(5).elementsEqual(sent))
    #expect(
      bench.events("toxic_removed").compactMap { $0.detail("toxic")?["name"]?.stringValue } == ["t0", "t1", "t2"])
  }

  @Test func keepsProfiles() throws {
    let bench = try Bench()
    let proxy = try bench.create(upstream: "x:1", profile: "3g")
    bench.registry.profile.set(bench.registry.catalogue["edge"], cause: .set)
    try bench.reset()
    #expect(proxy.profileName == "3g")
    #expect(bench.registry.profile.current?.name == "edge")
  }

  @Test(arguments: ["nonsense", "TAKEN"])
  func tellsWhatCannotListenAndResetsTheOthers(_ listen: String) throws {
    let bench = try Bench()
    let taken = try bench.create("taken", upstream: "x:1", toxics: [.latency(1)])
    let text = listen == "TAKEN" ? taken.listen : listen
    let bad = try bench.create("bad", listen: text, upstream: "y:2", enabled: false)
    let failure = message { try bench.reset() }
    #expect(failure.hasPrefix("listen tcp") && failure.contains(text))
    #expect(!bad.isEnabled)
    #expect(taken.toxics.isEmpty)
    #expect(bench.events("reset").isEmpty)
  }
}
