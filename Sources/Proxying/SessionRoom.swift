import Synchronization

/// How many sessions there are on all loops together, and how many there may be.
final class SessionRoom: Sendable {
  private let taken = Atomic<Int>(0)
  private let most: Atomic<Int>
  private let newest = Atomic<Int>(0)

  init(most: Int) {
    self.most = Atomic(most)
  }

  var count: Int { taken.load(ordering: .relaxed) }
  var limit: Int { most.load(ordering: .relaxed) }
  var isFull: Bool { count >= limit }

  /// Sessions are numbered from 1 in the order in which they open.
  func nextID() -> Int { newest.add(1, ordering: .relaxed).newValue }

  func setMost(_ count: Int) { most.store(count, ordering: .relaxed) }

  /// Room for one more session; false when there is none.
  func take() -> Bool {
    var before = count
    while before < limit {
      let (isDone, found) = taken.weakCompareExchange(expected: before, desired: before + 1, ordering: .relaxed)
      if isDone { return true }
      before = found
    }
    return false
  }

  /// - Returns: whether there was none before.
  func giveBack() -> Bool {
    taken.subtract(1, ordering: .relaxed).oldValue >= limit
  }
}
