internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Gives memory back to the system half a second after it fell free, so that a burst doesn't take it anew each time.
///
/// Empty slabs of the pool go first, bit by bit. The heap is trimmed when much of it was freed and all has been quiet since: glibc
/// keeps what is freed below its heap's top otherwise, and a trim walks the whole heap; other systems need no help.
final class MemoryReturn {
  /// Freed bytes of the heap that make a trim worth its time.
  private static let worthwhileBytes = 1_048_576
  private static let pauseNanoseconds: Int64 = 500_000_000

  /// Unowned, because the loop owns this object and takes it down before its base.
  private unowned let loop: EventLoop
  private(set) var freedBytes = 0
  private var freedBytesAtLastLook = 0
  private lazy var alarm = Alarm(loop: loop) { [unowned self] in look() }

  init(loop: EventLoop) {
    self.loop = loop
    _ = alarm
  }

  func noteHeapFreed(_ bytes: Int) {
    freedBytes += bytes
    if freedBytes >= MemoryReturn.worthwhileBytes { schedule() }
  }

  func schedule() {
    alarm.set(afterNanoseconds: MemoryReturn.pauseNanoseconds)
  }

  private func look() {
    loop.pool.shrink()
    guard freedBytes >= MemoryReturn.worthwhileBytes else { return }
    guard freedBytes == freedBytesAtLastLook else {
      freedBytesAtLastLook = freedBytes
      return schedule()
    }
    (freedBytes, freedBytesAtLastLook) = (0, 0)
    #if canImport(Glibc)
      _ = malloc_trim(0)
    #endif
  }
}
