/// Holds everything, in order, until its time is over or it is taken away.
package struct Stall: Toxic {
  package struct Parameters: Equatable, Sendable {
    /// Counted from the moment the stall came to the link; nil: until it is taken away.
    package var duration: Interval?

    package init(duration: Interval? = nil) {
      self.duration = duration
    }
  }

  /// Bytes held before the reader must stop, so that the sender feels the stall as a full window.
  static let heldBytesLimit = 256 * 1024

  private let beginning: Instant
  private var parameters: Parameters
  private var isOver = false
  private var queue = SegmentQueue()

  package init(_ parameters: Parameters, at now: Instant) {
    beginning = now
    self.parameters = parameters
  }

  /// The new duration counts from the old beginning; a stall that is over stays over.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    self.parameters = parameters
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    queue.append(segment)
  }

  package mutating func poll(at now: Instant) -> Segment? {
    if let lifting, lifting <= now { isOver = true }
    return isOver ? queue.popFirst() : nil
  }

  /// Set for an empty queue too: the end of the stall opens the allowance, so the reader has to be told.
  package var deadline: Instant? {
    if isOver { return queue.isEmpty ? nil : .distantPast }
    return lifting
  }

  package var heldBytes: Int { queue.byteCount }
  package var standsStill: Bool { !isOver }

  package func allowance(behind transit: Interval) -> Int {
    isOver ? .max : Self.heldBytesLimit - heldBytes
  }

  package mutating func surrender() -> [Segment] {
    queue.takeAll()
  }

  private var lifting: Instant? {
    parameters.duration.map { beginning + $0 }
  }
}
