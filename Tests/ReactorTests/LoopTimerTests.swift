import Testing

@testable import Reactor

@Suite struct LoopTimerTests {
  @Test func firesInOrderOfTimeAndNeverEarly() throws {
    let loop = try EventLoop()
    let start = loop.now
    // Out of order, with duplicates, one in the past and sub-microsecond remainders.
    let delays: [Int64] = [9_000_001, 3_000_999, -5, 3_000_999, 20_123_456, 1_000_001]
    var fired: [(due: Int64, at: Int64)] = []
    var timers: [LoopTimer] = []
    for delay in delays {
      let timer = LoopTimer(loop: loop) {
        fired.append((start + delay, loop.now))
        if fired.count == delays.count { loop.stop() }
      }
      timer.arm(at: start + delay)
      timers.append(timer)
    }
    loop.run()
    #expect(fired.map(\.due) == fired.map(\.due).sorted())
    #expect(fired.allSatisfy { $0.at >= $0.due })
    #expect(timers.allSatisfy { !$0.isArmed })
    #expect(loop.timerLatenessMaxNanoseconds > 0)
  }

  @Test func cancelledTimerNeverFires() throws {
    let loop = try EventLoop()
    let cancelled = LoopTimer(loop: loop) { Issue.record("fired after cancel") }
    let end = LoopTimer(loop: loop) { loop.stop() }
    let start = loop.now
    cancelled.arm(at: start)
    #expect(cancelled.isArmed)
    cancelled.cancel()
    #expect(!cancelled.isArmed)
    end.arm(at: start + 5_000_000)
    loop.run()
  }

  /// Both are due in the same iteration; the first cancels the second after libevent has made it active.
  @Test func cancelWorksOnATimerAlreadyDue() throws {
    let loop = try EventLoop()
    var second: LoopTimer?
    let first = LoopTimer(loop: loop) { second?.cancel() }
    second = LoopTimer(loop: loop) { Issue.record("fired after cancel") }
    let end = LoopTimer(loop: loop) { loop.stop() }
    first.arm(at: 0)
    second?.arm(at: 0)
    end.arm(at: loop.now + 3_000_000)
    loop.run()
  }

  @Test func mayBeDroppedInItsOwnHandler() throws {
    let loop = try EventLoop()
    var timer: LoopTimer?
    weak var observed: LoopTimer?
    timer = LoopTimer(loop: loop) {
      timer = nil
      loop.stop()
    }
    observed = timer
    timer?.arm(at: loop.now + 1_000_000)
    loop.run()
    #expect(observed == nil)
  }

  @Test func movesForwardAndBack() throws {
    let loop = try EventLoop()
    var firedAt: [Int64] = []
    let timer = LoopTimer(loop: loop) {
      firedAt.append(loop.now)
      loop.stop()
    }
    let start = loop.now
    timer.arm(at: start + 2_000_000)
    timer.arm(at: start + 8_000_000)
    timer.arm(at: .max)
    timer.arm(at: start + 6_000_000)
    loop.run()
    #expect(firedAt.count == 1)
    #expect(firedAt[0] >= start + 6_000_000)

    timer.arm(at: .max)
    timer.arm(at: .min)
    loop.run()
    #expect(firedAt.count == 2)
  }

  @Test func rearmsItselfFromItsHandler() throws {
    let loop = try EventLoop()
    var count = 0
    var timer: LoopTimer?
    timer = LoopTimer(loop: loop) {
      count += 1
      if count == 100 { loop.stop() } else { timer?.arm(at: 0) }
    }
    timer?.arm(at: 0)
    loop.run()
    #expect(count == 100)
    timer = nil
  }
}
