/// What a receiver has beyond a gap: ranges of segments, that of the newest arrival first. Only there while there is a gap.
final class EarlySegments {
  struct Block {
    var numbers: Range<Int64>
    /// Bytes of the stream, and marks, up to the end of the block.
    var endOffset: Int64
    var marks: UInt8
  }

  private var blocks: [Block] = []

  var isEmpty: Bool { blocks.isEmpty }

  var selective: SelectiveBlocks {
    var selective = SelectiveBlocks()
    for index in 0..<min(blocks.count, SelectiveBlocks.limit) { selective[index] = blocks[index].numbers }
    return selective
  }

  func contains(_ number: Int64) -> Bool {
    blocks.contains { $0.numbers.contains(number) }
  }

  /// - Precondition: it isn't there yet.
  func insert(_ number: Int64, endOffset: Int64, marks: UInt8) {
    var block = Block(numbers: number..<(number + 1), endOffset: endOffset, marks: marks)
    if let before = blocks.firstIndex(where: { $0.numbers.upperBound == number }) {
      block.numbers = blocks[before].numbers.lowerBound..<block.numbers.upperBound
      blocks.remove(at: before)
    }
    if let behind = blocks.firstIndex(where: { $0.numbers.lowerBound == number + 1 }) {
      let later = blocks.remove(at: behind)
      block = Block(
        numbers: block.numbers.lowerBound..<later.numbers.upperBound, endOffset: later.endOffset, marks: later.marks)
    }
    blocks.insert(block, at: 0)
  }

  /// The block that begins with this segment: it isn't early any more.
  func take(from number: Int64) -> Block? {
    guard let index = blocks.firstIndex(where: { $0.numbers.lowerBound == number }) else { return nil }
    return blocks.remove(at: index)
  }
}
