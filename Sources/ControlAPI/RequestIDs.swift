import Reactor

/// Identifiers of 20 characters `[0-9a-v]`, unique and sorted by time: seconds, a random part, a counter.
final class RequestIDs {
  private static let alphabet = Array("0123456789abcdefghijklmnopqrstuv".utf8)
  private let process = UInt64.random(in: 0..<(1 << 40))
  private var counter = UInt64.random(in: 0..<(1 << 23))

  func next() -> String {
    counter = (counter + 1) & 0xFF_FFFF
    let seconds = UInt64(truncatingIfNeeded: WallTime.now.nanoseconds / 1_000_000_000) & 0xFFFF_FFFF
    // 96 bits: 32 of time, 40 of the process, 24 of the counter.
    let high = seconds << 32 | process >> 8
    let low = (process & 0xFF) << 24 | counter
    let bytes = (0..<20).map { position -> UInt8 in
      // Character 0 holds the uppermost five bits, the last one the lowest bit and four zeros.
      let top = 96 - 5 * (position + 1)
      let bits: UInt64
      if top >= 32 {
        bits = high >> UInt64(top - 32)
      } else if top > 27 {
        bits = high << UInt64(32 - top) | low >> UInt64(top)
      } else {
        bits = top >= 0 ? low >> UInt64(top) : low << UInt64(-top)
      }
      return RequestIDs.alphabet[Int(bits & 31)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
