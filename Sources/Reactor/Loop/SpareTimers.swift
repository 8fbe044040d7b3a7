/// Timers for owners that need one now and then: an idle one keeps none, and a busy one gets one without an allocation.
package final class SpareTimers {
  /// Kept for the next who ask; each is some 250 bytes.
  static let most = 256

  private let loop: EventLoop
  private var timers: [LoopTimer] = []

  package init(loop: EventLoop) {
    self.loop = loop
  }

  var count: Int { timers.count }

  /// A timer that isn't armed. The owner gives it back or drops it before it goes itself.
  package func take(for owner: any LoopTimerOwner) -> LoopTimer {
    let timer = timers.popLast() ?? LoopTimer(loop: loop)
    timer.owner = owner
    return timer
  }

  /// Nothing else may use the timer any more; it may be the one whose time has just come.
  package func giveBack(_ timer: LoopTimer) {
    timer.cancel()
    timer.owner = nil
    if timers.count < SpareTimers.most { timers.append(timer) }
  }
}

@available(*, unavailable)
extension SpareTimers: Sendable {}

/// Who has a timer of ``SpareTimers``.
package protocol LoopTimerOwner: AnyObject {
  func timerFired()
}
