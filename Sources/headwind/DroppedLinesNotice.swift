import Proxying
import Reactor

/// Says that lines of the log were dropped as soon as somebody takes lines again, though there be none to log then.
final class DroppedLinesNotice {
  private static let periodNanoseconds: Int64 = 1_000_000_000

  private let log: Log
  private let loop: EventLoop
  /// Armed only while there is something to be told: a timer costs a busy loop a little.
  private lazy var timer = LoopTimer(loop: loop) { [unowned self] in
    if !log.tellOfDroppedLines() { arm() }
  }

  init(_ log: Log, loop: EventLoop) {
    self.log = log
    self.loop = loop
    log.onDrop = { [weak self] in self?.arm() }
  }

  private func arm() { timer.arm(at: loop.now + DroppedLinesNotice.periodNanoseconds) }
}
