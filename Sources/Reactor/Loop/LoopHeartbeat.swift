internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Looks once a second how late the loop gets to what is due, and keeps the longest turn of the last minutes.
///
/// That is the only thing that wakes an idle daemon. On Linux it is a timer of the kernel's own, which costs a busy loop
/// nothing: while any timer of libevent's is armed, each turn sets the clock of all anew (a system call, 2 to 4 % of a
/// small exchange).
package final class LoopHeartbeat: EventTarget {
  /// How late each beat came; beats that fell into one long turn count one by one, each with its own lateness.
  package private(set) var lag = DurationHistogram()

  /// After a stop of hours only so many are counted.
  private static let beatsAtOnceMax = 600

  private let loop: EventLoop
  private let periodNanoseconds: Int64
  /// After so many beats what was the present window becomes the last one.
  private let beatsInWindow: Int
  private var beats = 0
  private var longestTurnBefore: Int64 = 0
  /// When the next beat is due.
  private var due: Int64
  #if os(Linux)
    private var handle: EventHandle?
    private var descriptor: Int32 = -1
  #else
    private lazy var timer = LoopTimer(loop: loop) { [unowned self] in
      beat(Int((loop.now - due) / periodNanoseconds) + 1)
      timer.arm(at: due)
    }
  #endif

  package init(loop: EventLoop, periodNanoseconds: Int64 = 1_000_000_000, beatsInWindow: Int = 60) {
    self.loop = loop
    self.periodNanoseconds = periodNanoseconds
    self.beatsInWindow = beatsInWindow
    due = loop.now + periodNanoseconds
    super.init()
    start()
  }

  /// The longest turn of the last one to two windows: a reader who comes once in a window misses none.
  package var longestTurnNanoseconds: Int64 { max(longestTurnBefore, loop.longestTurnNanoseconds) }

  private func beat(_ count: Int) {
    let now = loop.now
    let counted = min(count, LoopHeartbeat.beatsAtOnceMax)
    due += Int64(count - counted) * periodNanoseconds
    for _ in 0..<counted {
      lag.record(nanoseconds: now - due)
      due += periodNanoseconds
      beats += 1
      if beats.isMultiple(of: beatsInWindow) {
        longestTurnBefore = loop.longestTurnNanoseconds
        loop.longestTurnNanoseconds = 0
      }
    }
  }

  #if os(Linux)
    deinit {
      handle = nil
      if descriptor >= 0 { SystemCall.close(descriptor) }
    }

    /// Without a descriptor, or memory, there is no heartbeat: the daemon has other worries then.
    private func start() {
      descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
      guard descriptor >= 0 else { return }
      var times = itimerspec(it_interval: timespec(periodNanoseconds), it_value: timespec(due))
      guard timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &times, nil) == 0 else { return }
      let handle = EventHandle(loop: loop, descriptor: descriptor, flags: [.read, .persist], target: self)
      guard (try? handle.add()) != nil else { return }
      self.handle = consume handle
    }

    override func eventFired(_ flags: EventFlags) {
      var count: UInt64 = 0
      guard read(descriptor, &count, MemoryLayout<UInt64>.size) == MemoryLayout<UInt64>.size else { return }
      beat(Int(clamping: count))
    }
  #else
    private func start() { timer.arm(at: due) }
  #endif
}

#if os(Linux)
  extension timespec {
    fileprivate init(_ nanoseconds: Int64) {
      self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
  }
#endif
