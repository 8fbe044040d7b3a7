/// A first-in, first-out queue that holds no memory while it is empty: thousands of idle links cost nothing.
///
/// An array with a head index; what was taken is cut off when it outweighs the rest, so that both ends are O(1) amortised.
struct Fifo<Element> {
  private var storage: [Element] = []
  /// 32 bits, as all counts in what an idle session carries; memory runs out long before.
  private var taken: UInt32 = 0

  private var head: Int {
    get { Int(taken) }
    set { taken = UInt32(newValue) }
  }

  var isEmpty: Bool { head == storage.count }
  var count: Int { storage.count - head }

  var first: Element? { isEmpty ? nil : storage[head] }
  var last: Element? { storage.last }

  /// The element at `position`, counted from the front.
  subscript(position: Int) -> Element {
    get { storage[head + position] }
    set { storage[head + position] = newValue }
  }

  func contains(where isWanted: (Element) -> Bool) -> Bool { storage[head...].contains(where: isWanted) }

  mutating func append(_ element: Element) {
    storage.append(element)
  }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = storage[head]
    head += 1
    trim()
    return element
  }

  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    storage.removeFirst(head)
    head = 0
    storage.removeAll(where: isUnwanted)
    trim()
  }

  /// All elements in order; the queue is empty afterwards.
  mutating func takeAll() -> [Element] {
    let all = Array(storage[head...])
    self = Fifo()
    return all
  }

  private mutating func trim() {
    if isEmpty {
      self = Fifo()
    } else if head >= 32 && head * 2 >= storage.count {
      storage.removeFirst(head)
      head = 0
    }
  }
}

/// The queue of a toxic that hands extents on in pieces.
struct SegmentQueue {
  private var segments = Fifo<Segment>()
  private var bytes: UInt32 = 0

  /// Bytes of all extents in the queue; at most 4 GiB, beyond what a link may hold.
  private(set) var byteCount: Int {
    get { Int(bytes) }
    set { bytes = UInt32(newValue) }
  }

  var isEmpty: Bool { segments.isEmpty }
  var first: Segment? { segments.first }

  mutating func append(_ segment: Segment) {
    byteCount += segment.byteCount
    segments.append(segment)
  }

  mutating func popFirst() -> Segment? {
    guard let segment = segments.popFirst() else { return nil }
    byteCount -= segment.byteCount
    return segment
  }

  /// Takes up to `bytes` (at least 1) from the extent in front, never beyond its end.
  mutating func popFirst(atMost bytes: Int) -> Segment? {
    guard case .bytes(var extent)? = segments.first, bytes < extent.count else { return popFirst() }
    let piece = extent.takeFirst(bytes)
    segments[0] = .bytes(extent)
    byteCount -= bytes
    return .bytes(piece)
  }

  /// What is left, from `offset` held bytes on, of the extent that lies there; nil when fewer bytes are held.
  func extentRemainder(at offset: Int) -> Int? {
    var end = 0
    for position in 0..<segments.count {
      end += segments[position].byteCount
      if end > offset { return end - offset }
    }
    return nil
  }

  mutating func takeAll() -> [Segment] {
    byteCount = 0
    return segments.takeAll()
  }
}
