internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A few threads that ask the blocking resolver, started on demand and ended when idle.
///
/// A question that hangs holds up its own thread only; when all hang, the others wait in the queue, which is limited.
///
/// `@unchecked Sendable`: `state` is only touched while the monitor is locked, all else is constant.
final class LookupThreads: @unchecked Sendable {
  struct Question: Sendable {
    let id: UInt64
    let host: String
    let service: String
    /// Called on the thread.
    let answer: @Sendable (LookupResult) -> Void
  }

  private struct State {
    var queue: [Question] = []
    var threads = 0
    var idleThreads = 0
    var isClosed = false
  }

  private let threadsMax: Int
  private let queueMax: Int
  private let idleSeconds: Int
  private let lookup: @Sendable (String, String) -> LookupResult
  private let monitor = Monitor()
  private var state = State()

  init(threadsMax: Int, queueMax: Int, idleSeconds: Int, lookup: @escaping @Sendable (String, String) -> LookupResult) {
    self.threadsMax = threadsMax
    self.queueMax = queueMax
    self.idleSeconds = idleSeconds
    self.lookup = lookup
  }

  /// Queues a question; false when too many wait or no thread can be had.
  func ask(_ question: Question) -> Bool {
    withLock { state in
      guard state.queue.count < queueMax else { return false }
      // Idle threads that were woken but haven't run yet still count; each takes one of those that wait.
      if state.queue.count >= state.idleThreads, state.threads < threadsMax {
        if startThread() { state.threads += 1 } else if state.threads == 0 { return false }
      }
      state.queue.append(question)
      monitor.wakeOne()
      return true
    }
  }

  /// Takes a question back if no thread has begun with it.
  func forget(_ id: UInt64) {
    withLock { state in state.queue.removeAll { $0.id == id } }
  }

  /// Ends the threads as soon as they can; those inside the resolver end after it.
  func close() {
    withLock { state in
      state.isClosed = true
      state.queue = []
      monitor.wakeAll()
    }
  }

  var threadCount: Int { withLock { $0.threads } }

  private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    monitor.locked { body(&state) }
  }

  fileprivate func serve() {
    while let question = nextQuestion() {
      question.answer(lookup(question.host, question.service))
    }
  }

  /// Waits for work; nil when the thread is to end.
  private func nextQuestion() -> Question? {
    monitor.locked {
      var isTired = false
      while state.queue.isEmpty, !state.isClosed, !isTired {
        state.idleThreads += 1
        isTired = !monitor.wait(seconds: idleSeconds)
        state.idleThreads -= 1
      }
      if state.queue.isEmpty {
        state.threads -= 1
        return nil
      }
      return state.queue.removeFirst()
    }
  }

  private func startThread() -> Bool {
    let context = Unmanaged.passRetained(self)
    do throws(LoopError) {
      try SystemThread.start(lookupThreadTrampoline, context.toOpaque(), isDetached: true, stackBytes: 524_288)
      return true
    } catch {
      context.release()
      return false
    }
  }
}

#if canImport(Darwin)
  private func lookupThreadTrampoline(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<LookupThreads>.fromOpaque(context).takeRetainedValue().serve()
    return nil
  }
#else
  private func lookupThreadTrampoline(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<LookupThreads>.fromOpaque(context).takeRetainedValue().serve()
    return nil
  }
#endif
