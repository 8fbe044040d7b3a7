internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// One event loop: timers, sockets, signals and deferred work on the thread that made it, or on that of its ``LoopThread``.
///
/// Nothing here locks. All but ``Mailbox`` must be used on this thread only; debug builds check it.
package final class EventLoop {
  let base: OpaquePointer
  /// Whether the kernel tells of a peer's FIN apart from data (`EPOLLRDHUP`).
  let reportsEarlyClose: Bool
  /// What every socket of this loop is read into.
  package let readBuffer = ReadBuffer()
  /// Where the queues of this loop get their memory.
  package let pool = BlockPool()
  /// Who wants to move bytes. Half a millisecond: so long does a call wait for them at each step of its way.
  package let turns = TurnQueue(nanoseconds: 500_000)
  /// Listeners with connections to accept: these don't stand in the line of those that are served already.
  let accepts = TurnQueue(nanoseconds: 500_000)
  /// Where connections go that are to be reset.
  package let closings = ClosingQueue()
  private(set) var memoryReturn: MemoryReturn?
  /// Who is young, and will most likely be gone before it needs all that others have.
  var nursery: Nursery?
  private var owner = pthread_self()
  private var laterWork: [() -> Void] = []
  private var isStopping = false
  private var onTurnEnd: (() -> Void)?

  /// The longest that a timer ran after its time since this was last set to zero, in nanoseconds.
  package internal(set) var timerLatenessMaxNanoseconds: Int64 = 0
  /// How long each turn took in which anything was done: from its first look at the clock, which every handler begins
  /// with, to its end. What is due meanwhile waits.
  package private(set) var turnDurations = DurationHistogram()
  /// The longest turn since this was last set to zero.
  package internal(set) var longestTurnNanoseconds: Int64 = 0
  /// 0 until the turn has looked at the clock.
  private var turnBegan: Int64 = 0

  package init() throws(LoopError) {
    guard let config = event_config_new() else { throw LoopError.last("event_config_new") }
    defer { event_config_free(config) }
    // Without the precise timer libevent reads a coarse clock and waits in whole milliseconds: about 3 ms late.
    let flags = EVENT_BASE_FLAG_PRECISE_TIMER.rawValue | EVENT_BASE_FLAG_NOLOCK.rawValue
    event_config_set_flag(config, Int32(flags))
    // Sockets are registered once for both directions; without edges a paused reader would spin.
    event_config_require_features(config, Int32(EV_FEATURE_ET.rawValue))
    guard let base = event_base_new_with_config(config) else { throw LoopError.last("event_base_new") }
    self.base = base
    let features = event_base_get_features(base)
    reportsEarlyClose = features & Int32(EV_FEATURE_EARLY_CLOSE.rawValue) != 0
    let memoryReturn = MemoryReturn(loop: self)
    pool.onFree = { memoryReturn.schedule() }
    self.memoryReturn = memoryReturn
    nursery = Nursery(loop: self)
  }

  deinit {
    pool.onFree = nil
    memoryReturn = nil
    nursery = nil
    event_base_free(base)
  }

  /// Monotonic time in nanoseconds from an arbitrary zero (CLOCK_MONOTONIC). Each call reads the clock.
  package var now: Int64 {
    let time = EventLoop.clock
    if turnBegan == 0 { turnBegan = time }
    return time
  }

  /// When this turn first looked at the clock: sockets have been served since whatever was before.
  var turnStart: Int64 { turnBegan == 0 ? now : turnBegan }

  package static var clock: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Serves events until ``stop()``. Work handed to ``later(_:)`` before the end is still done.
  package func run() {
    assertOnThread("EventLoop")
    isStopping = false
    turnBegan = 0
    while !isStopping { runOnce() }
    runLaterWork()
    closings.closeAll()
  }

  /// Makes ``run()`` return after the current iteration.
  package func stop() {
    assertOnThread("EventLoop")
    isStopping = true
    event_base_loopbreak(base)
  }

  /// Runs `work` at the end of this iteration, after all callbacks that are due now; from inside such work, at the end of
  /// the next iteration, so that sockets get their turn in between.
  package func later(_ work: @escaping () -> Void) {
    assertOnThread("EventLoop")
    laterWork.append(work)
  }

  private func runOnce() {
    var flags = EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY
    if hasMoreToDo { flags |= EVLOOP_NONBLOCK }
    let result = event_base_loop(base, flags)
    precondition(result >= 0, "event_base_loop failed")
    runLaterWork()
    accepts.serve()
    turns.serve()
    closings.takeTurn()
    // Nobody waits for this.
    if closings.isEmpty { pool.releaseSomeExcess() }
    onTurnEnd?()
    endTurn()
  }

  private func endTurn() {
    guard turnBegan != 0 else { return }
    let length = EventLoop.clock - turnBegan
    turnBegan = 0
    turnDurations.record(nanoseconds: length)
    longestTurnNanoseconds = max(longestTurnNanoseconds, length)
  }

  private var hasMoreToDo: Bool {
    !laterWork.isEmpty || !turns.isEmpty || !accepts.isEmpty || !closings.isEmpty || pool.hasExcess
  }

  private func runLaterWork() {
    guard !laterWork.isEmpty else { return }
    let due = laterWork
    laterWork = []
    for work in due { work() }
  }

  /// To be told of objects that are gone for good, so that their memory goes back to the system when all is quiet.
  package func noteHeapFreed(_ bytes: Int) {
    memoryReturn?.noteHeapFreed(bytes)
  }

  /// libevent counts a timer's delay from the time it read when the iteration began; this makes that time current.
  func refreshCachedTime() {
    event_base_update_cache_time(base)
  }

  /// Lets `work` be done at the end of each iteration, when all turns are taken.
  package func atTurnEnd(_ work: @escaping () -> Void) { onTurnEnd = work }

  /// The thread that runs it, or holds it, is another one now: this one.
  func belongsToThisThread() { owner = pthread_self() }

  /// In debug builds, traps with a sentence that names `type` when called on another thread.
  func assertOnThread(_ type: StaticString) {
    assert(pthread_equal(owner, pthread_self()) != 0, "\(type) was used off its event loop's thread")
  }
}

@available(*, unavailable)
extension EventLoop: Sendable {}
