import Testing

@testable import Conditioning

@Suite struct CapacityTraceTests {
  private func arrivals(_ trace: [UInt32], queue: Int? = nil, _ packets: [(size: Int, at: Double)]) -> [Double] {
    let capacity = Capacity.trace(CapacityTrace(opportunities: trace))
    let bench = ChannelBench(ChannelParameters(capacity: capacity, queueBytes: queue))
    var dice = SeededGenerator(seed: 1)
    for packet in packets { bench.send(packet.size, at: .milliseconds(packet.at), dice: &dice) }
    bench.settle()
    return bench.arrived.map { ($0.time - .zero).milliseconds }
  }

  @Test func eachOpportunityTakesOnePacketRoundAfterRound() {
    let packets = Array(repeating: (size: 1_500, at: 0.0), count: 7)
    #expect(arrivals([2, 5, 5, 10], packets) == [2, 5, 5, 10, 12, 15, 15])
    // Opportunity 0 of the second round is at the end of the first; that of the first round is over already.
    #expect(arrivals([0, 10], packets) == [10, 10, 20, 20, 30, 30, 40])
    #expect(arrivals([1], packets) == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test func smallPacketsShareOneAndLargeOnesTakeSeveral() {
    #expect(arrivals([2, 5, 10], [(500, 0), (500, 0), (501, 0), (1_000, 0)]) == [2, 2, 5, 5])
    // 1,499 left of the second for the beginning of the next packet, which the third completes.
    #expect(arrivals([2, 5, 10], [(1_501, 0), (1_500, 0), (1_499, 0)]) == [5, 10, 10])
  }

  @Test func whatComesTooLateMissesIt() {
    // At 2 ms the first opportunity is over, and with it what it has left over.
    #expect(arrivals([2, 5, 10], [(100, 0), (100, 1.9), (100, 2), (1_400, 2), (1, 2)]) == [2, 2, 5, 5, 10])
    #expect(arrivals([2, 5, 10], [(100, 1_000_006)]) == [1_000_010])
  }

  /// A packet a day: the 106,752nd would leave later than an instant can tell.
  @Test func theEndOfTimeIsFarEnough() {
    let trace = CapacityTrace(opportunities: [86_400_000])
    let bench = ChannelBench(ChannelParameters(capacity: .trace(trace)))
    var dice = SeededGenerator(seed: 1)
    for _ in 0..<107_000 { bench.send(1_500, at: .zero, dice: &dice) }
    bench.advance(to: .seconds(86_400))
    #expect(bench.arrived.count == 1)
    bench.settle()
    #expect(bench.arrived.count == 106_751)
  }

  @Test func theQueueHoldsBytes() {
    let packets = [(1_500, 0.0), (1_500, 0), (1, 0), (1_499, 2), (1, 2), (1, 2), (1, 9)]
    #expect(arrivals([2, 5, 10], queue: 3_000, packets) == [2, 5, 10, 10, 12])
  }

  @Test func aTraceGoesOnWhereItIsWhenOnlyTheDelayChanges() {
    var parameters = ChannelParameters(capacity: .trace(CapacityTrace(opportunities: [5, 100])))
    let bench = ChannelBench(parameters)
    var dice = SeededGenerator(seed: 1)
    parameters.delay = .milliseconds(1)
    bench.change(to: parameters, at: .milliseconds(50))
    bench.send(1_500, at: .milliseconds(50), dice: &dice)
    bench.settle()
    #expect(bench.arrived.map(\.time) == [.milliseconds(101)])
  }
}
