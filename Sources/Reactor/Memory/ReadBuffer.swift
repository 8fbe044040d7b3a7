/// The loop's one buffer that every socket is read into. Its content is good until the next read of any socket.
///
/// Safe to use: every access checks its bounds.
package final class ReadBuffer {
  /// 256 KiB: as much as a busy connection's receive buffer gives at once, and it stays in the processor's cache.
  package static let capacity = 262_144

  let bytes: UnsafeMutableRawBufferPointer

  init() {
    bytes = .allocate(byteCount: ReadBuffer.capacity, alignment: 16_384)
  }

  deinit {
    bytes.deallocate()
  }

  package subscript(index: Int) -> UInt8 {
    precondition(bytes.indices.contains(index), "index outside the read buffer")
    return bytes[index]
  }

  /// Lends out the first `count` bytes.
  package func withBytes<Result>(_ count: Int, _ body: (RawSpan) -> Result) -> Result {
    body(slice(0..<count).bytes)
  }

  /// A copy of a part.
  package func copy(_ range: Range<Int>) -> [UInt8] {
    Array(slice(range))
  }

  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the read buffer")
    return UnsafeRawBufferPointer(rebasing: bytes[range])
  }
}

@available(*, unavailable)
extension ReadBuffer: Sendable {}
