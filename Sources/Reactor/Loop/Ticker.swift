internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Calls a handler on the loop at a steady beat, as long as it lives.
///
/// On Linux it is a timer of the kernel's own, which costs a busy loop nothing: while any timer of libevent's is armed, each
/// wait sets the kernel's timer anew (2 to 4 % of a small exchange).
package final class Ticker: EventTarget {
  private let loop: EventLoop
  private let periodNanoseconds: Int64
  private let handler: (Int) -> Void
  #if os(Linux)
    private var handle: EventHandle?
    private var descriptor: Int32 = -1
  #else
    /// When the next beat is due.
    private var due: Int64
    private lazy var timer = LoopTimer(loop: loop) { [unowned self] in beat() }
  #endif

  /// - Parameters:
  ///   - first: when the first beat is due, as ``EventLoop/now`` counts.
  ///   - handler: is given how many beats have become due since it was called last, at least 1.
  package init(loop: EventLoop, first: Int64, periodNanoseconds: Int64, handler: @escaping (Int) -> Void) {
    self.loop = loop
    self.periodNanoseconds = periodNanoseconds
    self.handler = handler
    #if !os(Linux)
      due = first
    #endif
    super.init()
    start(first)
  }

  #if os(Linux)
    deinit {
      handle = nil
      if descriptor >= 0 { SystemCall.close(descriptor) }
    }

    /// Without a descriptor, or memory, there is no beat: the daemon has other worries then.
    private func start(_ first: Int64) {
      descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
      guard descriptor >= 0 else { return }
      var times = itimerspec(it_interval: timespec(periodNanoseconds), it_value: timespec(first))
      guard timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &times, nil) == 0 else { return }
      let handle = EventHandle(loop: loop, descriptor: descriptor, flags: [.read, .persist], target: self)
      guard (try? handle.add()) != nil else { return }
      self.handle = consume handle
    }

    override func eventFired(_ flags: EventFlags) {
      var count: UInt64 = 0
      guard read(descriptor, &count, MemoryLayout<UInt64>.size) == MemoryLayout<UInt64>.size else { return }
      handler(Int(clamping: count))
    }
  #else
    private func start(_ first: Int64) { timer.arm(at: first) }

    private func beat() {
      let count = (loop.now - due) / periodNanoseconds + 1
      due += count * periodNanoseconds
      timer.arm(at: due)
      handler(Int(count))
    }
  #endif
}

#if os(Linux)
  extension timespec {
    init(_ nanoseconds: Int64) {
      self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
  }
#endif
