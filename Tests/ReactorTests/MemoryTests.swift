import LoopTesting
import Testing

@testable import Reactor

@Suite struct ByteQueueTests {
  /// Random appends, discards and looks, compared with an array that does the same.
  @Test(arguments: 0..<20)
  func behavesAsAnArray(seed: Int) {
    var random = TestGenerator(seed: UInt64(seed))
    let pool = BlockPool()
    do {
      var queue = ByteQueue(pool: pool)
      var model: [UInt8] = []
      var next = 0
      for _ in 0..<200 {
        if Bool.random(using: &random) {
          let count = Int.random(in: 0...[3, 900, 70_000].randomElement(using: &random)!, using: &random)
          let bytes = Pattern.bytes(next..<next + count)
          next += count
          queue.append(bytes)
          model += bytes
        } else if Int.random(in: 0..<5, using: &random) == 0 {
          let count = Int.random(in: 0...model.count + 100, using: &random)
          queue.truncate(to: count)
          model = Array(model.prefix(count))
        } else {
          let count = Int.random(in: 0...model.count, using: &random)
          queue.discard(count)
          model.removeFirst(count)
        }
        #expect(queue.count == model.count)
        let limit = Int.random(in: 0...200_000, using: &random)
        #expect(queue.copyFront(limit) == Array(model.prefix(limit)))
        let gathered = gather(queue, limit)
        #expect(Array(model.prefix(gathered.count)) == gathered)
        #expect(gathered.count == min(limit, model.count) || gathered.count > 0)
        if model.isEmpty { #expect(pool.bytesOutstanding == 0) }
      }
    }
    #expect(pool.bytesOutstanding == 0)
  }

  @Test func smallPiecesShareABlock() {
    let pool = BlockPool()
    var queue = ByteQueue(pool: pool)
    for byte in 0..<UInt8(200) { queue.append([byte]) }
    #expect(pool.bytesOutstanding == 1_024)
    queue.discard(199)
    #expect(queue.copyFront(9) == [199])
    queue.removeAll()
    #expect(pool.bytesOutstanding == 0)
    let isEmpty = queue.isEmpty
    #expect(isEmpty)
  }

  @Test func aGatheredWriteHasAtMost64Pieces() {
    let pool = BlockPool()
    var queue = ByteQueue(pool: pool)
    for _ in 0..<100 { queue.append(Array(repeating: 1, count: 1_000)) }
    let count = gather(queue, .max).count
    #expect(count > 0 && count <= 100_000)
    #expect(queue.withFront(.max) { $0.count } <= 64)
  }
}

@Suite struct BlockPoolTests {
  @Test(arguments: [
    (1, 1_024), (992, 1_024), (993, 4_096), (900, 1_024), (4_000, 4_096), (10_000, 16_384), (60_000, 65_536),
    (1_000_000, 65_536),
  ])
  func givesTheSmallestBlock(count: Int, size: Int) {
    let pool = BlockPool()
    let block = pool.take(fitting: count)
    #expect(pool.bytesOutstanding == size)
    #expect(block.pointee.room >= min(count, 60_000))
    pool.giveBack(block)
    #expect(pool.bytesOutstanding == 0 && pool.freeBytes == BlockPool.slabBytes)
    let again = pool.take(fitting: count)
    #expect(again == block, "a returned block is used again")
    pool.giveBack(again)
    #expect(!pool.hasExcess)
    pool.shrink()
    #expect(pool.hasExcess)
    pool.releaseSomeExcess()
    #expect(pool.freeBytes == 0 && !pool.hasExcess)
  }

  @Test func keepsFourMegabytesAndReturnsTheRestBitByBit() {
    let pool = BlockPool()
    var told = 0
    pool.onFree = { told += 1 }
    do {
      var queue = ByteQueue(pool: pool)
      for _ in 0..<400 { queue.append(Array(repeating: 0, count: 65_536)) }
      #expect(pool.bytesOutstanding > 26_000_000)
    }
    #expect(pool.bytesOutstanding == 0)
    #expect(pool.hasExcess && pool.freeBytes > 26_000_000)
    #expect(told == pool.freeBytes / BlockPool.slabBytes)
    while pool.hasExcess {
      let before = pool.freeBytes
      pool.releaseSomeExcess()
      #expect(pool.freeBytes < before && before - pool.freeBytes <= BlockPool.releaseBytes)
    }
    #expect(pool.freeBytes == BlockPool.freeBytesMax)
    pool.shrink()
    pool.releaseSomeExcess()
    #expect((1..<BlockPool.freeBytesMax).contains(pool.freeBytes))
    while pool.hasExcess { pool.releaseSomeExcess() }
    #expect(pool.freeBytes == 0)
    // What comes afterwards is kept as before.
    pool.giveBack(pool.take(fitting: 1))
    #expect(!pool.hasExcess)
  }

  /// Blocks of all sizes come and go in any order; none is handed out twice, and a slab serves any size in turn.
  @Test(arguments: 0..<10)
  func blocksNeverOverlap(seed: Int) {
    var random = TestGenerator(seed: UInt64(seed))
    let pool = BlockPool()
    var held: [(block: UnsafeMutablePointer<Block>, mark: UInt8)] = []
    func giveBack(_ index: Int) {
      let (block, mark) = held.remove(at: index)
      #expect(block.front.load(as: UInt8.self) == mark)
      pool.giveBack(block)
    }
    for turn in 0..<3_000 {
      if turn % 1_000 < 600 || held.isEmpty {
        let count = [1, 3_000, 10_000, 60_000].randomElement(using: &random)!
        let block = pool.take(fitting: count)
        let mark = UInt8.random(in: 0...255, using: &random)
        UnsafeMutableRawBufferPointer(start: block.front, count: block.pointee.room).initializeMemory(
          as: UInt8.self, repeating: mark)
        held.append((block, mark))
      } else {
        giveBack(Int.random(in: held.indices, using: &random))
      }
      pool.releaseSomeExcess()
    }
    while !held.isEmpty { giveBack(held.count - 1) }
    #expect(pool.bytesOutstanding == 0)
  }

  #if os(Linux)
    /// Small survivors between the blocks keep the heap's top high: only a trim gives such memory back.
    @Test func memoryComesBackToTheSystem() throws {
      let loop = try EventLoop()
      var full = 0
      var survivors: [ByteQueue.Box] = []
      do {
        var queue = ByteQueue(pool: loop.pool)
        for _ in 0..<1_500 {
          queue.append(Array(repeating: 7, count: 65_000))
          let survivor = ByteQueue.Box(pool: loop.pool)
          survivor.queue.append([1])
          survivors.append(survivor)
        }
        full = try residentBytes()
        #expect(full > loop.pool.bytesOutstanding)
      }
      try loop.runUntil { ((try? residentBytes()) ?? .max) < full - 70_000_000 }
      #expect(survivors.count == 1_500)
    }
  #endif
}

/// What a gathered write would send. Reads the pieces as raw words, address and count: which C module their struct belongs
/// to depends on the order of imports.
private func gather(_ queue: borrowing ByteQueue, _ limit: Int) -> [UInt8] {
  queue.withFront(limit) { pieces in
    let words = UnsafeRawBufferPointer(pieces).bindMemory(to: UInt.self)
    return stride(from: 0, to: words.count, by: 2).reduce(into: []) { result, index in
      result += UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: words[index]), count: Int(words[index + 1]))
    }
  }
}

extension ByteQueue {
  /// Lets tests keep queues in an array.
  final class Box {
    var queue: ByteQueue
    init(pool: BlockPool) { queue = ByteQueue(pool: pool) }
  }
}
