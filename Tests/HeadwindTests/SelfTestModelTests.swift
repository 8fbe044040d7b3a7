import Conditioning
import Settings
import Testing

@testable import headwind

/// The model in virtual time against what arithmetic says about a plain path, and what is planned for which profile.
struct SelfTestModelTests {
  private static let slow = PathSpec(
    latencyMilliseconds: 100, downstreamBytesPerSecond: 200_000, upstreamBytesPerSecond: 100_000, model: .plain)

  private func figures(_ path: PathSpec, _ spec: WorkloadSpec, seed: UInt64 = 1) throws -> [Figure: Double] {
    try #require(PathPromise(path: path, seed: seed, stepsMax: 1).run(spec)).workload.figures
  }

  @Test func aRoundTripIsTheLatencyAndThePackets() throws {
    let found = try figures(Self.slow, .pings(5))
    #expect(found[.spread] == 0)
    // 100 bytes at either rate.
    #expect(try (#require(found[.roundTrip]) - 101.5).magnitude < 0.001)
    let formula = PathPromise(path: Self.slow, seed: 1, stepsMax: 1).formula(.roundTrip)
    #expect(try (#require(formula).value - 101.5).magnitude < 0.001)
  }

  @Test func aTransferIsTheLatencyAndTheBytes() throws {
    let found = try figures(Self.slow, .fetches(1, bytes: 100_000))
    #expect(try (#require(found[.transfer]) - 602).magnitude < 0.001)
  }

  @Test(arguments: [Direction.downstream, .upstream])
  func aRateIsTheRate(direction: Direction) throws {
    let found = try figures(Self.slow, .bulk(direction, from: .seconds(1), for: .seconds(5)))
    let rate = try #require(found[direction == .downstream ? .downstreamRate : .upstreamRate])
    #expect((rate / (direction == .downstream ? 200_000 : 100_000) - 1).magnitude < 0.01)
  }

  @Test func fourShareIt() throws {
    let found = try figures(Self.slow, .joint(4, bytes: 100_000))
    // After the latency and the requests, of which the server sees the first after 2 ms.
    #expect(try (#require(found[.sharedRate]) - 400_000 / 2.102).magnitude < 1_000)
    #expect(try #require(found[.fairness]) > 0.99)
  }

  @Test func jitterSpreadsRoundTripsAsTheFormulaSays() throws {
    let path = PathSpec(latencyMilliseconds: 100, jitterMilliseconds: 50, model: .plain)
    let promise = PathPromise(path: path, seed: 7, stepsMax: 20_000)
    #expect(promise.hasChance)
    let spread = try #require(promise.formula(.spread)).value
    #expect((spread - 27.64).magnitude < 0.01)
    let found = try figures(path, .pings(3_000), seed: 3)
    #expect(try (#require(found[.spread]) / spread - 1).magnitude < 0.05)
    #expect(try (#require(found[.roundTrip]) - 100).magnitude < 2.5)
  }

  @Test func theSameSeedIsTheSameLuck() throws {
    let path = PathSpec(latencyMilliseconds: 100, jitterMilliseconds: 50, model: .plain)
    #expect(try figures(path, .pings(10), seed: 5) == figures(path, .pings(10), seed: 5))
    #expect(try figures(path, .pings(10), seed: 5) != figures(path, .pings(10), seed: 6))
  }

  // MARK: TCP

  private static let links: [(path: PathSpec, milliseconds: Double)] = [
    (PathSpec(latencyMilliseconds: 50, downstreamBytesPerSecond: 6_250_000, upstreamBytesPerSecond: 6_250_000), 251),
    (
      PathSpec(
        latencyMilliseconds: 100, jitterMilliseconds: 50, downstreamBytesPerSecond: 200_000,
        upstreamBytesPerSecond: 200_000), 792
    ),
  ]

  /// What real TCP takes over such links, by linklab: 100 KiB on a new connection, and 6 % for jitter and chance.
  @Test(arguments: links)
  func aTransferTakesWhatRealTCPTakes(path: PathSpec, milliseconds: Double) throws {
    let promise = PathPromise(path: path, seed: 1, stepsMax: 10_000)
    let found = promise.runs(.fetches(1, bytes: 102_400)).compactMap { $0.workload.figures[.transfer] }
    #expect(try (#require(found.median) / milliseconds - 1).magnitude < 0.06)
  }

  /// Once a connection is open, a ping is its latency and two packets, and jitter spreads it by the formula.
  @Test func roundTripsAreAsTheFormulasSay() throws {
    let path = PathSpec(
      latencyMilliseconds: 100, jitterMilliseconds: 50, downstreamBytesPerSecond: 200_000,
      upstreamBytesPerSecond: 200_000)
    let promise = PathPromise(path: path, seed: 7, stepsMax: 1)
    let found = try #require(promise.run(.pings(2_000, openingBytes: Pings.openingBytes))).workload.figures
    #expect(try (#require(found[.roundTrip]) - #require(promise.formula(.roundTrip)).value).magnitude < 2.5)
    #expect(try (#require(found[.spread]) / #require(promise.formula(.spread)).value - 1).magnitude < 0.05)
  }

  @Test func aNewConnectionsFirstByteTakesTwoRoundTrips() throws {
    let path = PathSpec(latencyMilliseconds: 50, downstreamBytesPerSecond: 6_250_000, upstreamBytesPerSecond: 125_000)
    let promise = PathPromise(path: path, seed: 1, stepsMax: 1)
    let formula = try #require(promise.formula(.firstByte)).value
    #expect((formula - 100 - (60 + 252) / 125.0 - (60 + 52 + 1500) / 6250.0).magnitude < 0.001)
    let found = try #require(promise.run(.fetches(1, bytes: 10_240))).workload.figures[.firstByte]
    #expect(try (#require(found) - formula).magnitude < 0.01, "\(found ?? 0), \(formula)")
  }

  @Test(arguments: [Direction.downstream, .upstream])
  func aFullLinkCarriesItsRateLessHeaders(direction: Direction) throws {
    let path = PathSpec(latencyMilliseconds: 100, downstreamBytesPerSecond: 200_000, upstreamBytesPerSecond: 100_000)
    let spec = WorkloadSpec.bulk(direction, from: .seconds(2), for: .seconds(10))
    let promise = PathPromise(path: path, seed: 1, stepsMax: 1)
    let figure = direction == .downstream ? Figure.downstreamRate : .upstreamRate
    let found = try #require(promise.run(spec)).workload.figures[figure]
    #expect(try (#require(found) / #require(promise.formula(figure)).value - 1).magnitude < 0.005)
  }

  @Test func lossIsChanceAndNoFormulaSpeaksOfIt() {
    let path = PathSpec(
      latencyMilliseconds: 50, downstreamBytesPerSecond: 6_250_000, upstreamBytesPerSecond: 6_250_000,
      downstreamLoss: .share(0.01))
    let promise = PathPromise(path: path, seed: 1, stepsMax: 1)
    #expect(promise.hasChance && Figure.allCases.allSatisfy { promise.formula($0) == nil })
    #expect(promise.runs(.fetches(1, bytes: 102_400)).count == PathPromise.runsMin)
  }

  // MARK: Plans

  private func sections(_ profile: Profile) -> [SelfTestSection] {
    SelfTestPlanner(profile: profile, seconds: 5, seed: 1, stepsMax: 10_000).sections()
  }

  private func figures(_ profile: Profile) -> [[Figure]] { sections(profile).map { $0.rows.map(\.figure) } }

  @Test func aPathHasAllThatItCanKeep() {
    #expect(
      figures(Profile(name: "x", path: Self.slow)) == [
        [.roundTrip, .spread, .firstByte, .transfer, .downstreamRate, .upstreamRate, .sharedRate, .fairness]
      ])
    // Where nothing limits a rate there is none to be kept.
    #expect(figures(Profile(name: "none")) == [[.roundTrip, .spread, .firstByte, .transfer]])
  }

  @Test func dropsAreTestedApart() {
    let drop = ToxicSpec(.drop(DropSpec(probability: 0.3)), stream: nil)
    #expect(figures(Profile(name: "x", toxics: [drop])) == [[.failures]])
    let both = sections(Profile(name: "x", path: Self.slow, toxics: [drop]))
    #expect(both.count == 1 && both[0].rows.last?.figure == .failures && both[0].rows.count == 9)
    // The path is measured without the toxic.
    #expect(both[0].tasks.dropLast().allSatisfy { $0.profile.toxics.isEmpty })
    #expect(both[0].tasks.last?.profile.toxics == [drop])
    let certain = ToxicSpec(.drop(DropSpec(probability: 1)), stream: nil)
    #expect(figures(Profile(name: "x", path: Self.slow, toxics: [certain])) == [[.failures]])
  }

  @Test func aPathThatStandsStillIsSilent() {
    let path = PathSpec(downstreamBytesPerSecond: 0, upstreamBytesPerSecond: 0, model: .plain)
    #expect(figures(Profile(name: "x", path: path)) == [[.silence]])
  }

  @Test func eachStepOfATimelineIsTestedOnce() {
    func step(_ name: String, _ path: PathSpec) -> TimelineSpec.Step {
      TimelineSpec.Step(name: name, durationMilliseconds: 1000, path: path)
    }
    let still = PathSpec(downstreamBytesPerSecond: 0, upstreamBytesPerSecond: 0, model: .plain)
    var path = Self.slow
    path.timeline = TimelineSpec(
      steps: [step("city", Self.slow), step("tunnel", still), step("town", Self.slow)], isLooped: true)
    let found = sections(Profile(name: "train", path: path))
    #expect(found.map(\.name) == ["train/city", "train/tunnel"])
    #expect(found[1].rows.map(\.figure) == [.silence])
  }

  @Test func aSlowPathHasSmallerTransfers() {
    let path = PathSpec(downstreamBytesPerSecond: 1_000, upstreamBytesPerSecond: 1_000, model: .plain)
    let sizes = sections(Profile(name: "x", path: path))[0].rows.filter { $0.figure == .transfer }.map(\.size)
    #expect(sizes == [1_024])
  }
}
