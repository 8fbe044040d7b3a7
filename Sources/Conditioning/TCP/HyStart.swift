/// When slow start ends before anything is lost: HyStart (S. Ha, I. Rhee 2011) as Linux has it. Once in a round trip,
/// either a long train of acknowledgements or a growing delay says that the pipe is full.
struct HyStart {
  /// Below this window it says nothing.
  private static let leastWindow = 16
  private static let leastSamples: UInt8 = 8
  /// Acknowledgements closer than this belong to one train.
  private static let trainGap = Interval.milliseconds(2)

  private var roundBegan = Instant.distantPast
  private var roundEnd = SegmentMark(0)
  /// Since then, in microseconds.
  private var lastInTrain: Int32 = 0
  private var roundLeast = Int32.max
  private var samples: UInt8 = 0
  private var hasFound = false

  mutating func forget() { hasFound = false }

  /// Whether slow start is to end now. `least` is the shortest round trip so far.
  mutating func endsSlowStart(
    window: Int, roundTrip: Interval, least: Interval, oldest: Int64, next: Int64, at now: Instant
  ) -> Bool {
    if roundEnd.distance(to: oldest) > 0 { beginRound(next: next, at: now) }
    guard window >= Self.leastWindow, !hasFound else { return false }
    let train = isLongTrain(least: least, at: now)
    hasFound = isDelayed(roundTrip: roundTrip, least: least) || train
    return hasFound
  }

  private mutating func beginRound(next: Int64, at now: Instant) {
    roundEnd = SegmentMark(next)
    roundBegan = now
    lastInTrain = 0
    roundLeast = .max
    samples = 0
  }

  private mutating func isLongTrain(least: Interval, at now: Instant) -> Bool {
    let elapsed = now - roundBegan
    guard elapsed - .microseconds(Double(lastInTrain)) <= Self.trainGap else { return false }
    lastInTrain = Int32(clamping: elapsed.nanoseconds / 1_000)
    return elapsed.nanoseconds > least.nanoseconds / 2
  }

  private mutating func isDelayed(roundTrip: Interval, least: Interval) -> Bool {
    roundLeast = min(roundLeast, Int32(clamping: roundTrip.nanoseconds / 1_000))
    guard samples >= Self.leastSamples else {
      samples += 1
      return false
    }
    let leastMicroseconds = least.nanoseconds / 1_000
    return Int64(roundLeast) > leastMicroseconds + min(max(leastMicroseconds / 8, 4_000), 16_000)
  }
}
