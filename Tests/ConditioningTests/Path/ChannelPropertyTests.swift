import Testing

@testable import Conditioning

/// Random traffic and random changes, against the oracle: the same arrivals to the nanosecond.
@Suite struct ChannelPropertyTests {
  @Test(arguments: 0..<60 as Range<UInt64>) func trafficUnderChanges(seed: UInt64) {
    var random = SeededGenerator(seed: seed, "traffic")
    var (ownDice, naiveDice) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
    var parameters = ChannelParameters.random(using: &random)
    let bench = ChannelBench(parameters)
    var naive = NaiveChannel(parameters)
    var now = Instant.zero
    for number in 0..<600 {
      if random.chance(0.5) { now = now + .nanoseconds(Int64(random.length(upTo: 40_000_000))) }
      if random.chance(0.04) {
        parameters = random.chance(0.3) ? parameters.varied(using: &random) : .random(using: &random)
        bench.change(to: parameters, at: now)
        naive.change(to: parameters, at: now)
      }
      let connection = Int32.random(in: 1...3, using: &random)
      // Sizes are names, too.
      let size = random.chance(0.3) ? 52 : 600 + number
      bench.send(size, of: connection, at: now, dice: &ownDice)
      naive.send(size, of: connection, at: now, dice: &naiveDice)
      #expect(bench.channel.counters == naive.counters, "at \(now)")
    }
    finish(bench, &naive, at: now)
    #expect(bench.arrived == naive.arrived)
    #expect(bench.arrived == bench.arrived.sorted { $0.time < $1.time })
    #expect(!bench.arrived.isEmpty)
  }

  /// A connection goes to another channel and comes back, again and again, with others beside it.
  @Test(arguments: 0..<40 as Range<UInt64>) func moves(seed: UInt64) {
    var random = SeededGenerator(seed: seed, "moves")
    var (ownDice, naiveDice) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
    let parameters = (0..<2).map { _ in ChannelParameters.random(using: &random) }
    let benches = parameters.map { ChannelBench($0) }
    var naives = parameters.map { NaiveChannel($0) }
    var (now, place) = (Instant.zero, 0)
    for number in 0..<400 {
      if random.chance(0.5) { now = now + .nanoseconds(Int64(random.length(upTo: 40_000_000))) }
      if random.chance(0.04) {
        let other = 1 - place
        for bench in benches { bench.advance(to: now) }
        let packets = benches[place].channel.takePackets(of: .test(1), at: now)
        benches[other].channel.adopt(packets, at: now)
        naives[other].adopt(naives[place].take(1, at: now), at: now)
        place = other
      }
      let connection = Int32.random(in: 1...3, using: &random)
      let channel = connection == 1 ? place : Int(connection) - 2
      benches[channel].send(600 + number, of: connection, at: now, dice: &ownDice)
      naives[channel].send(600 + number, of: connection, at: now, dice: &naiveDice)
    }
    for channel in 0..<2 {
      finish(benches[channel], &naives[channel], at: now)
      #expect(benches[channel].arrived == naives[channel].arrived)
      #expect(benches[channel].channel.counters == naives[channel].counters)
    }
  }

  /// Lets all arrive, also from a channel that stands still.
  private func finish(_ bench: ChannelBench, _ naive: inout NaiveChannel, at now: Instant) {
    var parameters = bench.channel.parameters
    if parameters.capacity == .rate(bytesPerSecond: 0) {
      parameters.capacity = .rate(bytesPerSecond: 99_999)
      bench.change(to: parameters, at: now)
      naive.change(to: parameters, at: now)
    }
    bench.settle()
    naive.advance(to: max(now, bench.now) + .seconds(1))
    #expect(naive.isIdle)
  }
}

extension ChannelParameters {
  /// Anything: fast, slow, standing, recorded; with and without queue, delay, jitter and loss.
  static func random(using random: inout SeededGenerator) -> ChannelParameters {
    var parameters = ChannelParameters()
    switch Int.random(in: 0..<6, using: &random) {
    case 0: break
    case 1: parameters.capacity = .rate(bytesPerSecond: 0)
    case 2: parameters.capacity = .trace(.random(using: &random))
    default: parameters.capacity = .rate(bytesPerSecond: Int64(20_000 + random.length(upTo: 10_000_000)))
    }
    if random.chance(0.7) { parameters.queueBytes = 1_500 + random.length(upTo: 100_000) }
    if random.chance(0.8) { parameters.delay = .nanoseconds(Int64(random.length(upTo: 200_000_000))) }
    if random.chance(0.5) { parameters.jitter = .nanoseconds(Int64(random.length(upTo: 100_000_000))) }
    if random.chance(0.5) { parameters.jitterDistribution = .normal }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: parameters.loss = .random(random.unit() * 0.3)
    case 1: parameters.loss = .bursts(GilbertElliott(loss: random.unit() * 0.3, meanBurstPackets: 4))
    default: break
    }
    return parameters
  }

  /// The same but for one thing.
  func varied(using random: inout SeededGenerator) -> ChannelParameters {
    let other = ChannelParameters.random(using: &random)
    var copy = self
    switch Int.random(in: 0..<4, using: &random) {
    case 0: copy.queueBytes = other.queueBytes
    case 1: copy.delay = other.delay
    case 2: copy.jitter = other.jitter
    default: copy.loss = other.loss
    }
    return copy
  }
}

extension CapacityTrace {
  /// Up to a second, with several opportunities in a millisecond and long pauses.
  static func random(using random: inout SeededGenerator) -> CapacityTrace {
    var times: [UInt32] = []
    var time: UInt32 = random.chance(0.3) ? 0 : 3
    for _ in 0..<random.length(upTo: 200) {
      times.append(time)
      if random.chance(0.7) { time += UInt32(random.length(upTo: 30)) }
    }
    times.append(time + 1)
    return CapacityTrace(opportunities: times)
  }
}
