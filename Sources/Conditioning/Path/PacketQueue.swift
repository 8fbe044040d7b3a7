/// Packets in the order in which they arrive, and where the first is whose arrival can be seen.
struct PacketQueue {
  private var packets = Fifo<Packet>()
  /// That many in front can't be seen to arrive; the one behind them, if there is one, can.
  private var quietCount = 0
  /// That many in front were there when ``mark()`` was called.
  private var markedCount = 0

  var isEmpty: Bool { packets.isEmpty }
  var count: Int { packets.count }

  subscript(position: Int) -> Packet { packets[position] }

  /// When the first arrives; `distantFuture`: none does.
  var due: Instant { packets.first?.due ?? .distantFuture }

  /// When the first arrives whose arrival can be seen; `distantFuture`: none does.
  var visibleDue: Instant { quietCount < packets.count ? packets[quietCount].due : .distantFuture }

  /// Whether that is the first of all.
  var isVisibleNext: Bool { quietCount == 0 && !packets.isEmpty }

  /// Whether that one was there when ``mark()`` was called.
  var isVisibleMarked: Bool { quietCount < markedCount }

  mutating func mark() {
    markedCount = packets.count
  }

  mutating func append(_ packet: Packet) {
    packets.append(packet)
    findVisible()
  }

  mutating func popFirst() -> Packet? {
    guard let packet = packets.popFirst() else { return nil }
    markedCount = max(0, markedCount - 1)
    quietCount = max(0, quietCount - 1)
    findVisible()
    return packet
  }

  /// All packets in order; none is left.
  mutating func takeAll() -> [Packet] {
    let all = packets.takeAll()
    self = PacketQueue()
    return all
  }

  /// Takes out those at the positions that `isGone` names.
  mutating func removeAll(where isGone: (Int) -> Bool) {
    for (position, packet) in takeAll().enumerated() where !isGone(position) { append(packet) }
  }

  /// Adds packets by their times; those that are there go first where times are equal.
  mutating func merge(_ others: [Packet]) {
    guard !others.isEmpty else { return }
    var others = others[...]
    let marked = markedCount
    for packet in takeAll() {
      while let other = others.first, other.due < packet.due { append(others.removeFirst()) }
      append(packet)
    }
    for other in others { append(other) }
    markedCount = min(marked, packets.count)
  }

  /// Goes on from `quietCount`: each packet is looked at once in all.
  private mutating func findVisible() {
    while quietCount < packets.count, !packets[quietCount].isVisible { quietCount += 1 }
  }
}
