/// A segment's number, remembered in 32 bits by what an idle session carries. To be compared with numbers nearby only.
struct SegmentMark {
  private let bits: UInt32

  init(_ number: Int64) {
    bits = UInt32(truncatingIfNeeded: number)
  }

  /// How far `number` is beyond it.
  func distance(to number: Int64) -> Int {
    Int(Int32(bitPattern: UInt32(truncatingIfNeeded: number) &- bits))
  }
}
