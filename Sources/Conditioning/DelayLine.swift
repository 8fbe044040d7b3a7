/// A FIFO of segments with due times that never decrease, because a byte stream can't overtake itself.
struct DelayLine {
  struct Entry {
    let segment: Segment
    let arrival: Instant
    /// Where in the jitter's range the delay lies, -1 ... 1: kept, so that a new latency applies to what is held.
    let deviation: Double
    var due: Instant
  }

  private var entries = Fifo<Entry>()
  private var bytes: UInt32 = 0

  private(set) var byteCount: Int {
    get { Int(bytes) }
    set { bytes = UInt32(newValue) }
  }

  var count: Int { entries.count }
  var deadline: Instant? { entries.first?.due }

  /// Appends with the due time asked for, or that of the entry in front of it when that is later.
  mutating func append(_ segment: Segment, arrival: Instant, deviation: Double, due: Instant) {
    byteCount += segment.byteCount
    let earliest = entries.last?.due ?? arrival
    entries.append(Entry(segment: segment, arrival: arrival, deviation: deviation, due: max(due, earliest)))
  }

  mutating func popFirst(dueAt now: Instant) -> Segment? {
    guard let first = entries.first, first.due <= now else { return nil }
    _ = entries.popFirst()
    byteCount -= first.segment.byteCount
    return first.segment
  }

  /// Gives every entry a new due time, still in order.
  mutating func reschedule(_ dueTime: (Entry) -> Instant) {
    var earliest = Instant.distantPast
    for position in 0..<entries.count {
      earliest = max(earliest, dueTime(entries[position]))
      entries[position].due = earliest
    }
  }

  mutating func takeAll() -> [Segment] {
    byteCount = 0
    return entries.takeAll().map(\.segment)
  }
}
