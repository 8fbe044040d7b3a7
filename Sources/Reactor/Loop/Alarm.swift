internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Rings once, at a time that need not be exact. For what the loop itself wants to do now and then while it is busy.
///
/// On Linux it is a timer of the kernel's own, for the reason that ``Ticker`` gives. Its owner is the loop, which must take it
/// down before its base.
final class Alarm: EventTarget {
  private unowned let loop: EventLoop
  private let handler: () -> Void
  private var handle: EventHandle?
  private(set) var isSet = false
  #if os(Linux)
    private var descriptor: Int32 = -1
  #endif

  init(loop: EventLoop, handler: @escaping () -> Void) {
    self.loop = loop
    self.handler = handler
    #if os(Linux)
      super.init()
      // Now, while there are descriptors.
      _ = isOpen()
    #endif
  }

  /// Rings after `nanoseconds` (more than 0), unless it is set already.
  func set(afterNanoseconds nanoseconds: Int64) {
    guard !isSet else { return }
    isSet = true
    start(nanoseconds)
  }

  private func ring() {
    isSet = false
    handler()
  }

  #if os(Linux)
    deinit {
      handle = nil
      if descriptor >= 0 { SystemCall.close(descriptor) }
    }

    /// Without a descriptor, or memory, it doesn't ring, and is tried anew when it is set the next time.
    private func start(_ nanoseconds: Int64) {
      var times = itimerspec(it_interval: timespec(0), it_value: timespec(nanoseconds))
      guard isOpen(), timerfd_settime(descriptor, 0, &times, nil) == 0 else { return isSet = false }
    }

    private func isOpen() -> Bool {
      guard handle == nil else { return true }
      if descriptor < 0 { descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC)) }
      guard descriptor >= 0 else { return false }
      let handle = EventHandle(loop: loop, descriptor: descriptor, flags: [.read, .persist], target: self)
      guard (try? handle.add()) != nil else { return false }
      self.handle = consume handle
      return true
    }

    override func eventFired(_ flags: EventFlags) {
      var count: UInt64 = 0
      if read(descriptor, &count, MemoryLayout<UInt64>.size) == MemoryLayout<UInt64>.size { ring() }
    }
  #else
    private func start(_ nanoseconds: Int64) {
      if handle == nil { handle = EventHandle(loop: loop, descriptor: -1, flags: .timeout, target: self) }
      handle?.add(afterMicroseconds: max(1, nanoseconds / 1_000))
    }

    override func eventFired(_ flags: EventFlags) { ring() }
  #endif
}
