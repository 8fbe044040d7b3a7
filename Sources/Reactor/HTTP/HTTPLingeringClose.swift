internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Reads on from a connection whose last reply is sent, until the client ends too. Closing at once with unread input would send
/// RST, which can destroy the reply before the client reads it (RFC 9112 §9.6).
final class HTTPLingeringClose: EventTarget {
  /// A client that is silent for so long has had its time to read.
  private static let silenceMaxNanoseconds: Int64 = 2_000_000_000
  /// Bounds the work per wake-up.
  private static let readsMax = 16

  private let loop: EventLoop
  private let descriptor: Int32
  private let deadline: Int64
  private var ended: (() -> Void)?
  private var handle: EventHandle?
  private var timer: LoopTimer?

  /// Takes over `descriptor` and closes it in the end; `ended` is called once, never from inside this initialiser.
  init(loop: EventLoop, descriptor: Int32, limitNanoseconds: Int64, ended: @escaping () -> Void) {
    self.loop = loop
    self.descriptor = descriptor
    self.ended = ended
    deadline = loop.now + limitNanoseconds
    super.init()
    handle = EventHandle(loop: loop, descriptor: descriptor, flags: [.read, .persist], target: self)
    timer = LoopTimer(loop: loop) { [weak self] in self?.finish() }
    extend()
    // A descriptor that can't be watched is closed by the timer.
    try? handle?.add()
  }

  deinit {
    handle = nil
    close(descriptor)
  }

  private func extend() {
    timer?.arm(at: min(loop.now + HTTPLingeringClose.silenceMaxNanoseconds, deadline))
  }

  override func eventFired(_ flags: EventFlags) {
    for _ in 0..<HTTPLingeringClose.readsMax {
      switch discard() {
      case 0: return finish()
      case 1...: continue
      default: return errno == EAGAIN || errno == EINTR ? extend() : finish()
      }
    }
    extend()
  }

  private func discard() -> Int {
    withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { read(descriptor, $0.baseAddress, $0.count) }
  }

  private func finish() {
    let ended = ended
    self.ended = nil
    ended?()
  }
}
