import Reactor

/// How late this process is woken: a timer of its own that does nothing else.
final class LatenessProbe {
  private static let nanoseconds: Int64 = 10_000_000

  private let loop: EventLoop
  private var due: Int64 = 0
  private(set) var worstMilliseconds = 0.0
  private lazy var timer = LoopTimer(loop: loop) { [unowned self] in
    worstMilliseconds = max(worstMilliseconds, Double(loop.now - due) / 1e6)
    start()
  }

  init(loop: EventLoop) {
    self.loop = loop
  }

  func start() {
    due = loop.now + LatenessProbe.nanoseconds
    timer.arm(at: due)
  }

  func stop() { timer.cancel() }
}
