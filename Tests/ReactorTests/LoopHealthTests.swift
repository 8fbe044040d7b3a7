import LoopTesting
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct DurationHistogramTests {
  @Test func boundsBelongToTheirBuckets() {
    var histogram = DurationHistogram()
    let rows: [(nanoseconds: Int64, bucket: Int)] = [
      (0, 0), (100_000, 0), (100_001, 1), (250_000, 1), (1_000_000, 3), (1_000_001, 4), (1_000_000_000, 11),
      (1_000_000_001, 12), (.max / 2, 12), (-5, 0),
    ]
    for row in rows {
      let before = histogram.counts
      histogram.record(nanoseconds: row.nanoseconds)
      let risen = zip(before, histogram.counts).map { $1 - $0 }
      #expect(risen.firstIndex(of: 1) == row.bucket, "\(row.nanoseconds)")
      #expect(risen.reduce(0, +) == 1)
    }
    #expect(histogram.count == Int64(rows.count))
    #expect(histogram.sumNanoseconds == rows.map { max($0.nanoseconds, 0) }.reduce(0, +))
    #expect(DurationHistogram.bounds == DurationHistogram.bounds.sorted())
  }
}

/// How long the loop makes others wait.
@Suite struct LoopHealthTests {
  @Test func aLongTurnIsSeenWholeAndWaitingIsNone() throws {
    let loop = try EventLoop()
    let timer = LoopTimer(loop: loop) { usleep(30_000) }
    timer.arm(at: loop.now + 60_000_000)
    let end = LoopTimer(loop: loop) { loop.stop() }
    end.arm(at: loop.now + 120_000_000)
    let start = loop.now
    loop.run()
    let passed = loop.now - start
    #expect(loop.longestTurnNanoseconds >= 30_000_000)
    #expect(loop.turnDurations.counts[8...].reduce(0, +) >= 1, "longer than 25 ms")
    // The two waits, 60 and about 30 ms, are in no turn.
    #expect(loop.turnDurations.sumNanoseconds <= passed - 60_000_000)
  }

  @Test func workThatIsPutOffBelongsToItsTurn() throws {
    let loop = try EventLoop()
    loop.later {
      _ = loop.now
      usleep(20_000)
      loop.stop()
    }
    loop.run()
    #expect(loop.turnDurations.count == 1)
    #expect(loop.longestTurnNanoseconds >= 20_000_000)
  }

  @Test func theHeartbeatTellsHowLateItCame() throws {
    let loop = try EventLoop()
    let heartbeat = LoopHeartbeat(loop: loop, periodNanoseconds: 5_000_000, beatsInWindow: 2)
    // The long turn is what is looked for; long enough that a busy machine makes no other one like it.
    let block = LoopTimer(loop: loop) { usleep(200_000) }
    block.arm(at: loop.now + 1_000_000)
    try loop.runUntil { heartbeat.lag.count >= 7 }
    // Due after 5, 10, 15 and 20 ms, and not done before 201 ms: later than 10 ms, each of them.
    #expect(heartbeat.lag.counts[7...].reduce(0, +) >= 4)
    // Two windows later it is forgotten.
    let before = heartbeat.lag.count
    try loop.runUntil { heartbeat.lag.count >= before + 4 }
    #expect(heartbeat.longestTurnNanoseconds < 200_000_000)
  }

  @Test func theLongestTurnIsKeptForAWindow() throws {
    let loop = try EventLoop()
    let heartbeat = LoopHeartbeat(loop: loop, periodNanoseconds: 5_000_000, beatsInWindow: 100_000)
    let block = LoopTimer(loop: loop) { usleep(20_000) }
    block.arm(at: loop.now + 1_000_000)
    try loop.runUntil { heartbeat.lag.count >= 8 }
    #expect(heartbeat.longestTurnNanoseconds >= 20_000_000)
  }

  @Test func anIdleLoopIsWokenByTheHeartbeatAlone() throws {
    let loop = try EventLoop()
    let heartbeat = LoopHeartbeat(loop: loop, periodNanoseconds: 20_000_000)
    loop.run(forMilliseconds: 210)
    // Ten beats and the end; its timer may wake a moment early and wait again.
    #expect(loop.turnDurations.count <= 13)
    #expect(heartbeat.lag.count >= 1)
  }
}

@Suite struct ProcessUsageTests {
  @Test func isThisProcesss() throws {
    let usage = ProcessUsage.now()
    #expect(usage.cpuNanoseconds > 0)
    #expect(usage.maxDescriptors == (try Int64(Descriptors.softLimit())))
    let resident = try #require(usage.residentBytes)
    #expect(resident > 1_000_000 && resident < usage.virtualBytes ?? 0)
    let startedAt = try #require(usage.startedAt)
    #expect(startedAt < .now && startedAt.advanced(nanoseconds: 3_600_000_000_000) > .now)
    #expect(ProcessUsage.now().startedAt == startedAt)
  }

  @Test func countsDescriptors() throws {
    let pipes = try (0..<20).map { _ in try SystemCall.pipe() }
    defer { for pipe in pipes { for end in [pipe.read, pipe.write] { SystemCall.close(end) } } }
    // Other tests open and close some at the same time.
    #expect(try #require(ProcessUsage.now().openDescriptors) >= 40)
  }

  @Test func growsWithWork() {
    let before = ProcessUsage.now().cpuNanoseconds
    var sum: UInt64 = 0
    for number in 0..<2_000_000 as Range<UInt64> { sum = sum &* 31 &+ number }
    #expect(ProcessUsage.now().cpuNanoseconds > before || sum == 0)
  }
}
