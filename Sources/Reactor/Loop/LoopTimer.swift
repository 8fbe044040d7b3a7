/// One deadline that can be armed again and again. Calls its handler on the loop, never early.
///
/// It may be dropped, cancelled or armed anew inside its own handler. Not Sendable, as ``EventTarget`` says.
package final class LoopTimer: EventTarget {
  /// One day. A longer wait wakes once a day and goes on waiting, so that no sum can overflow.
  private static let longestWaitMicroseconds: Int64 = 86_400_000_000

  private let loop: EventLoop
  private let handler: (() -> Void)?
  /// In place of a handler.
  unowned var owner: (any LoopTimerOwner)?
  /// Made when first armed: most timers of an idle session never are.
  private var handle: EventHandle?
  /// When the handler is due, nil when not armed.
  private var deadline: Int64?
  /// When libevent wakes us, nil when it won't. Earlier than the deadline if that was moved back.
  private var wakeUp: Int64?

  package init(loop: EventLoop, handler: @escaping () -> Void) {
    self.loop = loop
    self.handler = handler
  }

  /// For an owner that is to come, see ``SpareTimers``.
  init(loop: EventLoop) {
    self.loop = loop
    handler = nil
  }

  package var isArmed: Bool { deadline != nil }
  /// When the handler is due, nil when not armed.
  package var armedFor: Int64? { deadline }

  /// Fires once at `time` (``EventLoop/now``, nanoseconds) in place of an earlier arming; a time in the past means the next
  /// iteration. Moving the time back costs nothing now but one needless wake-up later.
  package func arm(at time: Int64) {
    loop.assertOnThread("LoopTimer")
    let time = max(time, 0)
    guard time != deadline else { return }
    deadline = time
    if let wakeUp, wakeUp <= time { return }
    schedule(for: time)
  }

  package func cancel() {
    loop.assertOnThread("LoopTimer")
    deadline = nil
    if wakeUp != nil {
      wakeUp = nil
      handle?.remove()
    }
  }

  private func schedule(for time: Int64) {
    if handle == nil {
      handle = EventHandle(loop: loop, descriptor: -1, flags: .timeout, target: self)
    }
    // Our clock is read before libevent's and rounded down, the wait rounded up: the sum is never before `time`.
    let nowMicroseconds = loop.now / 1_000
    loop.refreshCachedTime()
    let dueMicroseconds = time / 1_000 + (time % 1_000 > 0 ? 1 : 0)
    let wait = min(max(dueMicroseconds - nowMicroseconds, 0), LoopTimer.longestWaitMicroseconds)
    wakeUp = time
    handle?.add(afterMicroseconds: wait)
  }

  override func eventFired(_ flags: EventFlags) {
    wakeUp = nil
    guard let deadline else { return }
    let lateness = loop.now - deadline
    if lateness < 0 { return schedule(for: deadline) }
    self.deadline = nil
    loop.timerLatenessMaxNanoseconds = max(loop.timerLatenessMaxNanoseconds, lateness)
    if let handler { handler() } else { owner?.timerFired() }
  }
}
