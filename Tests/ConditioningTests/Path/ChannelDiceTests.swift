import Testing

@testable import Conditioning

/// Jitter and loss by their statistics. Seeds are fixed, so nothing here fails by chance.
@Suite struct ChannelDiceTests {
  /// For each packet of a sparse stream: its delay in ms, nil when it was lost.
  private func delays(_ parameters: ChannelParameters, count: Int) -> [Double?] {
    let bench = ChannelBench(parameters)
    var dice = SeededGenerator(seed: 7)
    return (0..<count).map { number in
      let sent = Instant.seconds(Double(number))
      let before = bench.arrived.count
      bench.send(1_500, at: sent, dice: &dice)
      bench.settle()
      return bench.arrived.count > before ? (bench.arrived[before].time - sent).milliseconds : nil
    }
  }

  private func moments(_ values: [Double]) -> (mean: Double, deviation: Double) {
    let mean = values.reduce(0, +) / Double(values.count)
    let square = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, (square / Double(values.count)).squareRoot())
  }

  @Test func uniformJitterHasItsHalfWidth() {
    let parameters = ChannelParameters(delay: .milliseconds(100), jitter: .milliseconds(25))
    let values = delays(parameters, count: 20_000).compactMap { $0 }
    let (mean, deviation) = moments(values)
    // 25/√3 = 14.43; a mean's own deviation is 0.1.
    #expect(values.count == 20_000 && abs(mean - 100) < 0.3 && abs(deviation - 14.43) < 0.15)
    #expect(values.allSatisfy { (75...125).contains($0) } && values.min() ?? 0 < 75.1 && values.max() ?? 0 > 124.9)
  }

  @Test func normalJitterHasItsDeviation() {
    let parameters = ChannelParameters(
      delay: .milliseconds(100), jitter: .milliseconds(8), jitterDistribution: .normal)
    let (mean, deviation) = moments(delays(parameters, count: 20_000).compactMap { $0 })
    #expect(abs(mean - 100) < 0.2 && abs(deviation - 8) < 0.12)
  }

  @Test func delaysBelowZeroAreZero() {
    let parameters = ChannelParameters(
      delay: .milliseconds(1), jitter: .milliseconds(8), jitterDistribution: .normal)
    let values = delays(parameters, count: 2_000).compactMap { $0 }
    // P(z < -1/8) = 0.45.
    let zeros = Double(values.count { $0 == 0 }) / 2_000
    #expect(values.allSatisfy { $0 >= 0 } && abs(zeros - 0.45) < 0.04)
  }

  /// In classes between these limits a normal deviate falls with these probabilities.
  @Test func normalDeviatesAreNormal() {
    var dice = SeededGenerator(seed: 3)
    let count = 200_000
    let values = (0..<count).map { _ in dice.normal() }
    let limits = [-3.0, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3]
    let half = [0.0013499, 0.0214002, 0.0440571, 0.0918481, 0.1498823, 0.1914625]
    let expected = half + half.reversed()
    var counts = Array(repeating: 0, count: expected.count)
    for value in values { counts[limits.firstIndex { value < $0 } ?? limits.count] += 1 }
    let chiSquare = zip(counts, expected).reduce(0) { sum, pair in
      let due = pair.1 * Double(count)
      return sum + (Double(pair.0) - due) * (Double(pair.0) - due) / due
    }
    // 99.9 % of samples with 11 degrees of freedom are below 31.3.
    #expect(chiSquare < 31.3)
    let fourth = values.reduce(0) { $0 + $1 * $1 * $1 * $1 } / Double(count)
    #expect(abs(fourth - 3) < 0.1)
  }

  @Test func randomLossIsIndependent() {
    let lost = delays(ChannelParameters(loss: .random(0.05)), count: 40_000).map { $0 == nil }
    let runs = runLengths(lost)
    #expect(abs(Double(lost.count { $0 }) / 40_000 - 0.05) < 0.004)
    // 1/(1 - 0.05)
    #expect(abs(Double(runs.reduce(0, +)) / Double(runs.count) - 1.053) < 0.03)
    #expect(delays(ChannelParameters(loss: .random(0)), count: 1_000).allSatisfy { $0 != nil })
    #expect(delays(ChannelParameters(loss: .random(1)), count: 1_000).allSatisfy { $0 == nil })
  }

  @Test func burstsHaveTheirLength() {
    let chain = GilbertElliott(loss: 0.02, meanBurstPackets: 5)
    let lost = delays(ChannelParameters(loss: .bursts(chain)), count: 200_000).map { $0 == nil }
    let runs = runLengths(lost)
    #expect(abs(Double(lost.count { $0 }) / 200_000 - 0.02) < 0.002)
    #expect(abs(Double(runs.reduce(0, +)) / Double(runs.count) - 5) < 0.3)
  }

  @Test func statesLoseByTheirShares() {
    let chain = GilbertElliott(goodToBad: 0.1, badToGood: 0.3, lossInBad: 0.5, lossInGood: 0.01)
    let lost = delays(ChannelParameters(loss: .bursts(chain)), count: 100_000).count { $0 == nil }
    // A quarter of the time in the bad state.
    #expect(abs(chain.meanLoss - 0.1325) < 1e-9)
    #expect(abs(Double(lost) / 100_000 - 0.1325) < 0.005)
  }

  /// A connection's luck is its own: others on the channel don't change which of its packets are lost.
  @Test func randomLossDoesNotDependOnNeighbours() {
    func lost(besides neighbours: Int) -> [Int] {
      let bench = ChannelBench(ChannelParameters(jitter: .milliseconds(1), loss: .random(0.2)))
      var (own, others) = (SeededGenerator(seed: 1), SeededGenerator(seed: 2))
      for number in 0..<300 {
        bench.send(1_000 + number, of: 1, at: .zero, dice: &own)
        for _ in 0..<neighbours { bench.send(500, of: 2, at: .zero, dice: &others) }
      }
      bench.settle()
      return bench.arrived.filter { $0.connection == 1 }.map(\.number)
    }
    #expect(lost(besides: 0) == lost(besides: 3) && lost(besides: 0).count < 300)
  }

  private func runLengths(_ values: [Bool]) -> [Int] {
    values.split(separator: false).map(\.count)
  }
}
