/// The input, read as a program: an operation a byte, with its numbers behind it. What is missing at the end is 0.
struct Program {
  private var rest: ArraySlice<UInt8>

  init(_ input: [UInt8]) { rest = input[...] }

  var isOver: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// 0 ..< `count`, at most 256.
  mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

  /// 1...`limit`, from single bytes to whole buffers: the first byte says how many bits.
  mutating func length(upTo limit: Int) -> Int {
    let bits = choice(limit.bitWidth - limit.leadingZeroBitCount) + 1
    var value = 0
    for _ in 0..<(bits + 7) / 8 { value = value << 8 | Int(byte()) }
    return max(1, min(limit, value & (1 << bits - 1)))
  }

  /// 0...1
  mutating func share() -> Double { Double(byte()) / 255 }
}
