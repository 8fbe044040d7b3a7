/// The packets of a queue by connection, for those that leave a channel in one instant. A switch of profiles moves all
/// connections of a path, one after the other: each takes its own, and the queue closes its gaps once, behind the last.
struct Departures {
  /// When they leave.
  let instant: Instant
  /// By the seat's number: its first packet's position in the queue; -1: it has none.
  private var first: [Int32] = []
  /// By position: that of the same seat's next packet; -1: it was the last.
  private var next: [Int32]
  /// By position.
  private var hasLeft: [Bool]
  private(set) var isAnyGone = false

  init(from queue: PacketQueue, at instant: Instant) {
    self.instant = instant
    next = Array(repeating: -1, count: queue.count)
    hasLeft = Array(repeating: false, count: queue.count)
    for position in (0..<queue.count).reversed() {
      let number = Int(queue[position].seat.number)
      guard number >= 0 else { continue }
      if number >= first.count { first += repeatElement(-1, count: number + 1 - first.count) }
      next[position] = first[number]
      first[number] = Int32(position)
    }
  }

  /// Whether what stands at that position stays.
  func stays(_ position: Int) -> Bool { !hasLeft[position] }

  /// That connection's packets in order. They stay in the queue, and are to be taken out of it with all others.
  mutating func take(_ seat: PathSeat, from queue: PacketQueue) -> [Packet] {
    guard first.indices.contains(Int(seat.number)) else { return [] }
    var packets: [Packet] = []
    var position = Int(first[Int(seat.number)])
    while position >= 0 {
      // Its predecessor on the seat may have left some.
      if !hasLeft[position], queue[position].seat == seat {
        packets.append(queue[position])
        hasLeft[position] = true
        isAnyGone = true
      }
      position = Int(next[position])
    }
    return packets
  }
}
