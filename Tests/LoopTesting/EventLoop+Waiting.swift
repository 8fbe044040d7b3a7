package import Reactor

/// What a condition that never comes true is reported as.
package struct TimedOut: Error {
  package init() {}
}

extension EventLoop {
  /// Serves events until `condition` holds; throws when it doesn't within `seconds`, which only a failing test needs.
  package func runUntil(seconds: Int64 = 60, _ condition: @escaping () -> Bool) throws {
    let limit = now + seconds * 1_000_000_000
    var check: LoopTimer?
    check = LoopTimer(loop: self) { [unowned self] in
      if condition() || now >= limit { stop() } else { check?.arm(at: now + 200_000) }
    }
    check?.arm(at: 0)
    run()
    check = nil
    if !condition() { throw TimedOut() }
  }

  /// Serves events for a while: for what must not happen.
  package func run(forMilliseconds milliseconds: Int64) {
    let timer = LoopTimer(loop: self) { [unowned self] in stop() }
    timer.arm(at: now + milliseconds * 1_000_000)
    run()
  }
}
