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
