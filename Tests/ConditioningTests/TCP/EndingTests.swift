import Testing

@testable import Conditioning

/// Ends and resets, and a path that goes.
@Suite struct TCPEndingTests {
  private func opened() -> TCPBench {
    let bench = TCPBench()
    bench.run(forMilliseconds: 300)
    return bench
  }

  private func bytes(_ count: Int, from start: Int64 = 0, opens: Bool = false) -> Segment {
    .bytes(Extent(start: start, count: count, opensExchange: opens))
  }

  /// It rides on the last segment of data, as far as that hasn't left, and doesn't wait for the window.
  @Test func anEndComesWithTheLastSegment() {
    let bench = opened()
    let before = bench.path.counters(.downstream).packets
    bench.session.server.toWrite = 10 * 1_448
    bench.session.drive(at: bench.now)
    bench.session.write(.end, .downstream, at: bench.now)
    #expect(bench.path.counters(.downstream).packets - before == 11)
    bench.run(forMilliseconds: 51)
    #expect(bench.session.client.received.last == .end && bench.session.client.receivedBytes == 14_480)
    // The other direction goes on.
    bench.session.write(bytes(5), .upstream, at: bench.now)
    bench.run(forMilliseconds: 100)
    #expect(bench.session.server.receivedBytes == 5)
  }

  @Test(arguments: [[Segment.end], [.close], [.reset], [.end, .reset], [.end, .close, .reset], [.close, .reset]])
  func marksComeInOrderBehindTheData(marks: [Segment]) {
    let bench = opened()
    bench.session.write(bytes(40_000), .upstream, at: bench.now)
    for mark in marks { bench.session.write(mark, .upstream, at: bench.now) }
    // Nothing can come behind them.
    bench.session.write(bytes(10, from: 40_000), .upstream, at: bench.now)
    bench.run(forMilliseconds: 49)
    #expect(bench.session.server.received.isEmpty)
    bench.run(forMilliseconds: 500)
    let received = bench.session.server.received
    #expect(bench.session.server.receivedBytes == 40_000)
    #expect(Array(received.suffix(marks.count)) == marks)
  }

  @Test func aLostEndIsSentAgain() {
    let bench = opened()
    bench.lose(.upstream, 1)
    bench.session.write(.end, .upstream, at: bench.now)
    bench.run(forMilliseconds: 1_000)
    #expect(bench.session.server.received.isEmpty)
    bench.lose(.upstream, 0)
    bench.run(forMilliseconds: 1_000)
    #expect(bench.session.server.received == [.end])
  }

  @Test func extentsAndMarksOfExchangesStay() {
    let bench = opened()
    bench.session.write(bytes(100, opens: true), .upstream, at: bench.now)
    bench.session.write(bytes(3_000, from: 100), .upstream, at: bench.now)
    bench.session.write(bytes(7, from: 3_100, opens: true), .upstream, at: bench.now)
    bench.run(forMilliseconds: 60)
    #expect(bench.session.server.receivedBytes == 3_107)
    let opens = bench.session.server.received.compactMap { segment -> Int64? in
      guard case .bytes(let extent) = segment, extent.opensExchange else { return nil }
      return extent.start
    }
    #expect(opens == [0, 3_100])
  }

  @Test func aPathThatGoesHandsEverythingOn() {
    let bench = opened()
    bench.session.write(bytes(100_000), .downstream, at: bench.now)
    bench.session.write(.end, .downstream, at: bench.now)
    bench.run(forMilliseconds: 70)
    #expect(bench.session.client.receivedBytes == 14_480)
    bench.session.change(to: [], at: bench.now)
    #expect(bench.session.client.receivedBytes == 100_000 && bench.session.client.received.last == .end)
    bench.run(forMilliseconds: 2_000)
    #expect(bench.session.client.receivedBytes == 100_000 && bench.path.deadline == nil)
  }

  /// What is under way keeps its time; what waits leaves by the new path.
  @Test func aMoveKeepsWhatIsUnderWay() {
    let bench = opened()
    bench.session.write(bytes(20 * 1_448), .downstream, at: bench.now)
    bench.run(forMilliseconds: 10)
    let near = ChannelParameters(delay: .milliseconds(1))
    let other = bench.world.addPath(PathParameters(upstream: near, downstream: near))
    bench.session.change(to: LabWorld.plan(other), at: bench.now)
    bench.run(forMilliseconds: 39)
    #expect(bench.session.client.receivedBytes == 0)
    bench.run(forMilliseconds: 2)
    #expect(bench.session.client.receivedBytes == 10 * 1_448)
    bench.run(forMilliseconds: 3)
    #expect(bench.session.client.receivedBytes == 20 * 1_448 && other.counters(.downstream).packets >= 10)
  }
}
