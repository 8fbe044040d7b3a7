extension BBR {
  /// Lets segments leave at a rate, in bursts of a millisecond's worth as Linux does.
  struct Pacer {
    /// A little below the estimate, so that a queue drains. Linux counts headers in the rate, but not in what it paces.
    private static let bytesPerSegment = 0.99 * 1500
    /// The first ones are not paced.
    private static let freeSegments = 10
    private static let burstsPerSecond = 1024.0
    private static let slow = 150_000.0

    /// Payload; 0: not known yet.
    private(set) var bytesPerSecond = 0.0
    private(set) var until = Instant.distantPast
    /// How late the burst was, which makes up for half of the next wait at most.
    private var lateness = Interval.zero
    /// When the burst at hand began, and what of it may still leave.
    private var burstBegan = Instant.distantPast
    private var burst: UInt8 = 0
    private var free = UInt8(freeSegments)

    var burstSegments: Int {
      let most = Int(bytesPerSecond / Self.burstsPerSecond) / SegmentSize.payload
      return min(127, max(most, bytesPerSecond < Self.slow ? 1 : 2))
    }

    mutating func begin(window: Int, roundTrip: Interval) {
      let rate = Double(window) / max(roundTrip.seconds, 1e-6) * BBR.startupGain
      bytesPerSecond = rate * Self.bytesPerSegment
    }

    mutating func change(segmentsPerSecond: Double, mayFall: Bool) {
      let rate = segmentsPerSecond * Self.bytesPerSegment
      if mayFall || rate > bytesPerSecond { bytesPerSecond = rate }
    }

    func mayLeave(at now: Instant) -> Bool {
      until <= now || (burst > 0 && burstBegan == now)
    }

    mutating func left(payloadBytes: Int, at now: Instant) {
      if burst == 0 || burstBegan != now {
        lateness = until == .distantPast ? .zero : max(.zero, now - until)
        until = max(until, now)
        burstBegan = now
        burst = UInt8(burstSegments)
      }
      burst -= 1
      guard free == 0 else {
        free -= 1
        burst = 0
        return
      }
      guard bytesPerSecond > 0 else { return }
      let length = Interval.seconds(Double(payloadBytes) / bytesPerSecond)
      let used = min(Interval(nanoseconds: length.nanoseconds / 2), lateness)
      lateness = lateness - used
      until = until + (length - used)
    }
  }
}
