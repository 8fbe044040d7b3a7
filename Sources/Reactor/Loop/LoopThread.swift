internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// One more event loop, on a thread of its own, which the thread that made it can hold.
///
/// While the loop is held it rests between two iterations, and the holder may use all that lives on it as if it were its own:
/// the thread that gave it up and the holder meet at the same lock, so what either wrote is there for the other. Before
/// ``start()`` it is held.
package final class LoopThread {
  /// To be used by the holder only.
  package let loop: EventLoop
  private let brake = Brake()
  private let receiver: MailboxReceiver<EventLoop>
  private var thread: pthread_t?
  private var isHeld = true

  package init() throws(LoopError) {
    loop = try EventLoop()
    receiver = try MailboxReceiver(loop: loop, state: loop)
  }

  deinit {
    precondition(thread == nil, "a loop's thread must be stopped before it is dropped")
  }

  /// Lets the loop go, for the first time.
  package func start() throws(LoopError) {
    precondition(thread == nil, "a loop's thread is started once")
    let run = Unmanaged.passRetained(Run(loop: loop, brake: brake))
    brake.release()
    do throws(LoopError) {
      thread = try SystemThread.start(loopThreadTrampoline, run.toOpaque(), isDetached: false)
    } catch {
      run.release()
      throw error
    }
    isHeld = false
  }

  /// Asks the loop to rest, which it does when its present iteration is over. ``waitUntilHeld()`` is to follow.
  package func askToRest() {
    guard !isHeld else { return }
    brake.ask()
    receiver.mailbox.post { [brake] loop in loop.later { brake.rest(loop) } }
  }

  package func waitUntilHeld() {
    guard !isHeld else { return }
    brake.waitUntilHeld()
    loop.belongsToThisThread()
    isHeld = true
  }

  package func release() {
    guard isHeld, thread != nil else { return }
    isHeld = false
    brake.release()
  }

  /// Ends the loop and waits for its thread. Held from then on, for good.
  package func stop() {
    guard let thread else { return }
    askToRest()
    waitUntilHeld()
    loop.stop()
    release()
    pthread_join(thread, nil)
    self.thread = nil
    loop.belongsToThisThread()
    isHeld = true
  }

  /// What the thread is started with.
  fileprivate final class Run {
    private let loop: EventLoop
    private let brake: Brake

    init(loop: EventLoop, brake: Brake) {
      (self.loop, self.brake) = (loop, brake)
    }

    func serve() {
      loop.belongsToThisThread()
      loop.run()
    }
  }
}

@available(*, unavailable)
extension LoopThread: Sendable {}

#if canImport(Darwin)
  private func loopThreadTrampoline(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<LoopThread.Run>.fromOpaque(context).takeRetainedValue().serve()
    return nil
  }
#else
  private func loopThreadTrampoline(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<LoopThread.Run>.fromOpaque(context).takeRetainedValue().serve()
    return nil
  }
#endif

/// Where a loop's thread rests while another one holds the loop.
///
/// `@unchecked Sendable`: the variables are only touched while the monitor is locked.
private final class Brake: @unchecked Sendable {
  private let monitor = Monitor()
  private var isWanted = true
  private var isResting = false

  func ask() { monitor.locked { isWanted = true } }

  func release() {
    monitor.locked {
      isWanted = false
      monitor.wakeAll()
    }
  }

  func waitUntilHeld() {
    monitor.locked { while !isResting { monitor.wait() } }
  }

  /// On the loop's own thread.
  func rest(_ loop: EventLoop) {
    monitor.locked {
      guard isWanted else { return }
      isResting = true
      monitor.wakeAll()
      while isWanted { monitor.wait() }
      isResting = false
    }
    loop.belongsToThisThread()
  }
}
