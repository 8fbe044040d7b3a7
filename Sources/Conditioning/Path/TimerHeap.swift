/// When which connection's timer is due: a binary heap with at most one entry a connection, which knows where in it each
/// connection stands. So an entry moves or goes in O(log n), and none is left behind by a connection that has gone.
struct TimerHeap {
  private struct Entry {
    var due: Instant
    var seat: PathSeat
  }

  private var entries: [Entry] = []
  /// By the seat's number: where its entry is; -1: it has none.
  private var positions: [Int32] = []

  /// `distantFuture`: no timer is set.
  var due: Instant { entries.first?.due ?? .distantFuture }

  var holdsNothing: Bool { entries.capacity == 0 && positions.capacity == 0 }

  func due(of seat: PathSeat) -> Instant? { position(of: seat).map { entries[$0].due } }

  /// The timer is due then, if it isn't earlier already.
  mutating func set(_ seat: PathSeat, at due: Instant) {
    if let position = position(of: seat) {
      guard due < entries[position].due else { return }
      entries[position].due = due
      rise(position)
    } else {
      let missing = Int(seat.number) + 1 - positions.count
      if missing > 0 { positions += repeatElement(-1, count: missing) }
      entries.append(Entry(due: due, seat: seat))
      rise(entries.count - 1)
    }
  }

  mutating func remove(_ seat: PathSeat) {
    guard let position = position(of: seat) else { return }
    positions[Int(seat.number)] = -1
    let last = entries.removeLast()
    if entries.isEmpty {
      self = TimerHeap()
    } else if position < entries.count {
      entries[position] = last
      sink(position)
      rise(position)
    }
  }

  mutating func popFirst(dueAt now: Instant) -> PathSeat? {
    guard let first = entries.first, first.due <= now else { return nil }
    remove(first.seat)
    return first.seat
  }

  private func position(of seat: PathSeat) -> Int? {
    guard positions.indices.contains(Int(seat.number)) else { return nil }
    let position = Int(positions[Int(seat.number)])
    return position < 0 ? nil : position
  }

  private mutating func rise(_ start: Int) {
    var position = start
    let entry = entries[start]
    while position > 0, entry.due < entries[(position - 1) / 2].due {
      place(entries[(position - 1) / 2], at: position)
      position = (position - 1) / 2
    }
    place(entry, at: position)
  }

  private mutating func sink(_ start: Int) {
    var position = start
    let entry = entries[start]
    while let child = earlierChild(of: position), entries[child].due < entry.due {
      place(entries[child], at: position)
      position = child
    }
    place(entry, at: position)
  }

  private func earlierChild(of position: Int) -> Int? {
    let left = 2 * position + 1
    guard left < entries.count else { return nil }
    return left + 1 < entries.count && entries[left + 1].due < entries[left].due ? left + 1 : left
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[Int(entry.seat.number)] = Int32(position)
  }
}
