import Conditioning
import Testing

@Suite struct InstantTests {
  @Test(arguments: [
    (Interval.milliseconds(1.5), Int64(1_500_000)),
    (.microseconds(0.0004), 0), (.microseconds(0.0006), 1), (.microseconds(-0.0006), -1),
    (.seconds(2), 2_000_000_000), (.seconds(1e300), .max), (.seconds(-1e300), .min),
    (.seconds(.infinity), .max), (.milliseconds(-.infinity), .min),
    (.nanoseconds(7), 7), (.seconds(9_223_372_036.854775), 9_223_372_036_854_774_784),
  ])
  func unitsRoundAndSaturate(interval: Interval, nanoseconds: Int64) {
    #expect(interval.nanoseconds == nanoseconds)
  }

  @Test func nanIsAProgrammersError() async {
    await #expect(processExitsWith: .failure) { _ = Interval.seconds(.nan) }
  }

  @Test func arithmeticSaturates() {
    let day = Interval.seconds(86_400)
    #expect(Instant.distantFuture + day == .distantFuture)
    #expect(Instant.distantPast + .nanoseconds(-1) == .distantPast)
    #expect(Instant.zero - .distantPast == Interval(nanoseconds: .max))
    #expect(Instant.distantPast - .distantFuture == Interval(nanoseconds: .min))
    #expect(Interval(nanoseconds: .min) - day == Interval(nanoseconds: .min))
    #expect(Interval(nanoseconds: .max) + day == Interval(nanoseconds: .max))
    #expect(Instant.zero + day - .zero == day)
    #expect(Instant.zero < .zero + day)
  }
}
