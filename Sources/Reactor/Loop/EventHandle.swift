internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What an event waits for, and what a callback reports. One bit each, as in event2/event.h.
struct EventFlags: OptionSet {
  let rawValue: Int16

  static let timeout = EventFlags(rawValue: Int16(EV_TIMEOUT))
  static let read = EventFlags(rawValue: Int16(EV_READ))
  static let write = EventFlags(rawValue: Int16(EV_WRITE))
  static let signal = EventFlags(rawValue: Int16(EV_SIGNAL))
  static let persist = EventFlags(rawValue: Int16(EV_PERSIST))
  static let edgeTriggered = EventFlags(rawValue: Int16(EV_ET))
  static let closed = EventFlags(rawValue: Int16(EV_CLOSED))
}

/// The sole owner of one `struct event`. Freeing it also unregisters it, which is allowed inside its own callback.
///
/// The event keeps an unretained pointer to its target: the target owns the handle, so the handle goes first. The target
/// must also keep the loop alive, because unregistering needs the base.
struct EventHandle: ~Copyable {
  private let event: OpaquePointer

  /// Makes an event that isn't registered yet; `descriptor` is a file descriptor, a signal's number, or -1 for a timer.
  init(loop: EventLoop, descriptor: Int32, flags: EventFlags, target: EventTarget) {
    let context = Unmanaged.passUnretained(target).toOpaque()
    guard let event = event_new(loop.base, descriptor, flags.rawValue, eventTrampoline, context) else {
      fatalError("event_new: out of memory")
    }
    self.event = event
  }

  /// Waits for the event's descriptor or signal, without a time limit.
  borrowing func add() throws(LoopError) {
    if event_add(event, nil) != 0 { throw LoopError.last("event_add") }
  }

  /// Fires once after `microseconds`, counted from the loop's cached time. Replaces an earlier time.
  borrowing func add(afterMicroseconds microseconds: Int64) {
    var delay = timeval()
    delay.tv_sec = .init(microseconds / 1_000_000)
    delay.tv_usec = .init(microseconds % 1_000_000)
    // Of a pure timer only the growth of libevent's heap can fail.
    if event_add(event, &delay) != 0 { fatalError("event_add: out of memory") }
  }

  /// Stops waiting; a callback that is due but not yet run doesn't run.
  borrowing func remove() {
    event_del(event)
  }

  deinit {
    event_free(event)
  }
}
