import Testing

@testable import Conditioning

/// Random writes over random paths that change at random: every byte arrives, in order and with its mark, and then the end.
@Suite struct TCPPropertyTests {
  /// The last two once went round for ever: by a move of packets that had moved before, and at one instant on a path without
  /// delay.
  @Test(arguments: Array(0..<60) + [745, 1293])
  func nothingIsLostOrReordered(seed: Int) {
    let chaos = Chaos(seed: UInt64(seed))
    for _ in 0..<120 { chaos.act() }
    chaos.finish()
    #expect(chaos.scripts.complaints(in: chaos.world) == [])
  }
}
