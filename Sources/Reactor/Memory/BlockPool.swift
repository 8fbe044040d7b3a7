internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Memory for queued payload, in blocks of four sizes, shared by all queues of a loop.
///
/// Blocks are cut from slabs that are mapped for the purpose: payload never lies between the small objects of the heap,
/// so an empty slab goes back to the system whole, and memory falls after a burst whatever else lives on.
package final class BlockPool {
  /// Bytes of a block with its header, smallest first.
  static let sizes = [1_024, 4_096, 16_384, 65_536]
  static let slabBytes = 262_144
  /// The most bytes kept in empty slabs while there is traffic: 4 MiB.
  package static let freeBytesMax = 4_194_304
  /// Empty slabs above that go back to the system a few at a time, because each costs some 30 µs: 2 MiB.
  static let releaseBytes = 2_097_152

  /// Bytes of all blocks in use, headers included: what the queues cost.
  package var bytesOutstanding: Int { outstanding }
  private var outstanding = 0
  private var shared: MemoryUse?
  /// Told when a slab has become empty; the loop calls ``shrink()`` some time later.
  var onFree: (() -> Void)?

  /// By size: the slabs that have blocks in use, and room.
  private var open: [[Slab]] = Array(repeating: [], count: sizes.count)
  /// Slabs without a block in use, for any size.
  private var empty: [Slab] = []
  private var keptBytes = BlockPool.freeBytesMax

  init() {}

  deinit {
    assert(bytesOutstanding == 0, "BlockPool outlived by \(bytesOutstanding) bytes of its blocks")
  }

  /// Counts its blocks there, too, from now on; before it has any.
  package func share(_ use: MemoryUse) { shared = use }

  /// Bytes of empty slabs kept for reuse.
  package var freeBytes: Int { empty.count * BlockPool.slabBytes }

  /// An empty block, the smallest that holds `count` bytes or the largest there is.
  func take(fitting count: Int) -> UnsafeMutablePointer<Block> {
    let index = BlockPool.sizes.firstIndex { $0 - Block.headerSize >= count } ?? BlockPool.sizes.count - 1
    outstanding += BlockPool.sizes[index]
    shared?.add(BlockPool.sizes[index])
    let slab = open[index].last ?? openSlab(index)
    let block = slab.take()
    if slab.isFull {
      open[index].removeLast()
      // Only its blocks know of a full slab: this keeps it until one comes back.
      _ = Unmanaged.passRetained(slab)
    }
    return block
  }

  func giveBack(_ block: UnsafeMutablePointer<Block>) {
    let slab = block.pointee.slab.takeUnretainedValue()
    outstanding -= slab.blockBytes
    shared?.add(-slab.blockBytes)
    let wasFull = slab.isFull
    slab.put(block)
    if wasFull {
      addOpen(slab)
      Unmanaged.passUnretained(slab).release()
    }
    if slab.isEmpty { emptied(slab) }
  }

  /// Whether more is kept in empty slabs than is to be.
  var hasExcess: Bool { freeBytes > keptBytes }

  /// Gives a part of the excess back to the system.
  func releaseSomeExcess() {
    guard hasExcess else { return }
    empty.removeLast(min(freeBytes - keptBytes, BlockPool.releaseBytes) / BlockPool.slabBytes)
    if empty.isEmpty { keptBytes = BlockPool.freeBytesMax }
  }

  /// All empty slabs are too many from now on, until they are gone.
  func shrink() {
    if !empty.isEmpty { keptBytes = 0 }
  }

  private func openSlab(_ index: Int) -> Slab {
    let slab = empty.popLast() ?? Slab()
    slab.carve(sizeIndex: index)
    addOpen(slab)
    return slab
  }

  private func addOpen(_ slab: Slab) {
    slab.place = open[slab.sizeIndex].count
    open[slab.sizeIndex].append(slab)
  }

  private func emptied(_ slab: Slab) {
    // The last one takes its place: hundreds may be open.
    let last = open[slab.sizeIndex].removeLast()
    if last !== slab {
      open[slab.sizeIndex][slab.place] = last
      last.place = slab.place
    }
    empty.append(slab)
    onFree?()
  }
}

@available(*, unavailable)
extension BlockPool: Sendable {}

/// Memory for blocks of one size, mapped and unmapped as a whole.
final class Slab {
  /// Where it is among the open slabs of its size.
  var place = 0
  private(set) var sizeIndex = 0
  private let memory: UnsafeMutableRawPointer
  /// Blocks that came back.
  private var free: UnsafeMutablePointer<Block>?
  /// Blocks that were never taken lie behind these: their pages aren't even touched yet.
  private var carved = 0
  private var used = 0

  init() {
    let flags = MAP_PRIVATE | MAP_ANON
    let mapped = mmap(nil, BlockPool.slabBytes, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let mapped, mapped != MAP_FAILED else { fatalError("mmap: out of memory") }
    memory = mapped
  }

  deinit {
    assert(used == 0, "a slab outlived by its blocks")
    munmap(memory, BlockPool.slabBytes)
  }

  /// Begins anew with blocks of that size; there must be none in use.
  func carve(sizeIndex: Int) {
    assert(used == 0, "a slab carved anew under its blocks")
    self.sizeIndex = sizeIndex
    free = nil
    carved = 0
  }

  var blockBytes: Int { BlockPool.sizes[sizeIndex] }
  private var capacity: Int { BlockPool.slabBytes / blockBytes }
  var isEmpty: Bool { used == 0 }
  var isFull: Bool { used == capacity }

  /// There must be room.
  func take() -> UnsafeMutablePointer<Block> {
    used += 1
    let block: UnsafeMutablePointer<Block>
    if let kept = free {
      free = kept.pointee.next
      block = kept
    } else {
      block = (memory + carved * blockBytes).bindMemory(to: Block.self, capacity: 1)
      carved += 1
    }
    block.initialize(to: Block(slab: .passUnretained(self), payloadBytes: blockBytes - Block.headerSize))
    return block
  }

  func put(_ block: UnsafeMutablePointer<Block>) {
    block.pointee.next = free
    free = block
    used -= 1
  }
}

@available(*, unavailable)
extension Slab: Sendable {}

/// The header at the start of each block; the payload follows it.
struct Block {
  static let headerSize = MemoryLayout<Block>.stride

  /// The block behind this one in a queue or a free list.
  var next: UnsafeMutablePointer<Block>?
  /// Where it was cut from. Unretained: the pool keeps a slab as long as it has blocks in use.
  let slab: Unmanaged<Slab>
  /// Where the payload begins and ends, counted from the end of the header.
  var start: Int32 = 0
  var end: Int32 = 0
  private let payloadBytes: Int32

  init(slab: Unmanaged<Slab>, payloadBytes: Int) {
    self.slab = slab
    self.payloadBytes = Int32(payloadBytes)
  }

  var count: Int { Int(end - start) }
  var room: Int { Int(payloadBytes - end) }
}

extension UnsafeMutablePointer<Block> {
  private var payload: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) + Block.headerSize }

  /// Where the first byte lies.
  var front: UnsafeMutableRawPointer { payload + Int(pointee.start) }
  /// Where the next byte goes.
  var back: UnsafeMutableRawPointer { payload + Int(pointee.end) }
}
