import Conditioning
import Testing

@Suite struct SeededGeneratorTests {
  @Test func sequenceIsFixedForAllTime() {
    var generator = SeededGenerator(seed: 0)
    let words = (0..<3).map { _ in generator.next() }
    #expect(words == Self.expected)
  }

  /// The first words of SplitMix64 from 0, as its published reference code prints them.
  private static let expected: [UInt64] = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]

  @Test func keysAreStableAndTellPartsApart() {
    let keys: [SeededGenerator] = [
      SeededGenerator(seed: 1, "web", 7, "latency"), SeededGenerator(seed: 2, "web", 7, "latency"),
      SeededGenerator(seed: 1, "web", 8, "latency"), SeededGenerator(seed: 1, "we", 7, "blatency"),
      SeededGenerator(seed: 1, "web7", "latency"), SeededGenerator(seed: 1, "web", "7", "latency"),
      SeededGenerator(seed: 1, "web", -7, "latency"), SeededGenerator(seed: 1),
    ]
    let firsts = keys.map { generator in
      var copy = generator
      return copy.next()
    }
    #expect(Set(firsts).count == keys.count)
    var again = SeededGenerator(seed: 1, "web", 7, "latency")
    #expect(again.next() == firsts[0])
  }

  @Test func unitAndSymmetricAreUniform() {
    var generator = SeededGenerator(seed: 42)
    let draws = 100_000
    let units = (0..<draws).map { _ in generator.unit() }
    let deviations = (0..<draws).map { _ in generator.symmetric() }
    #expect(units.allSatisfy { (0..<1).contains($0) })
    #expect(deviations.allSatisfy { (-1...1).contains($0) })
    // Five standard errors of the mean of a uniform law.
    #expect(abs(units.reduce(0, +) / Double(draws) - 0.5) < 0.0046)
    #expect(abs(deviations.reduce(0, +) / Double(draws)) < 0.0092)
    for tenth in 0..<10 {
      let share = units.count { Int($0 * 10) == tenth }
      #expect((9_500...10_500).contains(share))
    }
  }

  @Test func neighbouringSessionsDrawIndependently() {
    let firsts = (0..<10_000).map { session in
      var generator = SeededGenerator(seed: 9, "web", session, "upstream", "drop")
      return generator.unit()
    }
    #expect(abs(Double(firsts.count { $0 < 0.3 }) / 10_000 - 0.3) < 0.023)
    let products = zip(firsts, firsts.dropFirst()).map { ($0 - 0.5) * ($1 - 0.5) }
    // The correlation of neighbours, five standard errors of 1/144 · 10⁻².
    #expect(abs(products.reduce(0, +) / Double(products.count)) < 0.0042)
  }
}
