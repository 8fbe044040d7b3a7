/// The way of a link: `upstream` is client → server, `downstream` is server → client.
package enum Direction: String, CaseIterable, Hashable, Sendable {
  case upstream, downstream
}

/// A range of offsets in the byte stream of one link. The core never sees the bytes themselves.
package struct Extent: Equatable, Sendable {
  /// Offset of the first byte, counted from the start of the stream.
  package var start: Int64
  /// Number of bytes, at least 1.
  package var count: Int
  /// Whether an exchange ("a request") begins with the first byte; told by `ExchangeTracker`.
  package var opensExchange: Bool

  package init(start: Int64, count: Int, opensExchange: Bool = false) {
    precondition(count > 0, "an extent holds at least one byte")
    self.start = start
    self.count = count
    self.opensExchange = opensExchange
  }

  /// Offset behind the last byte.
  package var end: Int64 { start + Int64(count) }

  /// Cuts off the first `bytes` (1 ..< count). The mark of an exchange stays on the byte that it belongs to.
  mutating func takeFirst(_ bytes: Int) -> Extent {
    precondition(bytes > 0 && bytes < count, "a cut leaves bytes on both sides")
    let first = Extent(start: start, count: bytes, opensExchange: opensExchange)
    self = Extent(start: start + Int64(bytes), count: count - bytes)
    return first
  }
}

/// What travels through a link. Ends and resets take the same way as data, so that no toxic can be overtaken by them.
package enum Segment: Equatable, Sendable {
  case bytes(Extent)
  /// The sender will send no more (FIN).
  case end
  /// A toxic closes the connection: both sides are to see an end, behind what came before it.
  case close
  /// The connection was torn down (RST).
  case reset

  /// Bytes of the stream that it carries; 0 for the rest.
  var byteCount: Int {
    if case .bytes(let extent) = self { extent.count } else { 0 }
  }
}
