import Conditioning
import Reactor

/// The end of a daemon's work: what is held is still delivered, for a bounded time.
package final class Drain {
  private let tables: [SessionTable]
  private let hub: Hub
  private let completion: () -> Void
  private var isDone = false
  private lazy var timer = LoopTimer(loop: hub.loop) { [unowned self] in giveUp() }

  init(tables: [SessionTable], hub: Hub, completion: @escaping () -> Void) {
    (self.tables, self.hub, self.completion) = (tables, hub, completion)
    hub.onRemoval = { [weak self] in self?.checkDone() }
    timer.arm(at: (hub.loop.instant + hub.limits.drainTimeout).nanoseconds)
    for table in tables {
      for session in table.live.values { session.drain() }
    }
    checkDone()
  }

  /// Resets what is left, at once.
  package func giveUp() {
    hub.crew.hold()
    for table in tables {
      for session in table.live.values { session.reset(reason: .shutdown) }
    }
    checkDone()
  }

  private func checkDone() {
    guard hub.room.count == 0, !isDone else { return }
    isDone = true
    timer.cancel()
    // Not from inside the session that has just ended.
    hub.loop.later { [self] in completion() }
  }
}

@available(*, unavailable)
extension Drain: Sendable {}
