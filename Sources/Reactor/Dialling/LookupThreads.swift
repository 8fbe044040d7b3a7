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
/// `@unchecked Sendable`: `state` is only touched between ``withLock(_:)``'s lock and unlock, all else is constant.
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
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state = State()

  init(threadsMax: Int, queueMax: Int, idleSeconds: Int, lookup: @escaping @Sendable (String, String) -> LookupResult) {
    self.threadsMax = threadsMax
    self.queueMax = queueMax
    self.idleSeconds = idleSeconds
    self.lookup = lookup
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
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
      pthread_cond_signal(changed)
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
      pthread_cond_broadcast(changed)
    }
  }

  var threadCount: Int { withLock { $0.threads } }

  private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  fileprivate func serve() {
    while let question = nextQuestion() {
      question.answer(lookup(question.host, question.service))
    }
  }

  /// Waits for work; nil when the thread is to end.
  private func nextQuestion() -> Question? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var isTired = false
    while state.queue.isEmpty, !state.isClosed, !isTired {
      state.idleThreads += 1
      isTired = !waitForChange()
      state.idleThreads -= 1
    }
    if state.queue.isEmpty {
      state.threads -= 1
      return nil
    }
    return state.queue.removeFirst()
  }

  /// Gives up the lock meanwhile. False when the idle time has passed.
  private func waitForChange() -> Bool {
    // Wall time: should the clock jump, a thread ends sooner or later than meant, no more.
    var limit = timespec()
    clock_gettime(CLOCK_REALTIME, &limit)
    limit.tv_sec += idleSeconds
    return pthread_cond_timedwait(changed, mutex, &limit) != ETIMEDOUT
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
