/// Cuts data into small pieces and lets time pass after each.
///
/// A chunk that exceeds `averageSize` by more than `sizeVariation` is cut near its middle, up to `sizeVariation` to either
/// side, and both halves are treated alike: the average size is really the largest that a piece has without variation. So
/// a chunk is cut as it goes, never in advance: a buffer cut into single bytes would need a hundred times its memory.
package struct Slicer: Toxic {
  package struct Parameters: Equatable, Sendable {
    /// 0 or less: nothing is cut.
    package var averageSize: Int64
    /// Clamped into 0 … `averageSize`.
    package var sizeVariation: Int64
    /// After every piece, the last one too; negative values count as 0.
    package var delay: Interval

    package init(averageSize: Int64, sizeVariation: Int64, delay: Interval) {
      self.averageSize = averageSize
      self.sizeVariation = sizeVariation
      self.delay = delay
    }
  }

  /// What is held before the reader must stop. Stages behind this one hold it piece by piece, at some 50 bytes each.
  static let heldPiecesLimit: Int64 = 512
  static let heldBytesLimit = 256 * 1024
  /// Two packets: a reader doesn't read less than one while the link holds anything.
  static let heldBytesLeast = 2 * 1448

  private var parameters: Parameters
  private var generator: SeededGenerator
  private var queue = SegmentQueue()
  /// The front extent as it is cut so far: lengths, the next one last. Their sum is what is left of it.
  private var cuts: [Int] = []
  /// When the last piece left; the next one leaves no earlier than a delay after that.
  private var lastLeft = Instant.distantPast
  private var arrivals = Fifo<Instant>()

  package init(_ parameters: Parameters, generator: SeededGenerator) {
    self.parameters = parameters
    self.generator = generator
  }

  /// What is held is cut and delayed anew; the wait counts from when the last piece left.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    self.parameters = parameters
    cuts = []
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    queue.append(segment)
    arrivals.append(now)
  }

  package mutating func poll(at now: Instant) -> Segment? {
    guard let deadline, deadline <= now, let segment = queue.first else { return nil }
    guard case .bytes(let extent) = segment else {
      _ = arrivals.popFirst()
      return queue.popFirst()
    }
    // By the clock of the pieces and not of the caller: a late call must not add to the delays of all that follow.
    lastLeft = deadline
    let size = nextPiece(of: extent.count)
    if size == extent.count { _ = arrivals.popFirst() }
    return queue.popFirst(atMost: size)
  }

  package var deadline: Instant? {
    guard let arrival = arrivals.first else { return nil }
    return lastLeft == .distantPast ? arrival : max(arrival, lastLeft + max(.zero, parameters.delay))
  }

  package var heldBytes: Int { queue.byteCount }
  package var cutsWrites: Bool { true }

  package func allowance(behind transit: Interval) -> Int {
    let size = parameters.averageSize > 0 ? parameters.averageSize : Int64(Self.heldBytesLimit)
    let pieces = Int(clamping: bytes(Self.heldPiecesLimit, of: size))
    let held = max(Self.heldBytesLeast, min(Self.heldBytesLimit, pieces))
    // What leaves while `transit` passes must be under way.
    guard parameters.delay > .zero else { return transit > .zero && heldBytes < held ? .max : held - heldBytes }
    let passing = max(.zero, transit).nanoseconds / parameters.delay.nanoseconds
    return Int(clamping: bytes(passing, of: size)).addingSaturated(held) - heldBytes
  }

  package mutating func surrender() -> [Segment] {
    cuts = []
    arrivals = Fifo()
    return queue.takeAll()
  }

  private func bytes(_ pieces: Int64, of size: Int64) -> Int64 {
    let (bytes, overflow) = pieces.multipliedReportingOverflow(by: size)
    return overflow ? .max : bytes
  }

  /// Bytes of the next piece of an extent of which `count` are left.
  private mutating func nextPiece(of count: Int) -> Int {
    guard parameters.averageSize > 0 else { return count }
    let average = Int(clamping: parameters.averageSize)
    let variation = min(max(0, Int(clamping: parameters.sizeVariation)), average)
    var size = cuts.popLast() ?? count
    while size - average > variation {
      let shift = variation > 0 ? Int.random(in: -variation...variation, using: &generator) : 0
      let first = min(max(1, size / 2 + shift), size - 1)
      cuts.append(size - first)
      size = first
    }
    return size
  }
}
