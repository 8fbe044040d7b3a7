/// Looks once a second how late the loop gets to what is due, and keeps the longest turn of the last minutes.
///
/// That is the only thing that wakes an idle daemon, unless a service manager wants to hear from it.
package final class LoopHeartbeat {
  /// How late each beat came; beats that fell into one long turn count one by one, each with its own lateness.
  package private(set) var lag = DurationHistogram()

  /// After a stop of hours only so many are counted.
  private static let beatsAtOnceMax = 600

  private let loop: EventLoop
  private let periodNanoseconds: Int64
  /// After so many beats what was the present window becomes the last one.
  private let beatsInWindow: Int
  private var beats = 0
  private var longestTurnBefore: Int64 = 0
  /// When the next beat is due.
  private var due: Int64
  private var ticker: Ticker?

  package init(loop: EventLoop, periodNanoseconds: Int64 = 1_000_000_000, beatsInWindow: Int = 60) {
    self.loop = loop
    self.periodNanoseconds = periodNanoseconds
    self.beatsInWindow = beatsInWindow
    due = loop.now + periodNanoseconds
    ticker = Ticker(loop: loop, first: due, periodNanoseconds: periodNanoseconds) { [unowned self] in beat($0) }
  }

  /// The longest turn of the last one to two windows: a reader who comes once in a window misses none.
  package var longestTurnNanoseconds: Int64 { max(longestTurnBefore, loop.longestTurnNanoseconds) }

  private func beat(_ count: Int) {
    let now = loop.now
    let counted = min(count, LoopHeartbeat.beatsAtOnceMax)
    due += Int64(count - counted) * periodNanoseconds
    for _ in 0..<counted {
      lag.record(nanoseconds: now - due)
      due += periodNanoseconds
      beats += 1
      if beats.isMultiple(of: beatsInWindow) {
        longestTurnBefore = loop.longestTurnNanoseconds
        loop.longestTurnNanoseconds = 0
      }
    }
  }
}

@available(*, unavailable)
extension LoopHeartbeat: Sendable {}
