import Settings
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor

@Suite struct PopulateTests {
  private let bench: Bench
  private let upstream: Upstream

  init() throws {
    bench = try Bench()
    upstream = try Upstream.echo(bench.loop)
  }

  private func spec(
    _ name: String, _ listen: String = "127.0.0.1:0", upstream: String? = nil, enabled: Bool? = nil,
    toxics: [ToxicSpec]? = nil, profile: String? = nil
  ) -> ProxySpec {
    ProxySpec(
      name: name, listen: listen, upstream: upstream ?? self.upstream.address, enabled: enabled, profile: profile,
      toxics: toxics)
  }

  @Test func answersInTheOrderOfTheBody() throws {
    let made = try bench.populate([spec("b"), spec("a", enabled: false), spec("c", toxics: [.latency(1)])])
    #expect(made.map(\.name) == ["b", "a", "c"])
    #expect(made.map(\.isEnabled) == [true, false, true])
    #expect(made[2].toxics == [.latency(1)])
    #expect(try bench.populate([]).isEmpty)
    #expect(bench.registry.proxies.count == 3)
  }

  @Test(arguments: ["127.0.0.1:0", "127.0.0.1:P", "localhost:P", "localhost:0"])
  func theSameAgainLeavesPortConnectionsAndToxics(_ listen: String) throws {
    let proxy = try bench.populate([spec("p")])[0]
    try bench.registry.addToxic(.latency(1), to: "p")
    let client = try bench.openClient(proxy)
    let shown = proxy.listen
    let again = spec("p", listen.replacing("P", with: "\(try bench.address(of: proxy).port)"), toxics: [])
    #expect(try bench.populate([again])[0] === proxy)
    #expect(proxy.listen == shown)
    #expect(proxy.toxics == [.latency(1)])
    #expect(try bench.isServed(client))
    #expect(bench.events("proxy_updated").isEmpty)
  }

  /// A client reads the list and sends it back: what it doesn't see of it stays, and where it stands.
  @Test func toxicsAsTheyAreShownLeaveAllAsItIs() throws {
    var hidden = ToxicSpec.drop(0.5)
    hidden.isHidden = true
    let toxics = [hidden, .latency(1), .noop(.upstream)]
    let proxy = try bench.populate([spec("p", toxics: toxics)])[0]
    try bench.populate([spec("p", proxy.listen, toxics: proxy.listedToxics())])
    // And as they are shown to those who ask for all.
    let all = proxy.listedToxics(includingHidden: true).map { toxic in
      var copy = toxic
      copy.isHidden = false
      return copy
    }
    try bench.populate([spec("p", proxy.listen, toxics: all)])
    #expect(proxy.toxics == toxics)
    #expect(bench.events("proxy_updated").isEmpty)
    try bench.populate([spec("p", proxy.listen, toxics: [.latency(2)])])
    #expect(proxy.toxics == [.latency(2)])
  }

  @Test func aChangeClosesConnectionsAndDropsToxics() throws {
    let proxy = try bench.populate([spec("p", toxics: [.latency(1)])])[0]
    let client = try bench.openClient(proxy)
    let shown = proxy.listen
    let other = try Upstream(bench.loop) { $0.send("other") }
    try bench.populate([spec("p", upstream: other.address)])
    try bench.loop.runUntil { client.isOver }
    #expect(client.failure != nil)
    #expect(proxy.toxics.isEmpty)
    #expect(proxy.listen == shown)
    let next = try bench.connect(proxy)
    try bench.loop.runUntil { next.text == "other" || next.isOver }
    #expect(next.text == "other")
  }

  @Test func toxicsOfAnUnchangedEntryReplaceThoseThatDiffer() throws {
    let proxy = try bench.populate([spec("p", toxics: [.latency(1)])])[0]
    let client = try bench.openClient(proxy)
    try bench.populate([spec("p", toxics: [.latency(40)])])
    #expect(proxy.toxics == [.latency(40)])
    let start = bench.loop.now
    #expect(try bench.isServed(client))
    #expect(bench.loop.now - start >= 40_000_000)
  }

  @Test func enabledIsHonouredWhenGivenAndLeftWhenNot() throws {
    let proxy = try bench.populate([spec("p")])[0]
    let shown = proxy.listen
    try bench.populate([spec("p", enabled: false)])
    #expect(!proxy.isEnabled)
    try bench.populate([spec("p")])
    #expect(!proxy.isEnabled, "absent leaves it as it is")
    try bench.populate([spec("p", enabled: true)])
    #expect(proxy.isEnabled)
    #expect(proxy.listen == shown)
    try bench.update("p", enabled: false)
    try bench.populate([spec("p", upstream: "x:1")])
    #expect(proxy.isEnabled, "a changed entry is a new proxy, and that is enabled")
  }

  @Test func ofTwoEntriesWithOneNameTheLaterCounts() throws {
    let made = try bench.populate([spec("p", upstream: "x:1"), spec("q"), spec("p", upstream: "y:2")])
    #expect(made.map(\.name) == ["p", "q", "p"])
    #expect(made[0] === made[2])
    #expect(made[0].upstream == "y:2")
  }

  @Test func aFailureLeavesEverythingAsItWas() throws {
    let kept = try bench.populate([spec("kept", toxics: [.latency(1)]), spec("off", enabled: false)])
    try bench.populate([spec("stopped")])
    try bench.update("stopped", enabled: false)
    let client = try bench.openClient(kept[0])
    let (shown, port) = (kept[0].listen, try bench.address(of: kept[0]).port)
    let taken = try bench.create("taken", upstream: "x:1")
    let specs = [
      spec("new"), spec("kept", ":\(port)", upstream: "z:3", toxics: [.latency(9)]), spec("stopped", enabled: true),
      spec("off", enabled: true), spec("bad", taken.listen),
    ]
    #expect(message { try bench.populate(specs) }.contains("Address already in use"))
    #expect(bench.registry.proxies.map(\.name) == ["kept", "off", "stopped", "taken"])
    #expect(kept[0].listen == shown && kept[0].upstream == upstream.address && kept[0].toxics == [.latency(1)])
    #expect(!kept[1].isEnabled && !kept[1].hasSocket)
    #expect(try !bench.registry.proxy(named: "stopped").isEnabled)
    #expect(try bench.isRefused(bench.registry.proxy(named: "stopped")))
    #expect(try bench.isServed(client))
    _ = try bench.openClient(kept[0])
  }

  @Test func aProxyMayMoveToEveryInterfaceOfItsPort() throws {
    let proxy = try bench.populate([spec("p")])[0]
    let port = try bench.address(of: proxy).port
    try bench.populate([spec("p", ":\(port)")])
    #expect(proxy.listen == "[::]:\(port)")
    _ = try bench.openClient(proxy)
  }

  /// Nobody is to listen there, so nobody minds.
  @Test func aDisabledEntryMayHaveAnyAddress() throws {
    try bench.populate([spec("p", "nonsense", enabled: false)])
    #expect(try bench.populate([spec("p", "nonsense")])[0].listen == "nonsense")
    #expect(message { try bench.populate([spec("p", "nonsense", enabled: true)]) }.contains("nonsense"))
    #expect(message { try bench.populate([spec("new", "nonsense")]) }.contains("nonsense"))
    #expect(bench.registry.proxies.map(\.name) == ["p"])
  }

  @Test func anEntrysProfileIsInForceFromTheStart() throws {
    let proxy = try bench.populate([spec("p", profile: "3g")])[0]
    #expect(proxy.profileName == "3g")
    let start = bench.loop.now
    _ = try bench.openClient(proxy)
    #expect(bench.loop.now - start >= 50_000_000)
  }
}
