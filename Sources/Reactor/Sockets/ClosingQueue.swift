/// Connections that are to end with a reset, closed a few at a time.
///
/// close(2) of a connection with much in its buffers frees all that and lets the peer's socket do the same: some 30 µs. A
/// thousand of them at once would hold up everything else, so what doesn't fit into this turn waits for the next ones,
/// deaf already.
package final class ClosingQueue {
  /// Which of those that wait are closed first.
  package enum Order: Sendable { case first, behindThose }

  private struct Waiter {
    let deadline: Int64
    let work: () -> Void
  }

  private let turnNanoseconds: Int64
  private var waiting: [Int32] = []
  private var waitingBehind: [Int32] = []
  private var waiters: [Waiter] = []
  private var spentNanoseconds: Int64 = 0
  /// How many have had to wait so far.
  package private(set) var deferrals = 0

  /// - Parameter turnNanoseconds: what closing may take between two looks at the other sockets.
  init(turnNanoseconds: Int64 = 4_000_000) {
    self.turnNanoseconds = turnNanoseconds
  }

  deinit {
    closeAll()
  }

  var isEmpty: Bool { waiting.isEmpty && waitingBehind.isEmpty }

  /// Resets the connection at once while time is left in this turn, else soon; the newest first, so that one of its own is
  /// not behind a thousand. Nothing else may use the descriptor.
  func reset(_ descriptor: Int32, _ order: Order) {
    SystemCall.setLingerZero(descriptor)
    if isEmpty, spentNanoseconds < turnNanoseconds { return close(descriptor) }
    deferrals += 1
    switch order {
    case .first: waiting.append(descriptor)
    case .behindThose: waitingBehind.append(descriptor)
    }
  }

  /// Runs `work` when none is left, at the latest when `deadline` has come; at once when none is.
  package func whenEmpty(before deadline: Int64, _ work: @escaping () -> Void) {
    guard !isEmpty else { return work() }
    waiters.append(Waiter(deadline: deadline, work: work))
  }

  /// To be called at the end of each iteration of the loop.
  func takeTurn() {
    spentNanoseconds = 0
    guard !isEmpty else { return }
    while spentNanoseconds < turnNanoseconds, let next = waiting.popLast() ?? waitingBehind.popLast() {
      close(next)
    }
    spentNanoseconds = 0
    wakeWaiters()
  }

  func closeAll() {
    for descriptor in waiting + waitingBehind { SystemCall.close(descriptor) }
    (waiting, waitingBehind) = ([], [])
  }

  private func close(_ descriptor: Int32) {
    let begin = EventLoop.clock
    SystemCall.close(descriptor)
    spentNanoseconds += EventLoop.clock - begin
  }

  private func wakeWaiters() {
    let now = EventLoop.clock
    let due = waiters.filter { isEmpty || $0.deadline <= now }
    guard !due.isEmpty else { return }
    waiters.removeAll { isEmpty || $0.deadline <= now }
    for waiter in due { waiter.work() }
  }
}

@available(*, unavailable)
extension ClosingQueue: Sendable {}
