import Settings
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor

/// What an update does to live connections, as the contract's section 7 has it.
@Suite struct UpdateTests {
  private let bench: Bench
  private let upstream: Upstream
  private let proxy: Proxy

  init() throws {
    bench = try Bench()
    upstream = try Upstream.echo(bench.loop)
    proxy = try bench.create(upstream: upstream.address)
  }

  private var port: UInt16 { get throws { try bench.address(of: proxy).port } }

  private func expectReset(_ client: Peer) throws {
    try bench.loop.runUntil { client.isOver }
    #expect(client.failure != nil)
    #expect(bench.registry.sessions.isEmpty)
  }

  @Test(arguments: ["", "127.0.0.1:0", "127.0.0.1:P", "localhost:P", "[::ffff:127.0.0.1]:P"])
  func whatChangesNothingKeepsConnections(_ listen: String) throws {
    let client = try bench.openClient(proxy)
    let (shown, text) = (proxy.listen, listen.replacing("P", with: "\(try port)"))
    try bench.update(listen: text.isEmpty ? nil : text, upstream: upstream.address, enabled: true)
    #expect(try bench.isServed(client))
    #expect(proxy.listen == shown)
    #expect(bench.events("proxy_updated").isEmpty)
  }

  @Test(arguments: ["", ":P", "0.0.0.0:P", "[::]:P", ":0"])
  func anyInterfaceIsTheSameHoweverItIsSpelled(_ listen: String) throws {
    let any = try bench.create("any", listen: "", upstream: upstream.address)
    let client = try bench.openClient(any)
    let text = listen.replacing("P", with: "\(try bench.address(of: any).port)")
    try bench.update("any", listen: text)
    #expect(try bench.isServed(client))
  }

  @Test func anotherUpstreamClosesConnectionsAndKeepsThePort() throws {
    let second = try Upstream(bench.loop) { $0.send("other") }
    let client = try bench.openClient(proxy)
    let shown = proxy.listen
    try bench.update(upstream: second.address)
    try expectReset(client)
    #expect(proxy.listen == shown)
    #expect(bench.reasons() == ["proxy_updated"])
    let next = try bench.connect(proxy)
    try bench.loop.runUntil { next.text == "other" || next.isOver }
    #expect(next.text == "other")
  }

  @Test func anotherAddressClosesConnectionsAndFreesTheOldPort() throws {
    let client = try bench.openClient(proxy)
    let old = proxy.listen
    try bench.update(listen: "[::1]:0")
    try expectReset(client)
    #expect(proxy.listen.hasPrefix("[::1]:"))
    _ = try bench.openClient(proxy)
    #expect(try bench.create("heir", listen: old, upstream: "x:1").listen == old)
  }

  /// The port is in the way of itself.
  @Test func theSamePortOnEveryInterface() throws {
    let client = try bench.openClient(proxy)
    let port = try port
    try bench.update(listen: ":\(port)")
    try expectReset(client)
    #expect(proxy.listen == "[::]:\(port)")
    _ = try bench.openClient(proxy)
    try bench.update(listen: "127.0.0.1:\(port)")
    #expect(proxy.listen == "127.0.0.1:\(port)")
    _ = try bench.openClient(proxy)
  }

  @Test func disablingResetsAndRefusesEnablingTakesTheSamePort() throws {
    let client = try bench.openClient(proxy)
    let shown = proxy.listen
    try bench.update(enabled: false)
    try expectReset(client)
    #expect(bench.reasons() == ["proxy_disabled"])
    #expect(!proxy.isEnabled)
    #expect(proxy.listen == shown)
    #expect(try bench.isRefused(proxy))
    try bench.update(enabled: true)
    #expect(proxy.listen == shown)
    _ = try bench.openClient(proxy)
  }

  @Test func toxicsOutliveDisablingAndMayChangeMeanwhile() throws {
    try bench.registry.addToxic(.latency(1), to: "web")
    try bench.update(enabled: false)
    try bench.registry.addToxic(.latency(50, .upstream), to: "web")
    try bench.update(enabled: true)
    #expect(proxy.toxics.map(\.name) == ["latency_downstream", "latency_upstream"])
    let start = bench.loop.now
    _ = try bench.openClient(proxy)
    #expect(bench.loop.now - start >= 51_000_000)
  }

  @Test func aStoppedProxyKeepsNewTextAsGiven() throws {
    let old = proxy.listen
    try bench.update(listen: "localhost:55555", enabled: false)
    #expect(proxy.listen == "localhost:55555")
    #expect(!proxy.hasSocket)
    #expect(try bench.create("heir", listen: old, upstream: "x:1").listen == old)
    try bench.update(listen: "nonsense")
    #expect(proxy.listen == "nonsense")
    #expect(message { try bench.update(enabled: true) }.hasPrefix("listen tcp: address nonsense"))
    #expect(!proxy.isEnabled)
  }

  @Test func aFailedUpdateChangesNothing() throws {
    let taken = try bench.create("taken", upstream: "x:1")
    let client = try bench.openClient(proxy)
    let shown = proxy.listen
    let text = message { try bench.update(listen: taken.listen, upstream: "y:2") }
    #expect(text == "listen tcp \(taken.listen): bind: Address already in use")
    #expect(proxy.isEnabled && proxy.listen == shown && proxy.upstream == upstream.address)
    #expect(try bench.isServed(client))
    _ = try bench.openClient(proxy)
    #expect(throws: RegistryError.proxyNotFound) {
      try bench.registry.update("nobody", listen: nil, upstream: "z", isEnabled: nil, binding: nil)
    }
  }

  /// Somebody took the port while the proxy was disabled: it says so, stays disabled, and may try again.
  @Test func enablingOnATakenPortFailsAndMayBeTriedAgain() throws {
    try bench.update(enabled: false)
    try bench.create("thief", listen: proxy.listen, upstream: "x:1")
    #expect(message { try bench.update(enabled: true) }.contains("Address already in use"))
    #expect(!proxy.isEnabled)
    try bench.registry.delete("thief")
    try bench.update(enabled: true)
    _ = try bench.openClient(proxy)
  }

  @Test func aDisabledProxyUnderRefusalSharesItsPort() throws {
    try bench.use(PathSpec(), [.drop(1, how: .refuse)])
    #expect(message { try bench.create("thief", listen: proxy.listen, upstream: "x:1") }.contains("in use"))
    try bench.update(enabled: false)
    #expect(try bench.create("heir", listen: proxy.listen, upstream: "x:1").listen == proxy.listen)
  }

  /// Refusing is serving too: it says so when somebody else has the port.
  @Test func enablingUnderRefusalNeedsThePort() throws {
    try bench.update(enabled: false)
    try bench.create("thief", listen: proxy.listen, upstream: "x:1")
    try bench.use(PathSpec(), [.drop(1, how: .refuse)])
    proxy.ownProfile.set(bench.registry.catalogue["under-test"], cause: .set)
    try bench.registry.proxy(named: "thief").ownProfile.set(bench.registry.catalogue["none"], cause: .set)
    #expect(message { try bench.update(enabled: true) }.contains("Address already in use"))
    #expect(!proxy.isEnabled)
  }
}
