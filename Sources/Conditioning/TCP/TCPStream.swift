/// What one side's application has written and the other's hasn't been handed yet.
struct TCPStream {
  private var queue = SegmentQueue()
  private var arrivedBytes: UInt32 = 0
  private var arrivedMarks: UInt8 = 0
  /// What was written last: bytes, an end, a close, a reset.
  private var rank: UInt8 = 0
  /// The link has left.
  private(set) var hasGone = false

  var heldBytes: Int { queue.byteCount }

  var isPollable: Bool {
    switch queue.first {
    case nil: false
    case .bytes: arrivedBytes > 0
    case .end, .close, .reset: arrivedMarks > 0
    }
  }

  /// Once the link has left nothing is held up.
  mutating func passOn(_ segment: Segment) {
    queue.append(segment)
    arrivedBytes += UInt32(segment.byteCount)
    if segment.byteCount == 0 { arrivedMarks += 1 }
  }

  /// False: nothing can come any more behind what was written before.
  mutating func write(_ segment: Segment) -> Bool {
    let rank: UInt8 =
      switch segment {
      case .bytes: 0
      case .end: 1
      case .close: 2
      case .reset: 3
      }
    guard rank > self.rank || (rank == 0 && self.rank == 0) else { return false }
    self.rank = rank
    queue.append(segment)
    return true
  }

  mutating func arrive(_ arrival: TCPReceiver.Arrival) {
    arrivedBytes += UInt32(arrival.bytes)
    arrivedMarks += UInt8(arrival.marks)
  }

  mutating func takeArrived() -> Segment? {
    guard isPollable, let segment = queue.popFirst(atMost: max(1, Int(arrivedBytes))) else { return nil }
    arrivedBytes -= UInt32(segment.byteCount)
    if segment.byteCount == 0 { arrivedMarks -= 1 }
    return segment
  }

  mutating func surrender() -> [Segment] {
    hasGone = true
    (arrivedBytes, arrivedMarks) = (0, 0)
    return queue.takeAll()
  }
}
