import Conditioning
import Settings
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor

/// Which profile proxies and their live sessions are under.
@Suite struct ProfileTests {
  private let bench: Bench
  private let upstream: Upstream

  init() throws {
    bench = try Bench()
    upstream = try Upstream.echo(bench.loop)
  }

  private func profile(_ name: String) throws -> Profile { try #require(bench.registry.catalogue[name]) }

  @Test func aProxysOwnProfileComesBeforeTheGlobalOne() throws {
    let own = try bench.create("own", upstream: upstream.address, profile: "lte")
    let other = try bench.create("other", upstream: upstream.address)
    bench.registry.profile.set(try profile("edge"), cause: .set)
    #expect(own.profileName == "lte")
    #expect(other.profileName == "edge")
    own.ownProfile.set(nil, cause: .cleared)
    #expect(own.profileName == "edge")
    bench.registry.profile.set(nil, cause: .cleared)
    #expect(own.profileName == nil && other.profileName == nil)
  }

  @Test func noneOfItsOwnPassesThroughUnderAnyGlobalOne() throws {
    let proxy = try bench.create(upstream: upstream.address, profile: "none")
    bench.registry.profile.set(try profile("offline"), cause: .set)
    _ = try bench.openClient(proxy)
  }

  @Test func aSwitchActsOnLiveSessionsAndIsTold() throws {
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.openClient(proxy)
    bench.registry.profile.set(try profile("3g"), cause: .set)
    let start = bench.loop.now
    #expect(try bench.isServed(client))
    #expect(bench.loop.now - start >= 50_000_000)
    let told = try #require(bench.events("profile_switched").last)
    #expect(told.proxy == nil)
    #expect(told.detail("from") == "none" && told.detail("to") == "3g" && told.detail("cause") == "set")
    #expect(told.detail("reverts_at") == .null)
  }

  @Test func offlineResetsAndRefusesAndKeepsThePort() throws {
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.openClient(proxy)
    let shown = proxy.listen
    bench.registry.profile.set(try profile("offline"), cause: .set)
    try bench.loop.runUntil { client.isOver }
    #expect(client.failure != nil)
    #expect(try bench.isRefused(proxy))
    #expect(upstream.peers.count == 1, "nobody came as far as the upstream")
    #expect(proxy.isEnabled)
    bench.registry.profile.set(nil, cause: .cleared)
    #expect(proxy.listen == shown)
    _ = try bench.openClient(proxy)
  }

  @Test func aProxyMadeUnderOfflineRefusesFromTheStart() throws {
    bench.registry.profile.set(try profile("offline"), cause: .set)
    let proxy = try bench.create(upstream: upstream.address)
    #expect(try bench.isRefused(proxy))
    try bench.update(enabled: false)
    try bench.update(enabled: true)
    #expect(try bench.isRefused(proxy))
    bench.registry.profile.set(nil, cause: .cleared)
    _ = try bench.openClient(proxy)
  }

  @Test func aTemporaryProfileGivesWay() throws {
    let proxy = try bench.create(upstream: upstream.address)
    bench.registry.profile.set(try profile("offline"), for: .milliseconds(5), cause: .set)
    #expect(bench.events("profile_switched").last?.detail("reverts_at")?.stringValue != nil)
    try bench.loop.runUntil { proxy.profileName == nil }
    _ = try bench.openClient(proxy)
    #expect(bench.events("profile_switched").last?.detail("cause") == "expired")
  }

  @Test func aNewDefinitionOfAProfileInForceActsAtOnce() throws {
    try bench.use()
    let proxy = try bench.create(upstream: upstream.address)
    let own = try bench.create("own", upstream: upstream.address)
    own.ownProfile.set(try profile("under-test"), cause: .set)
    let clients = [try bench.openClient(proxy), try bench.openClient(own)]
    try bench.registry.catalogue.define(Profile(name: "under-test", path: PathSpec(latencyMilliseconds: 60)))
    bench.registry.catalogueChanged()
    for client in clients {
      let start = bench.loop.now
      #expect(try bench.isServed(client))
      #expect(bench.loop.now - start >= 60_000_000)
    }
    let count = bench.events("profile_switched").count
    bench.registry.catalogueChanged()
    #expect(bench.events("profile_switched").count == count, "nothing differs")
  }

  /// Four busy sessions of two proxies under one profile: the path's rate is that of all together.
  @Test func sessionsOfAllProxiesShareTheProfilesRate() throws {
    try bench.use(PathSpec(downstreamBytesPerSecond: 1_000_000))
    let source = try Upstream(bench.loop) { $0.send(payload(50_000)) }
    let proxies = [try bench.create("a", upstream: source.address), try bench.create("b", upstream: source.address)]
    let start = bench.loop.now
    let clients = try (0..<4).map { try bench.connect(proxies[$0 % 2]) }
    try bench.loop.runUntil { clients.allSatisfy { $0.received.count == 50_000 } }
    #expect(bench.loop.now - start >= 195_000_000)
    #expect(clients.allSatisfy { $0.received == payload(50_000) })
  }
}
