import Testing

@testable import Conditioning

@Suite struct ChannelTests {
  /// Sends one packet of `size` at each of `times` (ms) and tells when each arrives, in ms; nil: it is dropped or lost.
  private func arrivals(_ parameters: ChannelParameters, size: Int = 1_500, at times: [Double]) -> [Double] {
    let bench = ChannelBench(parameters)
    for time in times { bench.send(size, at: .milliseconds(time)) }
    return bench.settle().map { ($0.time - .zero).milliseconds }
  }

  @Test func aPacketTakesItsShareOfTheRateAndTheDelay() {
    // 1,500 bytes at 150,000 B/s are 10 ms.
    let parameters = ChannelParameters(capacity: .rate(bytesPerSecond: 150_000), delay: .milliseconds(25))
    #expect(arrivals(parameters, at: [0, 0, 5, 100]) == [35, 45, 55, 135])
    #expect(arrivals(ChannelParameters(delay: .milliseconds(25)), at: [0, 0, 5]) == [25, 25, 30])
  }

  @Test func whatFindsNoRoomIsDropped() {
    let parameters = ChannelParameters(capacity: .rate(bytesPerSecond: 150_000), queueBytes: 3_000)
    // The one on the wire counts with what is left of it: at 4.99 ms 750 bytes and a bit.
    #expect(arrivals(parameters, at: [0, 0, 0, 4.99, 10, 10]) == [10, 20, 30])
    #expect(arrivals(parameters, size: 750, at: [0, 0, 0, 0, 4.99, 5]) == [5, 10, 15, 20, 25])
  }
}
