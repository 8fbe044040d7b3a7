import Testing

@testable import headwind

struct UnitTextTests {
  @Test(
    arguments: [
      (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1 kB"), (1500, "1.5 kB"), (1_234_567, "1.234567 MB"),
      (2_000_000_000, "2 GB"), (-1500, "-1.5 kB"), (.max, "9223372.036854775807 TB"),
      (.min, "-9223372.036854775808 TB"),
    ] as [(Int64, String)])
  func bytesAreExact(count: Int64, text: String) {
    #expect(UnitText.bytes(count) == text)
  }

  @Test(
    arguments: [
      (0, "0 B"), (999, "999 B"), (1234, "1.23 kB"), (1235, "1.24 kB"), (99_999, "100 kB"), (999_500, "1 MB"),
      (51_234_567, "51.2 MB"), (-1234, "-1.23 kB"), (.max, "9220000 TB"),
    ] as [(Int64, String)])
  func countsHaveThreeDigits(count: Int64, text: String) {
    #expect(UnitText.roundedBytes(count) == text)
  }

  @Test(
    arguments: [
      (0, "0 ms", "0 µs", "0 kB/s"), (20, "20 ms", "20 µs", "20 kB/s"), (1000, "1 s", "1 ms", "1 MB/s"),
      (1250, "1.25 s", "1.25 ms", "1.25 MB/s"), (90_000, "90 s", "90 ms", "90 MB/s"),
      (2_000_001, "2000.001 s", "2.000001 s", "2.000001 GB/s"), (-5, "-5 ms", "-5 µs", "-5 kB/s"),
    ] as [(Int64, String, String, String)])
  func timesAndRatesAreExact(number: Int64, milliseconds: String, microseconds: String, rate: String) {
    #expect(UnitText.time(milliseconds: number) == milliseconds)
    #expect(UnitText.time(microseconds: number) == microseconds)
    #expect(UnitText.rate(kilobytesPerSecond: number) == rate)
  }

  @Test(
    arguments: [
      (0, "0 %"), (1, "100 %"), (0.1, "10 %"), (0.3, "30 %"), (0.005, "0.5 %"), (1.0 / 3, "33.33 %"), (80, "8000 %"),
      (-1, "-100 %"), (1e300, "1e+300"),
    ] as [(Double, String)])
  func sharesAreInPercent(share: Double, text: String) {
    #expect(UnitText.percent(share) == text)
  }
}
