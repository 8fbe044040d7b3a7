import Conditioning
import Settings
import Testing

@testable import headwind

/// When a measurement has passed, and when it hasn't.
struct SelfTestRowTests {
  private func row(_ figure: Figure, _ runs: [Double], measured: Double?, formula: Double? = nil) -> SelfTestRow {
    var row = SelfTestRow.byModel(figure, size: 1, runs: runs, formula: formula.map { ($0, "a formula") })
    row.measured = measured
    return row
  }

  /// What the model had alike each time, what was measured, and whether that passes.
  private static let verdicts: [(Figure, model: Double, measured: Double, passes: Bool)] = [
    (.downstreamRate, 6_000_000, 6_000_000, true), (.downstreamRate, 6_000_000, 5_890_000, true),
    (.downstreamRate, 6_000_000, 5_870_000, false), (.downstreamRate, 6_000_000, 6_130_000, false),
    // Half of what was promised: what a second rate limit in the way would do.
    (.downstreamRate, 6_000_000, 3_000_000, false), (.upstreamRate, 6_000_000, 3_000_000, false),
    (.roundTrip, 50, 51.9, true), (.roundTrip, 50, 52.1, false), (.roundTrip, 50, 47.9, false),
    // A handshake that is missing.
    (.firstByte, 100, 50, false), (.transfer, 251, 200, false), (.transfer, 251, 256, true),
    (.spread, 0, 0.9, true), (.spread, 0, 1.1, false),
    (.fairness, 1, 0.99, true), (.fairness, 1, 0.9, false), (.sharedRate, 6_000_000, 24_000_000, false),
  ]

  @Test(arguments: verdicts)
  func withoutChanceOnlyTheMachineMayBeOff(figure: Figure, model: Double, measured: Double, passes: Bool) {
    #expect(row(figure, [model], measured: measured).passed == passes)
    #expect(row(figure, [model, model, model], measured: measured, formula: model).passed == passes)
  }

  @Test func whatTheModelHadMayBe() {
    let runs = [100.0, 101, 99, 100, 100, 400]
    #expect(row(.transfer, runs, measured: 400).passed)
    #expect(row(.transfer, runs, measured: 400).promised == 100)
    let narrow = [98.0, 99, 100, 101, 102]
    // 3.5 of its deviations, which are 1.36; and 1 ms + 2 %.
    #expect(row(.transfer, narrow, measured: 107.8).passed)
    #expect(!row(.transfer, narrow, measured: 108).passed)
    #expect(row(.transfer, narrow, measured: 92.4).passed)
    #expect(!row(.transfer, narrow, measured: 92).passed)
  }

  @Test func aFormulaIsWhatIsPromised() {
    let found = row(.roundTrip, [107, 108], measured: 100, formula: 101)
    #expect(found.promised == 101 && found.passed && found.source == .formula("a formula"))
    // Its own model may not be better than it is.
    #expect(row(.roundTrip, [101], measured: 109, formula: 101).passed == false)
  }

  @Test func nothingMeasuredIsNotPassed() {
    #expect(!row(.transfer, [100], measured: nil).passed)
    #expect(!row(.transfer, [], measured: 0).passed)
    var late = row(.transfer, [100], measured: 100)
    late.problem = "not over after 5 s"
    #expect(!late.passed)
  }

  @Test func aShareIsNeverAboveAll() {
    #expect(row(.fairness, [0.7, 1], measured: nil).allowed.upperBound == 1)
    #expect(row(.roundTrip, [0, 100], measured: nil).allowed.lowerBound == 0)
  }

  // MARK: Failures

  private func promise(_ attributes: ToxicAttributes..., stream: Settings.Stream? = nil) -> FailurePromise {
    FailurePromise(
      Profile(name: "x", toxics: attributes.map { ToxicSpec($0, stream: stream) }))
  }

  @Test func toxicsSayHowOftenRequestsFailAndHow() {
    let flaky = promise(.drop(DropSpec(probability: 0.3, per: .exchange, how: .reset)))
    #expect((flaky.share * 1000).rounded() == 300 && flaky.kinds == [.reset] && flaky.untested.isEmpty)
    let offline = promise(.drop(DropSpec(probability: 1, how: .refuse)))
    #expect(offline.share == 1 && offline.kinds == [.refused])
    let two = promise(
      .drop(DropSpec(probability: 0.5, how: .hang)), .drop(DropSpec(probability: 0.5, how: .close)), .noop)
    #expect(two.share == 0.75 && two.kinds == [.timeout, .closed] && two.untested == ["noop"])
    #expect(promise(.drop(DropSpec(probability: 1, per: .exchange)), stream: .downstream).share == 0)
  }

  @Test func aShareHasTheLuckOfItsTrials() {
    var row = promise(.drop(DropSpec(probability: 0.3, per: .exchange))).row(trials: 200)
    for (measured, passes) in [(0.3, true), (0.21, true), (0.4, true), (0.15, false), (0.45, false), (0, false)] {
      row.measured = measured
      #expect(row.passed == passes, "\(measured)")
    }
    row = promise(.drop(DropSpec(probability: 1))).row(trials: 10)
    row.measured = 0.9
    #expect(!row.passed)
  }

  @Test func failingInAnotherWayIsNotAsPromised() {
    let attempts = Attempts(1, patience: .seconds(1))
    let promised = promise(.drop(DropSpec(probability: 1, how: .hang)))
    var task = SelfTestTask(
      title: "", work: .attempts(1, patience: .seconds(1)), profile: Profile(name: "x"), expected: .zero, limit: .zero,
      rows: [promised.row(trials: 1)])
    attempts.begin(on: NoNetwork())
    attempts.failed(1, .reset)
    task.take(attempts, isWhole: true)
    #expect(task.rows[0].measured == 1 && !task.rows[0].passed && task.rows[0].problem == "failed by reset")
  }

  @Test(arguments: [
    // Of 10 fair coins none is heads in 1 of 1,024.
    (10, 0.5, 0.0009, 0...10), (10, 0.5, 0.001, 1...9), (100, 0.5, 0.025, 40...60), (3, 0.1, 0.0009, 0...3),
    (5, 0, 0.1, 0...0), (5, 1, 0.1, 5...5),
  ])
  func binomialRangesLeaveOutTheirTails(trials: Int, probability: Double, tail: Double, range: ClosedRange<Int>) {
    #expect(Binomial.range(trials: trials, probability: probability, tail: tail) == range)
  }
}

/// Takes everything and gives nothing.
private final class NoNetwork: TestNetwork {
  private var opened = 0
  var now: Instant { .zero }
  func open() -> Int {
    opened += 1
    return opened
  }
  func send(_ bytes: Int, _ direction: Direction, on connection: Int) {}
  func close(_ connection: Int) {}
  func wake(after interval: Interval) {}
}
