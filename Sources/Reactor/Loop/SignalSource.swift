internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Calls a handler on the loop for each delivery of one signal. Deliveries that come close together may be counted once.
///
/// libevent serves signals of one loop per process: all sources belong on the same loop. Dropping a source restores
/// what the signal did before.
package final class SignalSource: EventTarget {
  private let loop: EventLoop
  private let handler: () -> Void
  private var handle: EventHandle?

  /// - Parameter signal: such as SIGTERM.
  package init(loop: EventLoop, signal: Int32, handler: @escaping () -> Void) throws(LoopError) {
    loop.assertOnThread("SignalSource")
    self.loop = loop
    self.handler = handler
    super.init()
    let handle = EventHandle(loop: loop, descriptor: signal, flags: [.signal, .persist], target: self)
    try handle.add()
    self.handle = consume handle
    SignalSource.unblock(signal)
  }

  /// A program started from a thread that blocks signals, as those of Dispatch do, inherits that.
  private static func unblock(_ signal: Int32) {
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, signal)
    pthread_sigmask(SIG_UNBLOCK, &only, nil)
  }

  override func eventFired(_ flags: EventFlags) {
    handler()
  }
}

/// Makes a write to a closed connection or pipe fail with EPIPE instead of ending the process.
package func ignoreBrokenPipes() {
  _ = ThisProcess.wasStartedIgnoringBrokenPipes
  signal(SIGPIPE, SIG_IGN)
}
