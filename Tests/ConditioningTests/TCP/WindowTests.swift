import Testing

@testable import Conditioning

/// The window of a connection against what the rules say, on a link where only the round trip counts.
@Suite struct WindowTests {
  private func opened(roundTripMilliseconds: Double = 100) -> TCPBench {
    let bench = TCPBench(roundTripMilliseconds: roundTripMilliseconds)
    bench.run(forMilliseconds: 3 * roundTripMilliseconds)
    return bench
  }

  @Test func slowStartDoubles() {
    #expect(opened().rounds(ofBytes: 150 * 1_448) == [10, 20, 40, 80])
  }

  /// 100 KiB are 71 segments: the last one takes a round trip of its own.
  @Test func theLastSegmentOfMayTakeARoundTrip() {
    #expect(opened().rounds(ofBytes: 70 * 1_448) == [10, 20, 40])
    #expect(opened().rounds(ofBytes: 102_400) == [10, 20, 40, 1])
  }

  @Test func theSecondRequestFindsTheWindowOpen() {
    let bench = opened()
    _ = bench.rounds(ofBytes: 102_400)
    bench.run(forMilliseconds: 100)
    #expect(bench.rounds(ofBytes: 102_400) == [71])
  }

  @Test func afterAPauseTheWindowIsAsAtFirst() {
    let bench = opened()
    _ = bench.rounds(ofBytes: 102_400)
    bench.run(forMilliseconds: 5_000)
    #expect(bench.rounds(ofBytes: 70 * 1_448) == [10, 20, 40])
  }

  /// Halved once for each time-out that has passed: 80 segments, 300 ms each.
  @Test(arguments: [(250.0, 80), (350.0, 40), (650.0, 20), (950.0, 10), (2_000.0, 10)])
  func aPauseHalvesTheWindow(milliseconds: Double, window: Int) {
    let bench = opened()
    _ = bench.rounds(ofBytes: 70 * 1_448)
    bench.run(forMilliseconds: milliseconds)
    #expect(bench.rounds(ofBytes: 200 * 1_448).first == window)
  }

  /// Requests that come too often for a pause, and use little of the window: it comes down all the same.
  @Test func aWindowThatIsNotUsedShrinks() {
    let bench = opened()
    _ = bench.rounds(ofBytes: 70 * 1_448)
    for _ in 0..<20 {
      _ = bench.rounds(ofBytes: 1_000)
      bench.run(forMilliseconds: 100)
    }
    let window = bench.session.connection?.server.sender.congestion.window ?? 0
    #expect(window < 20 && window >= 10)
  }

  /// A download has filled a slow link's queue, whatever it is doing about that; then the user puts a fast one in place.
  @Test(arguments: [Flight.Phase.open, .recovery], [30_000, 200_000] as [Int64])
  func aFasterPathIsFoundOutBySlowStart(during phase: Flight.Phase, bytesPerSecond: Int64) throws {
    let bench = TCPBench(roundTripMilliseconds: 50, bytesPerSecond: bytesPerSecond, queueBytes: 64 << 10)
    bench.session.server.toWrite = 100_000_000
    bench.session.drive(at: bench.now)
    bench.run(forMilliseconds: 10_000)
    let connection = try #require(bench.session.connection)
    bench.world.run(until: bench.now + .seconds(120)) { connection.server.sender.flight?.phase != phase }
    try #require(connection.server.sender.flight?.phase == phase)
    var parameters = bench.path.parameters
    // Acknowledgements need the way back.
    parameters.upstream.capacity = .rate(bytesPerSecond: 6_250_000)
    parameters.downstream.capacity = .rate(bytesPerSecond: 6_250_000)
    parameters.downstream.queueBytes = 312_500
    bench.path.update(PathTimeline(parameters), at: bench.now)
    bench.run(forMilliseconds: 1_500)
    let before = bench.session.client.receivedBytes
    bench.run(forMilliseconds: 1_000)
    #expect(bench.session.client.receivedBytes - before > 4_000_000)
  }

  /// Two reads of the proxy make no short segment between them.
  @Test func aWriteFillsUpTheSegmentThatWaits() {
    let bench = TCPBench()
    for _ in 0..<14 { bench.session.write(.bytes(Extent(start: 0, count: 1_000)), .downstream, at: bench.now) }
    bench.run(forMilliseconds: 149)
    let before = bench.path.counters(.downstream).packets
    bench.run(forMilliseconds: 2)
    #expect(bench.session.client.receivedBytes == 0 && bench.path.counters(.downstream).packets - before == 10)
  }

  @Test func theRoomIsInWholeSegmentsAndBounded() {
    let bench = opened()
    let connection = bench.session.connection!
    #expect(connection.room(.downstream) == 65_536 / 1_448 * 1_448)
    bench.session.write(.bytes(Extent(start: 0, count: 65_000)), .downstream, at: bench.now)
    #expect(connection.room(.downstream) == 0)
    bench.run(forMilliseconds: 1_000)
    #expect(connection.room(.downstream) > 2 * 10 * 1_448 && connection.room(.downstream) % 1_448 == 0)
  }

  /// A writer that found no room is told when a third of the buffer is free, and not at each acknowledgement.
  @Test func aStarvedWriterIsWokenForAThirdOfTheBuffer() {
    var sender = TCPSender(.cubic)
    sender.write(bytes: 65_536, at: .zero)
    #expect(sender.room() == 0)
    while sender.nextSegment(mayBegin: true, at: .zero) != nil {}
    sender.take(Acknowledgement(upTo: 10), at: .zero + .milliseconds(100))
    var isWoken = sender.endsStarvation()
    #expect(!isWoken)
    while sender.nextSegment(mayBegin: true, at: .zero + .milliseconds(100)) != nil {}
    // 15 segments are less than a third of 65,536, and 16 are more.
    sender.take(Acknowledgement(upTo: 15), at: .zero + .milliseconds(200))
    isWoken = sender.endsStarvation()
    #expect(!isWoken)
    sender.take(Acknowledgement(upTo: 16), at: .zero + .milliseconds(200))
    isWoken = sender.endsStarvation()
    #expect(isWoken)
    isWoken = sender.endsStarvation()
    #expect(!isWoken)
  }

  @Test func threeMegabytesAreUnderWayAtMost() {
    let bench = opened(roundTripMilliseconds: 1_000)
    bench.session.server.toWrite = 20_000_000
    bench.session.drive(at: bench.now)
    var most = 0
    for _ in 0..<15_000 where bench.session.server.toWrite > 0 {
      bench.run(forMilliseconds: 1)
      most = max(most, Int(bench.session.connection?.server.sender.outstandingBytes ?? 0))
    }
    #expect(most <= 3_000_000 && most > 2_990_000)
  }
}
