import Foundation
import Synchronization
import Testing

/// Runs each test of a suite on a thread of its own, so that it may block in system calls, and only a few at once.
///
/// No test has a time limit of its own, which would count the wait at the gate: every call that a test makes has one.
///
/// Swift Testing runs tests on the cooperative pool, which has a thread per core: two blocking tests would stop the rest.
struct Blocking: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true
  /// Places in the gate that one test takes.
  var weight = 1

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Gate.shared.enter(weight)
    defer { Gate.shared.leave(weight) }
    try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
  }
}

extension Trait where Self == Blocking {
  static var blocking: Blocking { Blocking() }
  /// For what moves much data or counts time closely: little runs beside it.
  static var heavy: Blocking { Blocking(weight: 4) }
}

private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    // The block holds the executor, which the unowned reference doesn't.
    Thread.detachNewThread { withExtendedLifetime(self) { job.runSynchronously(on: executor) } }
  }
}

/// Lets a bounded weight of tests run at once, in order of arrival.
private final class Gate: Sendable {
  static let shared = Gate()

  private struct Waiter {
    let weight: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var free = 10
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())

  func enter(_ weight: Int) async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiters.append(Waiter(weight: weight, continuation: continuation)) }
      admit()
    }
  }

  func leave(_ weight: Int) {
    state.withLock { $0.free += weight }
    admit()
  }

  private func admit() {
    let admitted = state.withLock { state in
      var admitted: [Waiter] = []
      while let first = state.waiters.first, first.weight <= state.free {
        state.free -= first.weight
        admitted.append(state.waiters.removeFirst())
      }
      return admitted
    }
    for waiter in admitted { waiter.continuation.resume() }
  }
}

/// A result computed on a thread of its own.
final class Worker<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws -> Value) {
    Thread.detachNewThread { [self] in
      let outcome = Result { try body() }
      result.withLock { $0 = outcome }
      done.signal()
    }
  }

  func value(within limit: Duration = .seconds(30)) throws -> Value {
    guard done.wait(timeout: .now() + limit.seconds) == .success else { throw Overdue(what: "worker") }
    done.signal()
    guard let result = result.withLock({ $0 }) else { throw Overdue(what: "worker") }
    return try result.get()
  }
}

struct Overdue: Error {
  let what: String
}
