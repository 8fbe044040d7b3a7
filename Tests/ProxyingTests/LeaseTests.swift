import Conditioning
import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// What leases do to proxies and their live sessions.
@Suite struct LeaseTests {
  private let bench: Bench
  private let upstream: Upstream

  init() throws {
    bench = try Bench()
    upstream = try Upstream.echo(bench.loop)
  }

  private func profile(_ name: String) throws -> Profile { try #require(bench.registry.catalogue[name]) }

  @discardableResult
  private func take(_ name: String, _ proxies: [String]? = nil, for length: Duration = .seconds(60)) throws -> Lease {
    let terms = LeaseTerms(profile: name, proxies: proxies, length: length, holder: "suite", reason: "test")
    return try bench.registry.take(terms, profile: profile(name))
  }

  /// Each `profile_switched` by a lease as "proxy: from→to".
  private func switches() -> [String] {
    bench.events("profile_switched").filter { $0.detail("cause") == "lease" }.map { event in
      let names = ["from", "to"].map { event.detail($0)?.stringValue ?? "-" }
      return "\(event.proxy ?? "*"): \(names.joined(separator: "→"))"
    }
  }

  @Test func itComesBeforeAllOtherProfiles() throws {
    let own = try bench.create("own", upstream: upstream.address, profile: "lte")
    let other = try bench.create("other", upstream: upstream.address)
    bench.registry.profile.set(try profile("edge"), cause: .set)
    let all = try take("3g")
    #expect(own.profileName == "3g" && other.profileName == "3g")
    let some = try take("none", ["own"])
    #expect(own.profileName == "none" && other.profileName == "3g")
    own.ownProfile.set(nil, cause: .cleared)
    bench.registry.profile.set(try profile("100-loss"), cause: .set)
    #expect(own.profileName == "none" && other.profileName == "3g", "what lies below")
    try bench.registry.releaseLease(all.id)
    #expect(own.profileName == "none" && other.profileName == "100-loss")
    try bench.registry.releaseLease(some.id)
    #expect(own.profileName == "100-loss")
    #expect(message { try bench.registry.releaseLease(some.id) } == "no lease has this id, or it has ended")
  }

  @Test func liveSessionsFollowAtOnceAndReturn() throws {
    let leased = try bench.openClient(try bench.create("leased", upstream: upstream.address))
    let other = try bench.openClient(try bench.create("other", upstream: upstream.address))
    func time(_ client: Peer) throws -> Int64 {
      let start = bench.loop.now
      #expect(try bench.isServed(client))
      return bench.loop.now - start
    }
    let lease = try take("edge", ["leased"])
    #expect(try time(leased) >= 300_000_000)
    #expect(try time(other) < 300_000_000)
    try bench.registry.releaseLease(lease.id)
    #expect(try time(leased) < 300_000_000)
  }

  @Test func itEndsByItself() throws {
    let proxy = try bench.create(upstream: upstream.address)
    try take("edge")
    try take("offline", ["web"], for: .milliseconds(5))
    let renewed = try take("3g", for: .milliseconds(1))
    _ = try bench.registry.renewLease(renewed.id, for: .seconds(3600))
    #expect(proxy.profileName == "3g")
    try bench.registry.releaseLease(renewed.id)
    try bench.loop.runUntil { proxy.profileName == "edge" }
    #expect(bench.registry.liveLeases.map(\.profile.name) == ["edge"])
    let ended = bench.events("lease_ended").map { $0.detail("cause") }
    #expect(ended == ["released", "expired"])
    _ = try bench.openClient(proxy)
  }

  @Test func aRenewalMayBringTheEndNearer() throws {
    let proxy = try bench.create(upstream: upstream.address)
    let lease = try take("edge", for: .seconds(3600))
    let renewed = try bench.registry.renewLease(lease.id, for: .milliseconds(1))
    #expect(renewed.expiresAt < lease.expiresAt)
    try bench.loop.runUntil(seconds: 10) { proxy.profileName == nil }
    #expect(bench.events("lease_renewed").map { $0.detail("expires_at")?.stringValue } == ["\(renewed.expiresAt)"])
  }

  @Test func proxiesThatComeLaterAreCovered() throws {
    try bench.create("a", upstream: upstream.address)
    try take("offline", ["a"])
    try bench.registry.delete("a")
    let again = try bench.create("a", upstream: upstream.address, profile: "lte")
    #expect(again.profileName == "offline")
    #expect(try bench.isRefused(again))
    try take("edge")
    #expect(try bench.create("b", upstream: upstream.address).profileName == "edge")
    #expect(bench.registry.leaseCount == 2)
  }

  @Test func newDefinitionsReachLeases() throws {
    try bench.registry.catalogue.define(Profile(name: "mine", path: PathSpec(latencyMilliseconds: 1)))
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.openClient(proxy)
    let lease = try take("mine", ["web"])
    try take("lte", ["web"], for: .milliseconds(1))
    try bench.registry.catalogue.define(Profile(name: "mine", path: PathSpec(latencyMilliseconds: 60)))
    bench.registry.catalogueChanged()
    try bench.loop.runUntil { proxy.profileName == "mine" }
    let start = bench.loop.now
    #expect(try bench.isServed(client))
    #expect(bench.loop.now - start >= 60_000_000)
    try bench.registry.catalogue.define(Profile(name: "mine"))
    bench.registry.catalogueChanged()
    #expect(bench.events("profile_switched").last?.detail("cause") == "reloaded")
    #expect(bench.events("profile_switched").last?.proxy == "web")
    _ = bench.registry.catalogue.remove("mine")
    bench.registry.catalogueChanged()
    #expect(try bench.registry.lease(lease.id).profile == Profile(name: "mine"), "it stays as it was")
  }

  @Test func onlyWhatIsInForceElsewhereIsTold() throws {
    try bench.create("own", upstream: upstream.address, profile: "lte")
    try bench.create("other", upstream: upstream.address)
    let all = try take("3g")
    let named = try take("edge", ["other"])
    let below = bench.events("profile_switched").count
    try take("edge", ["other"])
    #expect(bench.events("profile_switched").count == below, "the same profile")
    bench.registry.profile.set(try profile("flaky"), cause: .set)
    #expect(bench.events("profile_switched").last?.detail("below_lease") == .string(all.id))
    try bench.registry.releaseLease(named.id)
    try bench.registry.releaseLease(all.id)
    #expect(switches() == ["*: none→3g", "own: lte→3g", "other: 3g→edge", "*: 3g→flaky", "own: 3g→lte"])
    let started = try #require(bench.events("lease_started").first)
    #expect(
      started.details.map(\.0) == ["lease", "profile", "proxies", "by", "reason", "expires_at"]
        && started.detail("by") == "suite" && started.detail("reason") == "test" && started.detail("proxies") == .null)
    #expect(bench.log.all.contains { $0.contains("lease started") && $0.contains("by=suite") })
  }

  @Test func whatIsInForceIsShown() throws {
    let proxy = try bench.create(upstream: upstream.address, profile: "lte")
    let before = bench.registry.inForce(for: nil)
    #expect(before.profile == nil && before.lease == nil && before.revertsAt == nil)
    let lease = try take("3g")
    for place in [nil, proxy] {
      let now = bench.registry.inForce(for: place)
      #expect(now.profile?.name == "3g" && now.lease == lease && now.revertsAt == lease.expiresAt)
      #expect(now.since >= lease.createdAt)
    }
    try bench.registry.releaseLease(lease.id)
    let after = bench.registry.inForce(for: proxy)
    #expect(after.profile?.name == "lte" && after.lease == nil)
    #expect(after.since >= lease.createdAt, "it is in force again")
  }

  @Test func thereIsAMost() throws {
    for _ in 0..<1_000 { try take("3g", ["nobody"]) }
    #expect(
      message { try take("3g") } == "too many: 1001 leases; allowed: at most 1000 (--max-leases sets it)")
    #expect(bench.registry.leaseCount == 1_000)
    try bench.registry.releaseLease(try #require(bench.registry.liveLeases.last).id)
    try take("3g")
  }

  // MARK: Against an oracle

  /// Leases, both kinds of slot and the proxies themselves change at random: each proxy is under what it has to be.
  @Test(arguments: 0..<8)
  func everyProxyIsUnderWhatCounts(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    let names = ["a", "b", "c"]
    let profiles = ["3g", "lte", "edge", "offline", "none"]
    for name in names { try bench.create(name, upstream: upstream.address, enabled: false) }
    var live: [Lease] = []
    for step in 0..<150 {
      let name = names.randomElement(using: &dice) ?? "a"
      let chosen = try #require(profiles.randomElement(using: &dice))
      switch Int.random(in: 0..<8, using: &dice) {
      case 0...2:
        let some = names.filter { _ in Bool.random(using: &dice) }
        live.append(try take(chosen, some.isEmpty ? nil : some))
      case 3, 4:
        guard let index = live.indices.randomElement(using: &dice) else { continue }
        try bench.registry.releaseLease(live.remove(at: index).id)
      case 5: bench.registry.profile.set(step % 3 == 0 ? nil : try profile(chosen), cause: .set)
      case 6:
        try bench.registry.proxy(named: name).ownProfile.set(step % 2 == 0 ? nil : try profile(chosen), cause: .set)
      default:
        try bench.registry.delete(name)
        try bench.create(name, upstream: upstream.address, enabled: false)
      }
      for proxy in bench.registry.proxies {
        let lease = live.last { $0.proxies?.contains(proxy.name) ?? true }
        let expected = lease?.profile ?? proxy.ownProfile.current ?? bench.registry.profile.current
        #expect(proxy.profileName == expected?.name, "step \(step), \(proxy.name)")
      }
    }
  }
}
