import LoopTesting
import Settings
import Testing

@testable import Conditioning
@testable import Proxying
@testable import Reactor

/// Timelines: when they begin, what is told of them, and that they need no traffic.
@Suite struct PathStepTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func train(isLooped: Bool = true, milliseconds: Double = 30) -> PathSpec {
    let base = PathSpec(
      latencyMilliseconds: 20, downstreamBytesPerSecond: 1_000_000, upstreamBytesPerSecond: 1_000_000)
    var tunnel = base
    tunnel.downstreamBytesPerSecond = 0
    let steps = [("open", base), ("tunnel", tunnel)].map { name, path in
      TimelineSpec.Step(name: name, durationMilliseconds: milliseconds, path: path)
    }
    var spec = base
    spec.timeline = TimelineSpec(steps: steps, isLooped: isLooped)
    return spec
  }

  private var told: [[JSON?]] {
    bench.events("path_step").map { event in [event.detail("name"), event.detail("index"), event.detail("round")] }
  }

  @Test func eachStepIsToldWithoutAnyProxy() throws {
    try bench.use(train())
    #expect(told == [["open", 0, 0]])
    try bench.loop.runUntil { told.count >= 5 }
    let expected: [[JSON?]] = [["open", 0, 0], ["tunnel", 1, 0], ["open", 0, 1], ["tunnel", 1, 1], ["open", 0, 2]]
    #expect(Array(told.prefix(5)) == expected)
    #expect(bench.events("path_step").allSatisfy { $0.proxy == nil && $0.detail("profile") == "under-test" })
    // None is told too early.
    let events = bench.events("path_step")
    for (before, event) in zip(events, events.dropFirst()) {
      let until = try #require(before.detail("until")?.stringValue)
      #expect(event.at.description >= until)
    }
  }

  @Test func theLastStepStays() throws {
    try bench.use(train(isLooped: false))
    try bench.loop.runUntil { told.count == 2 }
    bench.loop.run(forMilliseconds: 100)
    #expect(told == [["open", 0, 0], ["tunnel", 1, 0]])
    #expect(bench.events("path_step").last?.detail("until") == .null)
    let step = try #require(bench.registry.inForce(for: nil).step)
    #expect(step.name == "tunnel" && step.until == nil)
  }

  @Test func aTimelineBeginsWhenItsProfileComesIntoForce() throws {
    try bench.use(train(milliseconds: 60_000))
    let first = try #require(bench.registry.inForce(for: nil).step)
    #expect(first.index == 0 && first.name == "open" && first.round == 0)
    #expect(try #require(first.until).nanoseconds - first.since.nanoseconds == 60_000_000_000)
    bench.loop.run(forMilliseconds: 30)
    // One more proxy under it doesn't begin it anew, nor does another look.
    let proxy = try bench.create(upstream: "x:1", profile: "under-test")
    let shared = try #require(bench.registry.inForce(for: proxy).step)
    #expect(abs(shared.since.nanoseconds - first.since.nanoseconds) < 5_000_000)
    proxy.ownProfile.set(nil, cause: .cleared)
    bench.registry.profile.set(nil, cause: .cleared)
    #expect(bench.registry.inForce(for: nil).step == nil)
    bench.registry.profile.set(bench.registry.catalogue["under-test"], cause: .set)
    let again = try #require(bench.registry.inForce(for: nil).step)
    #expect(again.since.nanoseconds - first.since.nanoseconds >= 25_000_000)
    #expect(told.count == 2)
  }

  /// `GET /profile` says it, so the events do.
  @Test func theFirstStepOfANewTimelineIsTold() throws {
    try bench.use(train(milliseconds: 60_000))
    try bench.use(train(milliseconds: 50_000))
    #expect(told == [["open", 0, 0], ["open", 0, 0]])
    var other = train(milliseconds: 50_000)
    other.dnsLatencyMilliseconds = 5
    try bench.use(other)
    #expect(told.count == 2, "the timeline goes on")
    other.timeline = nil
    try bench.use(other)
    #expect(told.count == 2)
    try bench.use(train(milliseconds: 60_000))
    #expect(told == [["open", 0, 0], ["open", 0, 0], ["open", 0, 0]])
  }

  /// Though nobody had looked yet.
  @Test func whatWasDueBeforeAnUpdateIsToldAsItWas() throws {
    try bench.use(train(milliseconds: 30))
    let end = bench.loop.now + 40_000_000
    while bench.loop.now < end {}
    var renamed = train(milliseconds: 60_000)
    renamed.timeline?.steps[0].name = "fields"
    renamed.timeline?.steps[1].name = "gorge"
    try bench.registry.catalogue.define(Profile(name: "under-test", path: renamed))
    bench.registry.catalogueChanged()
    #expect(told.prefix(2) == [["open", 0, 0], ["tunnel", 1, 0]] && told.last == ["fields", 0, 0])
  }

  /// What packets needed is given back though the timeline goes on for ever.
  @Test func atRestMemoryIsGivenBack() throws {
    let upstream = try Upstream(bench.loop) { $0.send(payload(20_000)) }
    let proxy = try bench.create(upstream: upstream.address)
    var spec = train(milliseconds: 60_000)
    spec.latencyMilliseconds = 2
    spec.timeline?.steps[0].path.latencyMilliseconds = 2
    try bench.use(spec)
    let client = try bench.connect(proxy)
    try bench.loop.runUntil { client.received.count == 20_000 || client.isOver }
    #expect(client.received == payload(20_000))
    // Some 14 packets there and as many acknowledgements.
    try bench.loop.runUntil { bench.loop.memoryReturn?.freedBytes ?? 0 > 14 * 200 }
  }

  @Test func aProfileThatBecomesPlainHasNoStep() throws {
    try bench.use(train(milliseconds: 60_000))
    try bench.registry.catalogue.define(Profile(name: "under-test", path: PathSpec(latencyMilliseconds: 20)))
    bench.registry.catalogueChanged()
    #expect(told.count == 1 && bench.registry.inForce(for: nil).step == nil)
  }

  @Test func aProfileWithoutATimelineHasNoStep() throws {
    try bench.use(PathSpec(latencyMilliseconds: 20))
    #expect(bench.registry.inForce(for: nil).step == nil && told.isEmpty)
  }

  @Test func aPauseIsMadeUpFor() throws {
    let profile = Profile(name: "fast", path: train(milliseconds: 1))
    let network = SharedNetwork(profile, seed: 1, loop: bench.loop) { _ in }
    var steps: [PathStep] = []
    network.onStep = { steps.append($0) }
    network.begin()
    let end = bench.loop.now + 400_000_000
    while bench.loop.now < end {}
    bench.loop.run(forMilliseconds: 1)
    let last = try #require(steps.last)
    #expect(last.round >= 199 && steps.count >= 400)
    #expect(zip(steps, steps.dropFirst()).allSatisfy { ($0.round, $0.index) < ($1.round, $1.index) })
  }

  /// In the tunnel nothing arrives, behind it all does.
  @Test func whatAStepSaysIsDone() throws {
    var spec = train(isLooped: false, milliseconds: 150)
    spec.timeline?.steps.reverse()
    let upstream = try Upstream(bench.loop) { $0.send(payload(20_000)) }
    let proxy = try bench.create(upstream: upstream.address)
    try bench.use(spec)
    let client = try bench.connect(proxy)
    let time = try bench.milliseconds {
      try bench.loop.runUntil { client.received.count == 20_000 || client.isOver }
    }
    #expect(client.received == payload(20_000) && time >= 149, "\(time)")
  }
}
