/// Passes everything on at once.
package struct Noop: Toxic {
  private var queue = SegmentQueue()

  package init() {}

  package mutating func receive(_ segment: Segment, at now: Instant) {
    queue.append(segment)
  }

  package mutating func poll(at now: Instant) -> Segment? {
    queue.popFirst()
  }

  package var deadline: Instant? { queue.isEmpty ? nil : .distantPast }
  package var heldBytes: Int { queue.byteCount }

  package func allowance(behind transit: Interval) -> Int { .max }

  package mutating func surrender() -> [Segment] {
    queue.takeAll()
  }
}
