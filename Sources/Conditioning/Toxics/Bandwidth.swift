/// Limits one link to a rate. A piece leaves when its last byte has been serialised; see `Serializer` for its size.
package struct Bandwidth: Toxic {
  package struct Parameters: Equatable, Sendable {
    /// 0 or less holds all data. An end with no data in front of it passes.
    package var bytesPerSecond: Int64

    package init(bytesPerSecond: Int64) {
      self.bytesPerSecond = bytesPerSecond
    }
  }

  private var serializer: Serializer
  private var queue = SegmentQueue()

  package init(_ parameters: Parameters, at now: Instant) {
    serializer = Serializer(bytesPerSecond: parameters.bytesPerSecond, at: now)
  }

  /// Progress stays made; what is left runs at the new rate at once.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    serializer.setRate(parameters.bytesPerSecond, at: now, backlog: queue.byteCount)
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    serializer.advance(to: now, backlog: queue.byteCount)
    queue.append(segment)
  }

  package mutating func poll(at now: Instant) -> Segment? {
    serializer.advance(to: now, backlog: queue.byteCount)
    guard case .bytes(let extent)? = queue.first else { return queue.popFirst() }
    let piece = serializer.piece(of: extent.count)
    return serializer.take(piece) ? queue.popFirst(atMost: piece) : nil
  }

  package var deadline: Instant? {
    switch queue.first {
    case nil: nil
    case .bytes(let extent): serializer.deadline(of: serializer.piece(of: extent.count))
    case .end, .close, .reset: .distantPast
    }
  }

  package var heldBytes: Int { queue.byteCount }
  package var standsStill: Bool { serializer.bytesPerSecond <= 0 }

  package func allowance(behind transit: Interval) -> Int {
    serializer.allowance(held: heldBytes, behind: transit)
  }

  package mutating func surrender() -> [Segment] {
    serializer.abandon(queue.byteCount, leaving: 0)
    return queue.takeAll()
  }
}
