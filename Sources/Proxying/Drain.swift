import Conditioning
import Reactor

/// The end of a daemon's work: what is held is still delivered, for a bounded time.
package final class Drain {
  private let table: SessionTable
  private let completion: () -> Void
  private var isDone = false
  private lazy var timer = LoopTimer(loop: table.loop) { [unowned self] in giveUp() }

  init(table: SessionTable, completion: @escaping () -> Void) {
    self.table = table
    self.completion = completion
    table.onRemoval = { [weak self] in self?.checkDone() }
    timer.arm(at: (table.loop.instant + table.limits.drainTimeout).nanoseconds)
    for session in table.live.values { session.drain() }
    checkDone()
  }

  /// Resets what is left, at once.
  package func giveUp() {
    for session in table.live.values { session.reset(reason: .shutdown) }
    checkDone()
  }

  private func checkDone() {
    guard table.live.isEmpty, !isDone else { return }
    isDone = true
    timer.cancel()
    // Not from inside the session that has just ended.
    table.loop.later { [self] in completion() }
  }
}

@available(*, unavailable)
extension Drain: Sendable {}
