internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The bytes of one direction that wait to be written, first in first out, in blocks of a ``BlockPool``.
///
/// Empty, it holds no memory. It returns its blocks when dropped.
package struct ByteQueue: ~Copyable {
  /// How many pieces one gathered write may have.
  static let piecesMax = 64

  private var pool: BlockPool
  private var first: UnsafeMutablePointer<Block>?
  private var last: UnsafeMutablePointer<Block>?
  /// Bytes that wait.
  package private(set) var count = 0

  package init(pool: BlockPool) {
    self.pool = pool
  }

  deinit {
    var next = first
    while let block = next {
      next = block.pointee.next
      pool.giveBack(block)
    }
  }

  package var isEmpty: Bool { count == 0 }

  /// Copies a part of the read buffer to the end.
  package mutating func append(_ buffer: ReadBuffer, _ range: Range<Int>) {
    append(buffer.slice(range))
  }

  /// Copies `bytes` to the end.
  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let block = blockWithRoom(for: rest.count)
      let part = rest.prefix(block.pointee.room)
      block.back.copyMemory(from: UnsafeRawBufferPointer(rebasing: part).baseAddress!, byteCount: part.count)
      block.pointee.end += Int32(part.count)
      rest = rest.dropFirst(part.count)
    }
    count += bytes.count
  }

  /// Drops the first `count` bytes, which must be there.
  package mutating func discard(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "discarding more bytes than wait")
    self.count -= count
    var rest = count
    while rest > 0, let block = first {
      let part = min(rest, block.pointee.count)
      block.pointee.start += Int32(part)
      rest -= part
      if block.pointee.count == 0 { removeFirst(block) }
    }
  }

  /// The bytes lie in blocks of another loop's pool from now on.
  package mutating func move(to pool: BlockPool) {
    guard pool !== self.pool else { return }
    let (before, bytes) = (self.pool, count)
    var next = first
    (self.pool, first, last, count) = (pool, nil, nil, 0)
    while let block = next {
      append(UnsafeRawBufferPointer(start: block.front, count: block.pointee.count))
      next = block.pointee.next
      before.giveBack(block)
    }
    assert(count == bytes, "bytes were lost on the way to another pool")
  }

  package mutating func removeAll() {
    discard(count)
  }

  /// Drops all but the first `count` bytes.
  package mutating func truncate(to count: Int) {
    precondition(count >= 0, "truncating to less than nothing")
    guard count < self.count else { return }
    guard count > 0 else { return removeAll() }
    self.count = count
    var rest = count
    var block = first
    while let current = block, rest > current.pointee.count {
      rest -= current.pointee.count
      block = current.pointee.next
    }
    guard let block else { return }
    block.pointee.end = block.pointee.start + Int32(rest)
    var behind = block.pointee.next
    block.pointee.next = nil
    last = block
    while let next = behind {
      behind = next.pointee.next
      pool.giveBack(next)
    }
  }

  /// A copy of the first bytes, at most `limit`.
  package func copyFront(_ limit: Int) -> [UInt8] {
    var result: [UInt8] = []
    var next = first
    while let block = next, result.count < limit {
      let part = min(limit - result.count, block.pointee.count)
      result.append(contentsOf: UnsafeRawBufferPointer(start: block.front, count: part))
      next = block.pointee.next
    }
    return result
  }

  /// Lends the first bytes as pieces for a gathered write: at most `limit` bytes in at most ``piecesMax`` pieces.
  func withFront<Result>(_ limit: Int, _ body: (UnsafeMutableBufferPointer<iovec>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: iovec.self, capacity: ByteQueue.piecesMax) { pieces in
      var used = 0
      var rest = limit
      var next = first
      while let block = next, used < pieces.count, rest > 0 {
        let part = min(rest, block.pointee.count)
        pieces.initializeElement(at: used, to: iovec(iov_base: block.front, iov_len: part))
        used += 1
        rest -= part
        next = block.pointee.next
      }
      return body(UnsafeMutableBufferPointer(rebasing: pieces[..<used]))
    }
  }

  private mutating func blockWithRoom(for count: Int) -> UnsafeMutablePointer<Block> {
    if let last, last.pointee.room > 0 { return last }
    let block = pool.take(fitting: count)
    if let last { last.pointee.next = block } else { first = block }
    last = block
    return block
  }

  private mutating func removeFirst(_ block: UnsafeMutablePointer<Block>) {
    first = block.pointee.next
    if first == nil { last = nil }
    pool.giveBack(block)
  }
}
