internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A lock, and a way to wait inside it until something has changed. Like pthread_mutex_t with pthread_cond_t.
///
/// `@unchecked Sendable`: both pointers are constant, and what they point to is made for several threads.
final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  // Inside of ``locked(_:)``:

  /// Gives up the lock meanwhile.
  func wait() { pthread_cond_wait(changed, mutex) }

  /// Gives up the lock meanwhile. False when `seconds` have passed; by wall time: should that jump, sooner or later than meant.
  func wait(seconds: Int) -> Bool {
    var limit = timespec()
    clock_gettime(CLOCK_REALTIME, &limit)
    limit.tv_sec += seconds
    return pthread_cond_timedwait(changed, mutex, &limit) != ETIMEDOUT
  }

  func wakeOne() { pthread_cond_signal(changed) }
  func wakeAll() { pthread_cond_broadcast(changed) }
}
