import Settings
import Testing

@testable import Conditioning
@testable import Proxying
@testable import Reactor

@Suite struct ConditionsTests {
  private let loop: EventLoop
  private let paths: SharedPaths

  init() throws {
    loop = try EventLoop()
    paths = SharedPaths(loop: loop, seed: 1) { _ in }
  }

  private func conditions(_ path: PathSpec? = nil, _ profileToxics: [ToxicSpec] = [], toxics: [ToxicSpec] = [])
    -> Conditions
  {
    let profile = path.map { Profile(name: "p", path: $0, toxics: profileToxics) }
    return Conditions(profile: profile, toxics: toxics, paths: paths)
  }

  private func names(_ plan: [StagePlan]) -> [String] { plan.map(\.name) }

  @Test func nothingAddsNothing() {
    let none = conditions()
    #expect(none.profile == nil)
    #expect(none.upstream.isEmpty && none.downstream.isEmpty && none.paths.isEmpty)
    #expect(!none.refuses)
    #expect(conditions(PathSpec()).upstream.isEmpty)
    #expect(conditions(PathSpec()).profile == "p")
  }

  @Test func theRateComesBeforeTheDelayAndTheProfileBeforeToxics() {
    let path = PathSpec(
      latencyMilliseconds: 100, jitterMilliseconds: 50, downstreamBytesPerSecond: 1000, upstreamBytesPerSecond: 500,
      model: .plain)
    let made = conditions(path, [.drop(0.5)], toxics: [.latency(5), .noop(.upstream)])
    #expect(names(made.upstream) == ["path/rate", "path/latency", "p/0/drop", "toxic:noop_upstream"])
    #expect(names(made.downstream) == ["path/rate", "path/latency", "p/0/drop", "toxic:latency_downstream"])
    #expect(made.paths.count == 2)
  }

  @Test func latencyAndJitterAreHalvedForEachDirection() {
    let made = conditions(PathSpec(latencyMilliseconds: 100, jitterMilliseconds: 50, model: .plain))
    let half = StageKind.latency(Latency.Parameters(latency: .milliseconds(50), jitter: .milliseconds(25)))
    #expect(made.upstream.map(\.kind) == [half])
    #expect(made.downstream.map(\.kind) == [half])
  }

  @Test func aRateOfOneDirectionLeavesTheOtherAlone() {
    let made = conditions(PathSpec(downstreamBytesPerSecond: 1000))
    #expect(made.upstream.isEmpty)
    #expect(names(made.downstream) == ["path/rate"])
    #expect(made.paths.first?.bytesPerSecond == 1000)
  }

  @Test func sessionsUnderOneProfileShareItsPath() throws {
    let spec = PathSpec(downstreamBytesPerSecond: 1000)
    let one = try #require(conditions(spec).paths.first)
    let two = try #require(conditions(spec).paths.first)
    #expect(one === two)
    _ = conditions(PathSpec(downstreamBytesPerSecond: 2000))
    #expect(one.bytesPerSecond == 2000, "a changed rate acts on the path that is in use")
    paths.keep(only: [])
    #expect(conditions(spec).paths.first !== one)
  }

  /// So that a switch changes stages in place, and what they hold follows the new numbers.
  @Test func aProfilesPathHasTheSameNamesWhateverItIsCalled() {
    let spec = PathSpec(latencyMilliseconds: 100, downstreamBytesPerSecond: 1000)
    let other = Conditions(profile: Profile(name: "q", path: spec), toxics: [], paths: paths)
    #expect(names(other.downstream) == names(conditions(spec).downstream))
  }

  @Test func aModelledPathIsOneForBothDirectionsAndAllProxies() throws {
    let spec = PathSpec(latencyMilliseconds: 100, downstreamBytesPerSecond: 1000)
    let made = conditions(spec, toxics: [.latency(5)])
    #expect(names(made.upstream) == ["path/tcp"] && names(made.downstream) == ["path/tcp", "toxic:latency_downstream"])
    #expect(made.upstream[0].kind == made.downstream[0].kind && made.isModelled && made.paths.count == 1)
    #expect(conditions(spec).upstream == made.upstream)
    guard case .tcp(let network) = made.upstream[0].kind else { return }
    var faster = spec
    faster.downstreamBytesPerSecond = 2000
    #expect(conditions(faster).upstream == made.upstream, "the same network, with new numbers")
    #expect(network.parameters.downstream.capacity == .rate(bytesPerSecond: 2000))
    faster.model = .plain
    #expect(names(conditions(faster).downstream) == ["path/rate", "path/latency"])
    #expect(conditions(spec).upstream != made.upstream, "the old network has gone")
  }

  @Test func aLookupAloneNeedsNoModel() {
    let made = conditions(PathSpec(dnsLatencyMilliseconds: 50))
    #expect(made.upstream.isEmpty && made.downstream.isEmpty && made.nameLookup == .milliseconds(50))
  }

  @Test func noTwoStagesShareAName() throws {
    // A toxic by hand that is called as the profile's stages are.
    let profile = Profile(name: "toxic", path: PathSpec(), toxics: [.noop()])
    let made = Conditions(
      profile: profile, toxics: [ToxicSpec(.noop, name: "0/noop", stream: nil)], paths: paths)
    #expect(Set(names(made.upstream)).count == 2)
  }

  @Test(
    arguments: [
      (.drop(1, how: .refuse), true), (.drop(1, how: .reset), false), (.drop(0.9, how: .refuse), false),
      (.drop(1, per: .exchange, how: .refuse), false), (.stall(), false), (.latency(1), false),
    ] as [(ToxicSpec, Bool)])
  func refusesWhenEveryConnectionIsRefused(_ toxic: ToxicSpec, _ expected: Bool) {
    #expect(conditions(PathSpec(), [toxic]).refuses == expected)
    #expect(!conditions(nil, toxics: [.latency(1)]).refuses)
  }

  @Test func refusingNeedsFullToxicity() {
    var toxic = ToxicSpec.drop(1, how: .refuse)
    toxic.toxicity = 0.5
    #expect(!conditions(PathSpec(), [toxic]).refuses)
  }

  @Test func eachToxicBecomesItsStage() {
    let extreme = ToxicSpec(.latency(milliseconds: .max, jitterMilliseconds: -5), stream: .upstream)
    let negative = ToxicSpec(.latency(milliseconds: .min, jitterMilliseconds: 2), stream: .upstream)
    let rows: [(ToxicSpec, StageKind)] = [
      (.latency(7), .latency(Latency.Parameters(latency: .milliseconds(7)))),
      (extreme, .latency(Latency.Parameters(latency: Interval(nanoseconds: .max)))),
      (negative, .latency(Latency.Parameters(latency: Interval(nanoseconds: .min), jitter: .milliseconds(2)))),
      (.bandwidth(3), .bandwidth(Bandwidth.Parameters(bytesPerSecond: 3000))),
      (.bandwidth(90_000_000_000_000_000), .bandwidth(Bandwidth.Parameters(bytesPerSecond: .max))),
      (.noop(), .noop), (.stall(), .stall(Stall.Parameters())),
      (.stall(20), .stall(Stall.Parameters(duration: .milliseconds(20)))),
      (.drop(0.25, per: .exchange, how: .hang), .drop(Drop.Parameters(probability: 0.25, per: .exchange, how: .hang))),
    ]
    for (toxic, expected) in rows { #expect(toxic.attributes.stageKind == expected, "\(toxic)") }
  }
}

extension SharedPath {
  /// Of a plain path's rate.
  fileprivate var bytesPerSecond: Int64? {
    if case .rate(let rate) = medium { rate.bytesPerSecond } else { nil }
  }
}
