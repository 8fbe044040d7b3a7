/// Finds the addresses of names without holding up the loop.
package final class Resolver {
  package typealias Completion = (Result<[SocketAddress], ResolveError>) -> Void

  /// Requests that wait, each with its thread's answer still to come.
  private final class Table {
    var requests: [UInt64: WeakRequest] = [:]
  }

  private struct WeakRequest {
    weak var request: Request?
  }

  private let loop: EventLoop
  private let timeoutNanoseconds: Int64
  private let threads: LookupThreads
  /// Other resolvers ask the same threads.
  private let sharesThreads: Bool
  private let table = Table()
  private let receiver: MailboxReceiver<Table>
  private var lastID: UInt64 = 0
  /// Called when a request is refused because too many wait.
  package var onFull: () -> Void = {}

  /// Four threads.
  ///
  /// - Parameters:
  ///   - timeoutNanoseconds: for each request, waiting for a thread included; 5 s.
  ///   - requestsMax: requests that wait or are looked up at once, 5 at least.
  package convenience init(
    loop: EventLoop, timeoutNanoseconds: Int64 = 5_000_000_000, requestsMax: Int = 260
  ) throws(LoopError) {
    try self.init(
      loop: loop, timeoutNanoseconds: timeoutNanoseconds, queueMax: max(1, requestsMax - 4), lookup: AddressLookup.run)
  }

  /// With another `lookup`, for tests. Threads end after 5 idle seconds.
  init(
    loop: EventLoop, timeoutNanoseconds: Int64, threadsMax: Int = 4, queueMax: Int = 256, idleSeconds: Int = 5,
    lookup: @escaping @Sendable (String, String) -> LookupResult
  ) throws(LoopError) {
    self.loop = loop
    self.timeoutNanoseconds = timeoutNanoseconds
    threads = LookupThreads(threadsMax: threadsMax, queueMax: queueMax, idleSeconds: idleSeconds, lookup: lookup)
    sharesThreads = false
    receiver = try MailboxReceiver(loop: loop, state: table)
  }

  /// For another loop, with the threads and the limit of `first`, which must be there as long.
  ///
  /// - Parameter number: another one for each that shares them, from 1.
  package init(loop: EventLoop, sharing first: Resolver, number: UInt64) throws(LoopError) {
    self.loop = loop
    timeoutNanoseconds = first.timeoutNanoseconds
    threads = first.threads
    sharesThreads = true
    // Questions are known by their numbers there.
    lastID = number << 48
    receiver = try MailboxReceiver(loop: loop, state: table)
  }

  deinit {
    if !sharesThreads { threads.close() }
  }

  var threadCount: Int { threads.threadCount }
  /// Requests that wait or are looked up.
  package var requestCount: Int { table.requests.count }

  /// Looks up `host`, a name or a literal address, and `service`, a port number or a name such as "http".
  ///
  /// Calls `completion` on the loop, never during this call, unless the request is cancelled or dropped first.
  package func resolve(host: String, service: String, completion: @escaping Completion) -> Request {
    loop.assertOnThread("Resolver")
    lastID += 1
    let request = Request(id: lastID, host: host, loop: loop, completion: completion)
    if let answer = AddressLookup.immediate(host: host, service: service) {
      loop.later { [weak request] in request?.finish(answer) }
    } else {
      ask(request, service: service)
    }
    return request
  }

  private func ask(_ request: Request, service: String) {
    let (id, table, mailbox) = (request.id, table, receiver.mailbox)
    let question = LookupThreads.Question(id: id, host: request.host, service: service) { answer in
      mailbox.post { table in table.requests[id]?.request?.finish(answer) }
    }
    guard threads.ask(question) else {
      let busy = ResolveError(host: request.host, reason: "too many lookups are waiting")
      loop.later { [weak request] in request?.finish(.failure(busy)) }
      onFull()
      return
    }
    table.requests[id] = WeakRequest(request: request)
    request.start(timeoutNanoseconds: timeoutNanoseconds) { [threads] in
      table.requests[id] = nil
      threads.forget(id)
    }
  }

  /// One lookup; cancelled when dropped.
  package final class Request {
    fileprivate let id: UInt64
    fileprivate let host: String
    private let loop: EventLoop
    private var completion: Completion?
    private var timer: LoopTimer?
    private var withdraw: (() -> Void)?

    fileprivate init(id: UInt64, host: String, loop: EventLoop, completion: @escaping Completion) {
      (self.id, self.host, self.loop, self.completion) = (id, host, loop, completion)
    }

    deinit {
      cancel()
    }

    /// The completion won't be called. The thread's work goes on unheard if it has begun.
    package func cancel() {
      completion = nil
      timer = nil
      withdraw?()
      withdraw = nil
    }

    fileprivate func start(timeoutNanoseconds: Int64, withdraw: @escaping () -> Void) {
      self.withdraw = withdraw
      let seconds = Double(timeoutNanoseconds) / 1e9
      let text = seconds == seconds.rounded() ? "\(Int64(seconds))" : "\(seconds)"
      let late = ResolveError(host: host, reason: "timed out after \(text) s", isLate: true)
      timer = LoopTimer(loop: loop) { [unowned self] in finish(.failure(late)) }
      timer?.arm(at: loop.now + timeoutNanoseconds)
    }

    fileprivate func finish(_ result: LookupResult) {
      let completion = completion
      cancel()
      completion?(result)
    }
  }
}

@available(*, unavailable)
extension Resolver: Sendable {}

@available(*, unavailable)
extension Resolver.Request: Sendable {}
