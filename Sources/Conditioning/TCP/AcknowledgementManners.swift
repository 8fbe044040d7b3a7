/// When a receiver acknowledges, as Linux does (RFC 1122 §4.2.3.2, RFC 5681 §4.2): every second full segment, or after
/// 40 ms. At once while something is missing, sixteen times at first and after a pause, and a segment that isn't full; but
/// not in a conversation, where the answer that is about to be sent takes the acknowledgement along.
struct AcknowledgementManners {
  private static let delay = Interval.milliseconds(40)
  private static let quickAtFirst: UInt8 = 16

  /// When what has arrived is acknowledged at last; `distantFuture`: nothing waits for that.
  private(set) var due = Instant.distantFuture
  private var lastArrival = CoarseInstant()
  private var unacknowledgedBytes: UInt16 = 0
  private var quickOnes = quickAtFirst
  private(set) var owes = false
  private var isWaiting: Bool { due < .distantFuture }
  /// Data was sent soon after some had arrived: whoever sends answers.
  private var isConversation = false

  /// Something has come in order, and nothing is missing.
  mutating func arrived(bytes: Int, timeout: Interval, at now: Instant) {
    if lastArrival.isPast(timeout, at: now) { quickOnes = Self.quickAtFirst }
    lastArrival = CoarseInstant(now)
    unacknowledgedBytes = UInt16(min(Int(unacknowledgedBytes) + bytes, 2 * SegmentSize.payload))
    let isShort = bytes < SegmentSize.payload
    if unacknowledgedBytes > SegmentSize.payload || (!isConversation && (isShort || quickOnes > 0)) {
      owes = true
    } else if !isWaiting {
      due = KernelTimer.fires(after: Self.delay, at: now)
    }
  }

  /// A gap is there or was just filled, or something came twice.
  mutating func somethingIsMissing(at now: Instant) {
    lastArrival = CoarseInstant(now)
    isConversation = false
    owes = true
  }

  mutating func oweAtOnce() { owes = true }

  mutating func timerIsDue(at now: Instant) {
    guard due <= now else { return }
    due = .distantFuture
    owes = true
    // No answer came.
    isConversation = false
  }

  /// A packet leaves, and every packet acknowledges.
  mutating func left(withData: Bool, at now: Instant) {
    if (owes || isWaiting) && quickOnes > 0 { quickOnes -= 1 }
    if withData && !lastArrival.isPast(Self.delay, at: now) { isConversation = true }
    owes = false
    due = .distantFuture
    unacknowledgedBytes = 0
  }
}

/// A time in 32 bits, to two milliseconds; right for seven weeks.
struct CoarseInstant {
  /// 0: never; otherwise odd.
  private var ticks: UInt32 = 0

  init() {}

  init(_ instant: Instant) {
    ticks = UInt32(truncatingIfNeeded: instant.nanoseconds >> 20) | 1
  }

  /// Whether it is longer ago, or never was.
  func isPast(_ interval: Interval, at now: Instant) -> Bool {
    guard ticks != 0 else { return true }
    let elapsed = UInt32(truncatingIfNeeded: now.nanoseconds >> 20) | 1
    return Int64(elapsed &- ticks) > interval.nanoseconds >> 20
  }
}
