/// The estimate of the round trip and the retransmission time that follows from it: RFC 6298 in the form of Linux, where
/// the deviation counts at least 200 ms, rises at once and falls once a round trip.
///
/// Microseconds in 32 bits, which reach for half an hour: an idle session carries two of these.
struct RoundTripEstimator {
  static let initialTimeout = Interval.milliseconds(1_000)
  static let longestTimeout = Interval.milliseconds(120_000)
  private static let leastDeviation: Int32 = 200_000

  private var smoothed: Int32 = 0
  private var deviation: Int32 = 0
  /// The largest deviation in this round trip.
  private var peak: Int32 = 0
  /// Four deviations, smoothed: what the time-out adds.
  private var margin: Int32 = 0
  private var least = Int32.max
  private var timeoutMicroseconds = micros(initialTimeout)
  /// The segment whose acknowledgement ends this round trip.
  private var roundEnd = SegmentMark(0)

  var hasSample: Bool { smoothed > 0 }
  var smoothedTime: Interval { Interval(nanoseconds: Int64(smoothed) * 1_000) }
  /// The least round trip that was seen; for ever while there is none.
  var leastTime: Interval { least == .max ? Interval(nanoseconds: .max) : Interval(nanoseconds: Int64(least) * 1_000) }
  /// How long to wait for an acknowledgement before all is sent again.
  var timeout: Interval { Interval(nanoseconds: Int64(timeoutMicroseconds) * 1_000) }
  private var usualTimeout: Int32 { hasSample ? smoothed &+ margin : Self.micros(Self.initialTimeout) }

  /// - Parameters:
  ///   - oldest: the oldest segment that isn't acknowledged.
  ///   - next: the next one to be sent.
  mutating func take(_ sample: Interval, oldest: Int64, next: Int64) {
    let measured = max(1, Self.micros(sample))
    least = min(least, measured)
    if smoothed == 0 {
      smoothed = measured
      deviation = measured * 2
      peak = max(deviation, Self.leastDeviation)
      margin = peak
      roundEnd = SegmentMark(next)
    } else {
      smooth(measured)
      if roundEnd.distance(to: oldest) > 0 { endRound(next: next) }
    }
    timeoutMicroseconds = min(usualTimeout, Self.micros(Self.longestTimeout))
  }

  private mutating func smooth(_ measured: Int32) {
    let error = measured - smoothed
    smoothed += error / 8
    var change = abs(error) - deviation / 4
    // A round trip that gets shorter is no reason to wait longer.
    if error < 0 && change > 0 { change /= 8 }
    deviation += change
    if deviation > peak {
      peak = deviation
      margin = max(margin, peak)
    }
  }

  private mutating func endRound(next: Int64) {
    if peak < margin { margin -= (margin - peak) / 4 }
    peak = Self.leastDeviation
    roundEnd = SegmentMark(next)
  }

  /// The time-out has passed without an answer: the next one is twice as long.
  mutating func backOff() {
    timeoutMicroseconds = min(timeoutMicroseconds * 2, Self.micros(Self.longestTimeout))
  }

  mutating func takeBackOffBack() {
    timeoutMicroseconds = min(usualTimeout, Self.micros(Self.longestTimeout))
  }

  /// A quarter of what fits, so that sums of four can't overflow.
  private static func micros(_ interval: Interval) -> Int32 {
    Int32(max(0, min(interval.nanoseconds / 1_000, Int64(Int32.max / 4))))
  }
}
