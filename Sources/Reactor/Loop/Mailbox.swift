internal import CLibevent

internal import Synchronization

internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The one door into a loop from other threads: jobs posted here run on the loop and receive the state kept there.
///
/// Made by a ``MailboxReceiver``. A job is `@Sendable`, so it can't smuggle anything else across.
package final class Mailbox<State>: Sendable {
  package typealias Job = @Sendable (State) -> Void

  private struct Queue: Sendable {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let queue = Mutex(Queue())
  /// Both ends live as long as anyone can post: a write never meets a closed pipe, which would raise SIGPIPE.
  private let readEnd: Int32
  private let writeEnd: Int32

  fileprivate init() throws(LoopError) {
    (readEnd, writeEnd) = try SystemCall.pipe()
  }

  deinit {
    SystemCall.close(readEnd)
    SystemCall.close(writeEnd)
  }

  /// Queues `job` for the loop, in order of posting. Returns false, and drops it, once the receiver is gone.
  @discardableResult
  package func post(_ job: @escaping Job) -> Bool {
    let (accepted, mustWake) = queue.withLock { queue -> (Bool, Bool) in
      guard !queue.isClosed else { return (false, false) }
      queue.jobs.append(job)
      return (true, queue.jobs.count == 1)
    }
    // One byte per batch: the pipe can't fill up, and the loop empties the whole queue for it.
    if mustWake { SystemCall.writeByte(to: writeEnd) }
    return accepted
  }

  fileprivate var wakeDescriptor: Int32 { readEnd }

  fileprivate func takeAll() -> [Job] {
    // Bytes first: a job posted after this is either in the batch taken below or has written a new byte.
    SystemCall.drain(readEnd)
    return queue.withLock { queue in
      let jobs = queue.jobs
      queue.jobs = []
      return jobs
    }
  }

  fileprivate func close() {
    let dropped = queue.withLock { queue in
      queue.isClosed = true
      let jobs = queue.jobs
      queue.jobs = []
      return jobs
    }
    // Freed outside the lock: what the jobs hold may post when it goes.
    _ = dropped
  }
}

/// The loop's side of a ``Mailbox``: owns the state that jobs receive. Dropping it ends delivery.
package final class MailboxReceiver<State>: EventTarget {
  package let mailbox: Mailbox<State>
  private let loop: EventLoop
  private let state: State
  private var handle: EventHandle?

  package init(loop: EventLoop, state: State) throws(LoopError) {
    loop.assertOnThread("MailboxReceiver")
    self.loop = loop
    self.state = state
    mailbox = try Mailbox()
    super.init()
    let handle = EventHandle(
      loop: loop, descriptor: mailbox.wakeDescriptor, flags: [.read, .persist], target: self)
    try handle.add()
    self.handle = consume handle
  }

  deinit {
    handle = nil
    mailbox.close()
  }

  override func eventFired(_ flags: EventFlags) { takeWhatWaits() }

  /// Runs what has been posted and not yet been run.
  package func takeWhatWaits() {
    for job in mailbox.takeAll() { job(state) }
  }
}
