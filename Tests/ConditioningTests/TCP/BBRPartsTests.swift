import Testing

@testable import Conditioning

/// The parts of BBR, each by itself.
@Suite struct BBRPartsTests {
  /// Against all values of the window: never more than the largest, never less than the largest of its newest half.
  @Test(arguments: 1...20) func theWindowedMaximumStaysWithinItsWindow(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var most = BBR.WindowedMaximum()
    var values: [(round: Int, value: Double)] = []
    var round = 0
    for step in 0..<2_000 {
      round += Int(dice.unit() * 1.5)
      values.append((round, dice.unit() * (step < 1_000 ? 100 : 50)))
      most.take(values[step].value, round: round, window: 10)
      let window = values.filter { round - $0.round <= 10 }.map(\.value).max() ?? 0
      let newest = values.filter { round - $0.round <= 2 }.map(\.value).max() ?? 0
      #expect((newest...window).contains(most.value), "seed \(seed), step \(step)")
    }
  }

  @Test func aMaximumIsForgottenAfterItsWindow() {
    var most = BBR.WindowedMaximum()
    most.take(100, round: 1, window: 10)
    for round in 2...11 { most.take(10, round: round, window: 10) }
    #expect(most.value == 100)
    most.take(10, round: 12, window: 10)
    #expect(most.value == 10)
  }

  private func sample(_ delivered: Int64, after before: Int64, perSecond rate: Double) -> RateSample {
    RateSample(
      delivered: delivered, interval: .seconds(Double(delivered) / rate), deliveredBefore: before,
      isApplicationLimited: false)
  }

  @Test func threeRoundsWithoutAQuarterMoreFillThePipe() {
    var rate = BBR.DeliveryRate()
    var pipe = BBR.FullPipe()
    var delivered: Int64 = 0
    var reached: [Bool] = []
    for speed in [10.0, 20, 40, 49, 49, 49, 49] {
      rate.take(sample(10, after: delivered, perSecond: speed), leastRoundTrip: .zero, mayBeTooLow: false)
      delivered += 10
      pipe.look(rate, mayBeTooLow: false)
      reached.append(pipe.isReached)
    }
    #expect(reached == [false, false, false, false, false, true, true])
  }

  @Test func anApplicationThatSendsLittleSaysNothingOfThePath() {
    var rate = BBR.DeliveryRate()
    rate.take(sample(10, after: 0, perSecond: 100), leastRoundTrip: .zero, mayBeTooLow: false)
    for round in 1...30 {
      rate.take(sample(10, after: Int64(round) * 10, perSecond: 5), leastRoundTrip: .zero, mayBeTooLow: true)
    }
    #expect(rate.segmentsPerSecond == 100)
    // More than was thought is true, whatever it was that limited it.
    rate.take(sample(10, after: 310, perSecond: 200), leastRoundTrip: .zero, mayBeTooLow: true)
    #expect(rate.segmentsPerSecond == 200)
    // Less than a round trip: acknowledgements have come in a heap.
    rate.take(sample(10, after: 320, perSecond: 900), leastRoundTrip: .milliseconds(50), mayBeTooLow: false)
    #expect(rate.segmentsPerSecond == 200)
  }

  /// Sends as soon as it is let, for one second, at random moments late.
  private func send(at segmentsPerSecond: Double, lateness: Double) -> (pacer: BBR.Pacer, count: Int, longest: Int) {
    var pacer = BBR.Pacer()
    var dice = SeededGenerator(seed: 1)
    pacer.change(segmentsPerSecond: segmentsPerSecond, mayFall: true)
    for _ in 0..<10 { pacer.left(payloadBytes: SegmentSize.payload, at: .zero) }
    var now = Instant.zero
    var (count, longest) = (0, 0)
    while now < .zero + .seconds(1) {
      var burst = 0
      while pacer.mayLeave(at: now) {
        pacer.left(payloadBytes: SegmentSize.payload, at: now)
        burst += 1
      }
      count += burst
      longest = max(longest, burst)
      now = max(now, pacer.until) + .seconds(dice.unit() * lateness)
    }
    return (pacer, count, longest)
  }

  @Test(arguments: [50.0, 100, 1_000, 4_000, 80_000], [0.0, 0.000_2])
  func thePacerKeepsItsRateInSmallBursts(rate: Double, lateness: Double) {
    let (pacer, count, longest) = send(at: rate, lateness: lateness)
    // 1,500 bytes for each segment's 1,448, less 1 %.
    let expected = rate * 1_500 / 1_448 * 0.99
    #expect(abs(Double(count) - expected) <= expected * 0.01 + Double(pacer.burstSegments) + 1)
    #expect(longest == pacer.burstSegments)
    let most = max(2, Int(expected * 1_448 / 1_024) / 1_448)
    #expect(longest <= most && longest >= 1)
  }

  @Test func theFirstTenSegmentsLeaveAtOnce() {
    var pacer = BBR.Pacer()
    pacer.begin(window: 10, roundTrip: .milliseconds(100))
    for _ in 0..<10 {
      #expect(pacer.mayLeave(at: .zero))
      pacer.left(payloadBytes: SegmentSize.payload, at: .zero)
    }
    var more = 0
    while pacer.mayLeave(at: .zero) {
      pacer.left(payloadBytes: SegmentSize.payload, at: .zero)
      more += 1
    }
    #expect(more == pacer.burstSegments && pacer.until > .zero)
  }

  @Test func aCycleBeginsAnywhereButSlower() {
    var gains: [Double: Int] = [:]
    for luck in 0..<700 {
      var cycle = BBR.GainCycle()
      cycle.begin(luck: Int64(luck), at: .zero)
      gains[cycle.gain, default: 0] += 1
    }
    #expect(gains.keys.sorted() == [1, 1.25])
    #expect((60...140).contains(gains[1.25] ?? 0))
  }

  @Test func aCycleHasOneFasterAndOneSlowerPhase() {
    var cycle = BBR.GainCycle()
    cycle.begin(luck: 5, at: .zero)
    let gains = (0..<8).map { _ in
      cycle.advance(at: .zero)
      return cycle.gain
    }
    #expect(gains.reduce(0, +) == 8 && Set(gains) == [0.75, 1, 1.25])
    #expect((gains + gains).firstIndex(of: 1.25).map { (gains + gains)[$0 + 1] } == 0.75)
  }
}
