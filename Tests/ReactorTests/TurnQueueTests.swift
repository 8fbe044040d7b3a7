import LoopTesting
import Testing

@testable import Reactor

/// Keeps the loop busy for a while in each of its turns.
private final class Worker: TurnTaker {
  private(set) var turns = 0
  private let nanoseconds: Int64
  private let onTurn: (Worker) -> Void

  init(nanoseconds: Int64 = 0, onTurn: @escaping (Worker) -> Void = { _ in }) {
    (self.nanoseconds, self.onTurn) = (nanoseconds, onTurn)
  }

  func takeTurn() {
    turns += 1
    let end = EventLoop.clock + nanoseconds
    while EventLoop.clock < end {}
    onTurn(self)
  }
}

@Suite struct TurnQueueTests {
  @Test func turnsComeInTheOrderOfAskingAndOnceForEachTime() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    let workers = (0..<5).map { number in Worker { _ in order.append(number) } }
    for number in [3, 1, 4, 1, 0, 2] { loop.turns.append(workers[number]) }
    try loop.runUntil { order.count == 6 }
    #expect(order == [3, 1, 4, 1, 0, 2])
    #expect(loop.turns.isEmpty)
  }

  @Test func whoHasItsTurnKnowsWhetherOthersWait() throws {
    let loop = try EventLoop()
    var waited: [Bool] = []
    let workers = (0..<3).map { _ in Worker { [unowned loop] _ in waited.append(loop.turns.hasWaiting) } }
    for worker in workers { loop.turns.append(worker) }
    try loop.runUntil { waited.count == 3 }
    #expect(waited == [true, true, false])
    #expect(!loop.turns.hasWaiting)
  }

  /// A thousand that all have much to do: a timer that is due, and work for later, come between them.
  @Test func manyThatAreBusyDontHoldUpTheRest() throws {
    let loop = try EventLoop()
    var served = 0
    let workers = (0..<1_000).map { _ in Worker(nanoseconds: 200_000) { _ in served += 1 } }
    var servedAtTimer: Int?
    var servedAtLater: Int?
    let timer = LoopTimer(loop: loop) {
      servedAtTimer = served
      loop.later { servedAtLater = served }
    }
    loop.later {
      for worker in workers { loop.turns.append(worker) }
      timer.arm(at: loop.now + 3_000_000)
    }
    try loop.runUntil { served == 1_000 }
    // 200 ms of work in all; 3 ms of it are 15 turns, and one iteration's are some 5 more.
    #expect(try #require(servedAtTimer) < 500)
    #expect(try #require(servedAtLater) < 500)
    #expect(workers.allSatisfy { $0.turns == 1 })
  }

  @Test func whoAsksInItsTurnLetsOthersInBetween() throws {
    let loop = try EventLoop()
    var isOver = false
    let greedy = Worker { [unowned loop] worker in if !isOver { loop.turns.append(worker) } }
    loop.turns.append(greedy)
    var fired = 0
    let timer = LoopTimer(loop: loop) { fired += 1 }
    timer.arm(at: loop.now + 1_000_000)
    try loop.runUntil { fired == 1 }
    #expect(greedy.turns > 1)
    isOver = true
    try loop.runUntil { loop.turns.isEmpty }
  }

  @Test func whoWaitsIsKept() throws {
    let loop = try EventLoop()
    var isDone = false
    loop.turns.append(Worker { _ in isDone = true })
    try loop.runUntil { isDone }
  }
}
