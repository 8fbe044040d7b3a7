/// The loop that decides, and further ones that only carry bytes, each on its own thread.
///
/// What lives on one of those is changed, and looked at, by the first loop's thread alone and while it holds them all
/// (``hold()``); they in turn tell it by mailbox. So nothing that a session does needs a lock.
package final class LoopCrew {
  /// File descriptors that each further loop needs for itself: the system's set of events, three timers, two mailboxes.
  package static let descriptorsOfEach = 8

  /// The loop that decides.
  package let loop: EventLoop
  private let threads: [LoopThread]
  private var isHolding = true
  private var isRunning = false
  /// Called each time that all have come to rest, and before they go on.
  package var onHold: (_ areHeld: Bool) -> Void = { _ in }

  /// The further loops are made, and held until ``start()``.
  ///
  /// - Parameter count: of all loops, 1 at least.
  package init(loop: EventLoop, count: Int) throws(LoopError) {
    self.loop = loop
    var threads: [LoopThread] = []
    for _ in 1..<max(count, 1) { threads.append(try LoopThread()) }
    self.threads = threads
  }

  deinit {
    stop()
  }

  package var isOne: Bool { threads.isEmpty }

  /// All loops; the one that decides comes first.
  package var loops: [EventLoop] { [loop] + threads.map(\.loop) }

  package func start() throws(LoopError) {
    guard !isRunning, !isOne else { return }
    isRunning = true
    onHold(false)
    for thread in threads { try thread.start() }
    isHolding = false
  }

  /// Holds the others until the end of this iteration of the deciding loop, within the length of one of their own iterations.
  package func hold() {
    guard !isOne, !isHolding else { return }
    isHolding = true
    for thread in threads { thread.askToRest() }
    for thread in threads { thread.waitUntilHeld() }
    onHold(true)
    loop.later { [weak self] in self?.release() }
  }

  /// Whether what lives on the other loops may be used.
  package var mayUseAll: Bool { isOne || isHolding }

  private func release() {
    guard isHolding, isRunning else { return }
    onHold(false)
    isHolding = false
    for thread in threads { thread.release() }
  }

  /// Ends the others; what lives on them may be used from then on, but nothing happens there any more.
  package func stop() {
    guard isRunning, !isOne else { return }
    isRunning = false
    for thread in threads { thread.stop() }
    isHolding = true
    onHold(true)
  }
}

@available(*, unavailable)
extension LoopCrew: Sendable {}
