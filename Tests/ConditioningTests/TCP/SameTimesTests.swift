import Testing

@testable import Conditioning

/// What is changed for speed or memory only may not change what the model does: every arrival at the time that it had
/// before, to the nanosecond. Who means to change the model writes down the new digests; docs/fidelity.md says then whether
/// it got better.
@Suite struct SameTimesTests {
  /// Of all arrivals (when, how many bytes), and of what the paths have counted.
  static func digest(_ chaos: Chaos) -> UInt64 {
    var key = SeedKey(0)
    func add(_ number: Int64) { Int(number).mix(into: &key) }
    for session in chaos.world.sessions {
      for side in [session.client, session.server] {
        for arrival in side.arrivals {
          add(arrival.at.nanoseconds)
          add(Int64(arrival.bytes))
        }
      }
    }
    for path in chaos.world.paths {
      for direction in Direction.allCases {
        let counters = path.counters(direction)
        for count in [counters.packets, counters.dropped, counters.lost] { add(count) }
      }
    }
    return key.value
  }

  private static func digest(_ seeds: Range<UInt64>, _ control: CongestionControl) -> UInt64 {
    var key = SeedKey(0)
    for seed in seeds {
      let chaos = Chaos(seed: seed, control: control)
      for _ in 0..<120 { chaos.act() }
      chaos.finish()
      Int(truncatingIfNeeded: digest(chaos)).mix(into: &key)
    }
    return key.value
  }

  @Test func everyArrivalIsWhereItWas() {
    #expect(Self.digest(2_000..<2_012, .cubic) == 11_184_351_152_436_160_932)
    #expect(Self.digest(2_000..<2_012, .bbr) == 4_969_451_264_550_124_875)
  }
}
