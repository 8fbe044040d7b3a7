import Testing

@testable import Conditioning

/// Many connections leave a channel in one instant, one after the other.
@Suite struct DeparturesTests {
  private static let crowd = 1...6 as ClosedRange<Int32>

  /// Two channels, each beside its oracle.
  private struct Pair {
    let benches: [ChannelBench]
    var naives: [NaiveChannel]
    var dice: [SeededGenerator]
    var naiveDice: [SeededGenerator]
    /// Where each connection is.
    var places: [Int32: Int] = [:]

    init(seed: UInt64, using random: inout SeededGenerator) {
      let parameters = (0..<2).map { _ in ChannelParameters.random(using: &random) }
      benches = parameters.map { ChannelBench($0) }
      naives = parameters.map { NaiveChannel($0) }
      dice = [SeededGenerator(seed: seed), SeededGenerator(seed: seed + 1)]
      naiveDice = dice
      for connection in crowd { places[connection] = Int.random(in: 0...1, using: &random) }
    }

    mutating func send(_ size: Int, of connection: Int32, at now: Instant) {
      guard let place = places[connection] else { return }
      benches[place].send(size, of: connection, at: now, dice: &dice[place])
      naives[place].send(size, of: connection, at: now, dice: &naiveDice[place])
    }

    mutating func move(_ connection: Int32, at now: Instant) {
      guard let place = places[connection] else { return }
      let packets = benches[place].channel.takePackets(of: .test(connection), at: now)
      benches[1 - place].channel.adopt(packets, at: now)
      naives[1 - place].adopt(naives[place].take(connection, at: now), at: now)
      places[connection] = 1 - place
    }

    /// Lets all arrive, also from a channel that stands still.
    mutating func finish(at now: Instant) {
      for place in 0...1 {
        var parameters = benches[place].channel.parameters
        parameters.capacity = .rate(bytesPerSecond: 99_999)
        benches[place].change(to: parameters, at: now)
        naives[place].change(to: parameters, at: now)
        benches[place].settle()
        naives[place].advance(to: max(now, benches[place].now) + .seconds(1))
      }
    }
  }

  /// All of them or some, from one channel or both, with what is sent in between at the same instant: the same arrivals as
  /// where each leaves alone.
  @Test(arguments: 0..<60 as Range<UInt64>) func leaveTogetherAsEachAlone(seed: UInt64) {
    var random = SeededGenerator(seed: seed, "departures")
    var pair = Pair(seed: seed, using: &random)
    var now = Instant.zero
    for number in 0..<400 {
      if random.chance(0.5) { now = now + .nanoseconds(Int64(random.length(upTo: 40_000_000))) }
      if random.chance(0.05) {
        for bench in pair.benches { bench.advance(to: now) }
        let share = random.unit()
        let onlyFrom = random.chance(0.7) ? Int.random(in: 0...1, using: &random) : nil
        for connection in Self.crowd where random.chance(share) {
          if onlyFrom == nil || onlyFrom == pair.places[connection] { pair.move(connection, at: now) }
          if random.chance(0.1) { pair.send(2_000 + number, of: .random(in: Self.crowd, using: &random), at: now) }
        }
      }
      pair.send(600 + number, of: .random(in: Self.crowd, using: &random), at: now)
      let counters = pair.benches.map { $0.channel.counters }
      #expect(counters == pair.naives.map(\.counters), "at \(now)")
    }
    pair.finish(at: now)
    for place in 0...1 { #expect(pair.benches[place].arrived == pair.naives[place].arrived) }
    #expect(pair.benches.contains { !$0.arrived.isEmpty })
  }

  @Test func whatAPredecessorOnTheSeatLeftIsNotTaken() {
    let bench = ChannelBench(ChannelParameters(delay: .milliseconds(10)))
    var dice = SeededGenerator(seed: 1)
    bench.send(1_000, of: 1, at: .zero, dice: &dice)
    let successor = PathSeat(number: 1, identity: 2)
    #expect(bench.channel.takePackets(of: successor, at: .zero).isEmpty)
    #expect(bench.channel.takePackets(of: .test(1), at: .zero).count == 1)
    #expect(bench.channel.takePackets(of: .test(1), at: .zero).isEmpty)
    bench.channel.settle()
    #expect(bench.channel.due == .distantFuture)
  }

  /// What is said of the next arrival while some have left is never too late.
  @Test func aTimeIsSaidThatIsNotTooLate() {
    // 1,500 bytes take 10 ms.
    let bench = ChannelBench(ChannelParameters(capacity: .rate(bytesPerSecond: 150_000)))
    var dice = SeededGenerator(seed: 1)
    for connection in 1...3 as ClosedRange<Int32> { bench.send(1_500, of: connection, at: .zero, dice: &dice) }
    #expect(bench.channel.takePackets(of: .test(1), at: .zero).count == 1)
    #expect(bench.channel.takePackets(of: .test(2), at: .zero).count == 1)
    #expect(bench.channel.due > .zero && bench.channel.due <= .milliseconds(10))
    bench.channel.settle()
    #expect(bench.channel.due == .milliseconds(10))
    #expect(bench.channel.takePackets(of: .test(3), at: .zero).count == 1)
    bench.channel.settle()
    #expect(bench.channel.due == .distantFuture)
  }

  /// 4,000 connections with 5 packets each, over and back, twice. Where each leave went through the whole channel that took
  /// minutes, and where all go through it once a part of a second.
  @Test func aLargeCrowdMovesInTimeThatGrowsWithIt() {
    let parameters = ChannelParameters(capacity: .rate(bytesPerSecond: 1_000_000), delay: .milliseconds(50))
    let benches = [ChannelBench(parameters), ChannelBench(parameters)]
    var dice = SeededGenerator(seed: 1)
    let connections = 0..<4_000 as Range<Int32>
    for _ in 0..<5 { for each in connections { benches[0].send(1_500, of: each, at: .zero, dice: &dice) } }
    let took = ContinuousClock().measure {
      for turn in 1...4 {
        let now = Instant.milliseconds(Double(turn) * 2)
        for bench in benches { bench.advance(to: now) }
        for each in connections {
          let packets = benches[(turn + 1) % 2].channel.takePackets(of: .test(each), at: now)
          benches[turn % 2].channel.adopt(packets, at: now)
        }
      }
    }
    #expect(took < .seconds(10))
    benches[0].settle()
    #expect(benches[0].arrived.count == 5 * connections.count)
  }
}
