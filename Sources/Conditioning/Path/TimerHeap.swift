/// When which connection's timer is due. A connection has one entry, at its earliest time.
struct TimerHeap {
  private var entries: [(due: Instant, connection: TCPConnection)] = []

  var first: Instant? { entries.last?.due }

  mutating func insert(_ connection: TCPConnection, at due: Instant) {
    let index = entries.firstIndex { $0.due <= due } ?? entries.count
    entries.insert((due, connection), at: index)
  }

  mutating func popFirst(dueAt now: Instant) -> TCPConnection? {
    guard let first, first <= now else { return nil }
    return entries.removeLast().connection
  }
}
