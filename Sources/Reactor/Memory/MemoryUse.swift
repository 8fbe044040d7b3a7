internal import Synchronization

/// What the queues of several loops cost together.
package final class MemoryUse: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package var bytes: Int { count.load(ordering: .relaxed) }

  func add(_ bytes: Int) { count.add(bytes, ordering: .relaxed) }
}
