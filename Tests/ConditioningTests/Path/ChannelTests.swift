import Testing

@testable import Conditioning

/// The arithmetic of a channel by table.
@Suite struct ChannelTests {
  /// 1,500 bytes take 10 ms.
  private static let slow = Capacity.rate(bytesPerSecond: 150_000)

  /// Sends one packet of `size` at each of `times` (ms) and tells when those that arrive do, in ms.
  private func arrivals(_ parameters: ChannelParameters, size: Int = 1_500, at times: [Double]) -> [Double] {
    let bench = ChannelBench(parameters)
    var dice = SeededGenerator(seed: 1)
    for time in times { bench.send(size, at: .milliseconds(time), dice: &dice) }
    bench.settle()
    return bench.arrived.map { ($0.time - .zero).milliseconds }
  }

  @Test func aPacketTakesItsShareOfTheRateAndTheDelay() {
    let parameters = ChannelParameters(capacity: Self.slow, delay: .milliseconds(25))
    #expect(arrivals(parameters, at: [0, 0, 5, 100]) == [35, 45, 55, 135])
    #expect(arrivals(ChannelParameters(delay: .milliseconds(25)), at: [0, 0, 5]) == [25, 25, 30])
    #expect(arrivals(ChannelParameters(delay: .milliseconds(-25)), at: [1]) == [1])
  }

  @Test func whatFindsNoRoomIsDropped() {
    let parameters = ChannelParameters(capacity: Self.slow, queueBytes: 3_000)
    #expect(arrivals(parameters, at: [0, 0, 0, 9.999999, 10, 10]) == [10, 20, 30])
    // The one on the wire counts with what is left of it: at 4.99 ms 751.5 bytes, at 5 ms 750.
    let shallow = ChannelParameters(capacity: Self.slow, queueBytes: 2_250)
    #expect(arrivals(shallow, at: [0, 4.99, 5]) == [10, 20])
    #expect(arrivals(ChannelParameters(queueBytes: 1), at: [0, 0]) == [0, 0], "no rate, no queue")
    #expect(arrivals(ChannelParameters(capacity: Self.slow), at: [0, 0, 0]) == [10, 20, 30], "no limit")
  }

  @Test func aRateOfZeroHoldsWhatTheQueueHasRoomFor() {
    let bench = ChannelBench(ChannelParameters(capacity: .rate(bytesPerSecond: 0), queueBytes: 4_500))
    var dice = SeededGenerator(seed: 1)
    for size in [1_500, 1_501, 1_499, 1_000] { bench.send(size, at: .zero, dice: &dice) }
    #expect(bench.channel.due == .distantFuture)
    #expect(bench.channel.counters.dropped == 1)
    bench.change(to: ChannelParameters(capacity: Self.slow), at: .seconds(3_600))
    bench.settle()
    #expect(bench.arrived.map(\.number) == [1_500, 1_501, 1_499])
    #expect(bench.arrived.map(\.time).last == .seconds(3_600.030))
  }

  @Test func lossesUseTheLink() {
    var loss = ChannelParameters(capacity: Self.slow, loss: .random(1))
    let bench = ChannelBench(loss)
    var dice = SeededGenerator(seed: 1)
    bench.send(1_500, at: .zero, dice: &dice)
    loss.loss = .none
    bench.change(to: loss, at: .milliseconds(4))
    bench.send(1_500, at: .milliseconds(4), dice: &dice)
    bench.settle()
    #expect(bench.arrived.map(\.time) == [.milliseconds(20)])
    #expect(bench.channel.counters.packets == 2 && bench.channel.counters.lost == 1)
  }

  /// After each packet of hours, and at the end, the exact time, rounded up to the nanosecond.
  @Test(arguments: [30_000, 124_999_999, 125_000_000, 7] as [Int64]) func nothingDrifts(rate: Int64) {
    var transmitter = Transmitter(.rate(bytesPerSecond: rate), at: .zero)
    var sent: Int128 = 0
    var isExact = true
    for step in 0..<200_000 {
      let bytes = 40 + step % 1_461
      sent += Int128(bytes) * 1_000_000_000
      let departure = transmitter.accept(Transmitter.work(ofBytes: bytes), at: .zero)
      isExact = isExact && Int128(departure.nanoseconds) == (sent + Int128(rate) - 1) / Int128(rate)
    }
    #expect(isExact)
    #expect(transmitter.backlog(at: .zero) == sent)
  }

  @Test func timesBeyondTheCalendarStandStill() {
    let forever = ChannelParameters(delay: Interval(nanoseconds: .max))
    #expect(arrivals(forever, at: [1]).isEmpty)
    var transmitter = Transmitter(.rate(bytesPerSecond: 1), at: .zero)
    #expect(transmitter.accept(Transmitter.work(ofBytes: .max), at: .zero) == .distantFuture)
    var fast = Transmitter(.rate(bytesPerSecond: .max), at: .zero)
    #expect(fast.accept(Transmitter.work(ofBytes: 1_500), at: .zero) == Instant(nanoseconds: 1))
  }
}
