/// Something that one C event reports to. A class, because C keeps a plain pointer to it.
///
/// A base class and not a protocol: the pointer then leads to the method through the object's own table, with one trampoline
/// for all.
package class EventTarget {
  init() {}

  /// Called on the loop's thread. The object may be dropped by its owner during the call.
  func eventFired(_ flags: EventFlags) {}
}

// Says the same for every subclass.
@available(*, unavailable)
extension EventTarget: Sendable {}

/// The one way from libevent's callback into an object. Holds no state; `context` is the unretained ``EventTarget`` that
/// owns the event, alive because its deinit frees the event first.
func eventTrampoline(descriptor: Int32, flags: Int16, context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let target = Unmanaged<EventTarget>.fromOpaque(context).takeUnretainedValue()
  target.eventFired(EventFlags(rawValue: flags))
}
