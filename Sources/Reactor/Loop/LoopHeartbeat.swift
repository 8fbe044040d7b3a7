/// Looks once a second how late the loop gets to a timer, and keeps the longest turn of the last minutes.
///
/// That is the only thing that wakes an idle daemon.
package final class LoopHeartbeat {
  /// How late each beat came.
  package private(set) var lag = DurationHistogram()

  private let loop: EventLoop
  private let periodNanoseconds: Int64
  /// After so many beats what was the present window becomes the last one.
  private let beatsInWindow: Int
  private var beats = 0
  private var longestTurnBefore: Int64 = 0
  private var due: Int64 = 0
  private lazy var timer = LoopTimer(loop: loop) { [unowned self] in beat() }

  package init(loop: EventLoop, periodNanoseconds: Int64 = 1_000_000_000, beatsInWindow: Int = 60) {
    self.loop = loop
    self.periodNanoseconds = periodNanoseconds
    self.beatsInWindow = beatsInWindow
    arm()
  }

  /// The longest turn of the last one to two windows: a reader who comes once in a window misses none.
  package var longestTurnNanoseconds: Int64 { max(longestTurnBefore, loop.longestTurnNanoseconds) }

  private func arm() {
    due = loop.now + periodNanoseconds
    timer.arm(at: due)
  }

  private func beat() {
    lag.record(nanoseconds: loop.now - due)
    beats += 1
    if beats.isMultiple(of: beatsInWindow) {
      longestTurnBefore = loop.longestTurnNanoseconds
      loop.longestTurnNanoseconds = 0
    }
    arm()
  }
}

@available(*, unavailable)
extension LoopHeartbeat: Sendable {}
