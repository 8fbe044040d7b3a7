import Testing

@testable import Reactor

@Suite struct SpareTimersTests {
  private final class Owner: LoopTimerOwner {
    var fired = 0
    var onFire: () -> Void = {}

    func timerFired() {
      fired += 1
      onFire()
    }
  }

  @Test func aTimerGivenBackIsTheNextOnes() throws {
    let loop = try EventLoop()
    let timers = SpareTimers(loop: loop)
    let (first, second) = (Owner(), Owner())
    let timer = timers.take(for: first)
    // Due at once, and given back before.
    timer.arm(at: 0)
    timers.giveBack(timer)
    #expect(!timer.isArmed && timers.count == 1)
    let again = timers.take(for: second)
    #expect(again === timer && timers.count == 0)
    second.onFire = { loop.stop() }
    again.arm(at: loop.now + 1_000_000)
    loop.run()
    #expect(first.fired == 0 && second.fired == 1)
  }

  @Test func aTimerMayBeGivenBackWhenItsTimeHasCome() throws {
    let loop = try EventLoop()
    let timers = SpareTimers(loop: loop)
    let (first, second) = (Owner(), Owner())
    let timer = timers.take(for: first)
    first.onFire = {
      timers.giveBack(timer)
      timers.take(for: second).arm(at: loop.now)
    }
    second.onFire = { loop.stop() }
    timer.arm(at: loop.now)
    loop.run()
    #expect(first.fired == 1 && second.fired == 1)
  }

  @Test func itKeepsABoundedNumber() throws {
    let loop = try EventLoop()
    let timers = SpareTimers(loop: loop)
    let owner = Owner()
    let taken = (0..<SpareTimers.most + 10).map { _ in timers.take(for: owner) }
    for timer in taken { timers.giveBack(timer) }
    #expect(timers.count == SpareTimers.most)
  }

  @Test func itKeepsTheLoopNoLongerThanItself() throws {
    weak var gone: EventLoop?
    do {
      let loop = try EventLoop()
      gone = loop
      let timers = SpareTimers(loop: loop)
      timers.giveBack(timers.take(for: Owner()))
    }
    #expect(gone == nil)
  }
}
