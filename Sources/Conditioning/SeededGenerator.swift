/// Reproducible dice: SplitMix64 (Steele, Lea, Flood 2014). Its 8 bytes of state are a quarter of what xoshiro256** needs,
/// which counts with two of them in every idle session.
///
/// The keyed initialiser gives each user of randomness its own sequence, named by what it is ("toxic latency of session
/// 7 …"), so that nobody's dice depend on what a neighbour drew.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// The same seed and parts give the same sequence in every run and on every platform (Swift's `Hasher` would not).
  package init(seed: UInt64, _ parts: any SeedPart...) {
    self.init(SeedKey(seed), parts)
  }

  /// Goes on from a key that holds the first parts already.
  init(_ key: SeedKey, _ parts: any SeedPart...) {
    self.init(key, parts)
  }

  private init(_ key: SeedKey, _ parts: [any SeedPart]) {
    var key = key
    for part in parts { part.mix(into: &key) }
    self.init(seed: key.value)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return SeededGenerator.finalise(state)
  }

  fileprivate static func finalise(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Uniform in 0 ..< 1, a multiple of 2^-53.
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Uniform in -1 ... 1, with mean 0.
  package mutating func symmetric() -> Double {
    // The middles of 2^53 equal steps: symmetric around 0, which -1 ..< 1 is not.
    unit() * 2 - 1 + 0x1p-53
  }
}

/// A part of a generator's key: a name or a number.
package protocol SeedPart {
  func mix(into key: inout SeedKey)
}

extension String: SeedPart {
  package func mix(into key: inout SeedKey) {
    for byte in utf8 { key.mix(byte) }
    key.seal(tag: 1)
  }
}

extension Int: SeedPart {
  package func mix(into key: inout SeedKey) {
    var rest = UInt64(bitPattern: Int64(self))
    for _ in 0..<8 {
      key.mix(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    key.seal(tag: 2)
  }
}

/// A stable hash: FNV-1a over the bytes of each part, SplitMix64's finaliser after each (FNV alone mixes its top bits
/// poorly). The tag keeps ("ab", "c") and ("a", "bc") apart, and "1" from 1.
package struct SeedKey: Equatable, Sendable {
  private(set) var value: UInt64

  init(_ seed: UInt64) {
    value = SeededGenerator.finalise(seed ^ 0xCBF2_9CE4_8422_2325)
  }

  mutating func mix(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }

  mutating func seal(tag: UInt8) {
    mix(tag)
    value = SeededGenerator.finalise(value)
  }
}
