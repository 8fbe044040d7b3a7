/// Has something to do that may be much, and does a bounded part of it at a time.
package protocol TurnTaker: AnyObject {
  /// Called once for each time that it was put into the queue.
  func takeTurn()
}

/// Who has something to do, in the order of asking. In each iteration of the loop they are served for a bounded time, behind
/// the callbacks of sockets, timers and requests: however many are woken at once, those are never far away.
package final class TurnQueue {
  /// What an empty queue keeps room for.
  private static let capacityKept = 1_024

  private let nanoseconds: Int64
  private var waiting: [any TurnTaker] = []
  /// How many at the front of `waiting` have had their turn.
  private var served = 0
  private var isServing = false

  /// - Parameter nanoseconds: for all turns of one iteration; the one that is under way when they are over is the last.
  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  var isEmpty: Bool { waiting.isEmpty }
  /// Whether anybody waits behind the one whose turn it is.
  package var hasWaiting: Bool { served < waiting.count }

  /// Keeps `taker` until its turn has come. Who asks twice is served twice.
  package func append(_ taker: any TurnTaker) {
    waiting.append(taker)
  }

  /// Forgets those that are still to be served; not to be called from a turn.
  package func remove(where isGone: (any TurnTaker) -> Bool) {
    assert(!isServing, "TurnQueue.remove was called from a turn")
    waiting.removeFirst(served)
    served = 0
    waiting.removeAll(where: isGone)
  }

  /// To be called at the end of each iteration of the loop.
  func serve() {
    guard !waiting.isEmpty else { return }
    isServing = true
    defer { isServing = false }
    let end = EventLoop.clock + nanoseconds
    // Who asks now is served after the next look at the sockets.
    let last = waiting.count
    while served < last {
      let taker = waiting[served]
      served += 1
      taker.takeTurn()
      if EventLoop.clock >= end { break }
    }
    forgetServed()
  }

  private func forgetServed() {
    if served == waiting.count {
      waiting.removeAll(keepingCapacity: served <= TurnQueue.capacityKept)
      served = 0
    } else if served * 2 >= waiting.count {
      waiting.removeFirst(served)
      served = 0
    }
  }
}

@available(*, unavailable)
extension TurnQueue: Sendable {}
