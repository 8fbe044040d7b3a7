/// The loop's one buffer that every socket is read into. Its content is good until the next read of any socket.
///
/// Safe to use: every access checks its bounds.
package final class ReadBuffer {
  /// What one read takes, 256 KiB: as much as a busy connection's receive buffer gives at once, and it stays in the
  /// processor's cache.
  package static let capacity = 262_144
  /// What the reads of a stream may gather before it is written, 1 MiB; see ``StreamSocket/readStream(upTo:)``. It is all
  /// that there is; pages that no stream has come to are never touched.
  package static let streamCapacity = 1_048_576

  let bytes: UnsafeMutableRawBufferPointer

  init() {
    bytes = .allocate(byteCount: ReadBuffer.streamCapacity, alignment: 16_384)
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
    withBytes(0..<count, body)
  }

  /// Lends out a part.
  package func withBytes<Result>(_ range: Range<Int>, _ body: (RawSpan) -> Result) -> Result {
    body(slice(range).bytes)
  }

  /// Puts `content` at the start, as if a socket had been read; at most ``streamCapacity`` bytes.
  package func load(_ content: [UInt8]) {
    precondition(content.count <= bytes.count, "more than the read buffer holds")
    bytes.copyBytes(from: content)
  }

  /// A copy of a part.
  package func copy(_ range: Range<Int>) -> [UInt8] {
    Array(slice(range))
  }

  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(place(range))
  }

  /// A part to be written to.
  func place(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the read buffer")
    return UnsafeMutableRawBufferPointer(rebasing: bytes[range])
  }
}

extension [UInt8] {
  /// Lends out the bytes as the read buffer lends out its own.
  package func withRawSpan<Result>(_ body: (RawSpan) -> Result) -> Result {
    withUnsafeBytes { body($0.bytes) }
  }
}

@available(*, unavailable)
extension ReadBuffer: Sendable {}
