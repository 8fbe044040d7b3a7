internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Makes outgoing connections: by name or address, over IPv6 and IPv4, with a time limit.
package final class Dialer {
  package typealias Completion = (Result<StreamSocket, DialError>) -> Void

  private let loop: EventLoop
  private let resolver: Resolver
  private let timeoutNanoseconds: Int64

  /// - Parameter timeoutNanoseconds: for resolving and connecting together; 10 s.
  package init(loop: EventLoop, resolver: Resolver, timeoutNanoseconds: Int64 = 10_000_000_000) {
    (self.loop, self.resolver, self.timeoutNanoseconds) = (loop, resolver, timeoutNanoseconds)
  }

  /// Connects to `host`, a name or a literal address, at `service`, a port number or a name such as "http".
  ///
  /// Calls `completion` on the loop, never during this call, unless the dial is cancelled or dropped first. The socket has
  /// no delegate yet, and its flags may be set already: look at them once.
  ///
  /// - Parameter onConnect: told of each connection that is begun, before its other end can have been served. Like after
  ///   connect(2), the socket has its local address.
  package func dial(
    host: String, service: String, onConnect: @escaping (StreamSocket) -> Void = { _ in },
    completion: @escaping Completion
  ) -> Dial {
    let dial = makeDial(target: "\(host):\(service)", completion)
    dial.onConnect = onConnect
    switch AddressLookup.immediate(host: host, service: service) {
    case .success(let addresses): dial.start(addresses)
    case .failure(let error): dial.failLater(.badAddress("\(host):\(service): \(error.reason)"))
    case nil: dial.start(resolver, host: host, service: service)
    }
    return dial
  }

  package func dial(host: String, port: UInt16, completion: @escaping Completion) -> Dial {
    dial(host: host, service: "\(port)", completion: completion)
  }

  package func dial(_ address: SocketAddress, completion: @escaping Completion) -> Dial {
    dial([address], completion: completion)
  }

  /// A dial that fails with `error`, as if it had been tried: for addresses that can't be one.
  package func fail(_ error: DialError, completion: @escaping Completion) -> Dial {
    let dial = makeDial(target: "", completion)
    dial.failLater(error)
    return dial
  }

  /// Connects to the first of several addresses that answers; at least one.
  func dial(_ addresses: [SocketAddress], completion: @escaping Completion) -> Dial {
    let dial = makeDial(target: "\(addresses[0])", completion)
    dial.start(addresses)
    return dial
  }

  private func makeDial(target: String, _ completion: @escaping Completion) -> Dial {
    loop.assertOnThread("Dialer")
    return Dial(loop: loop, target: target, timeoutNanoseconds: timeoutNanoseconds, completion: completion)
  }
}

@available(*, unavailable)
extension Dialer: Sendable {}

/// One connection in the making; cancelled when dropped. Carries out what its ``DialSchedule`` decides.
package final class Dial {
  private let loop: EventLoop
  private let target: String
  private let timeoutNanoseconds: Int64
  private let deadline: Int64
  private var completion: Dialer.Completion?
  fileprivate var onConnect: (StreamSocket) -> Void = { _ in }
  private var request: Resolver.Request?
  private var schedule: DialSchedule?
  private var attempts: [Int: Attempt] = [:]
  private lazy var timer = LoopTimer(loop: loop) { [unowned self] in
    // Without a schedule the name is still being resolved.
    if schedule == nil { fail(.timedOut) } else { perform { $0.timePassed(at: loop.now) } }
  }
  /// While the caller is still inside `dial`, the outcome has to wait.
  private var isInsideStart = false

  fileprivate init(loop: EventLoop, target: String, timeoutNanoseconds: Int64, completion: @escaping Dialer.Completion)
  {
    (self.loop, self.target, self.timeoutNanoseconds) = (loop, target, timeoutNanoseconds)
    let (deadline, overflow) = loop.now.addingReportingOverflow(timeoutNanoseconds)
    self.deadline = overflow ? .max : deadline
    self.completion = completion
  }

  /// Closes what was begun; the completion won't be called.
  package func cancel() {
    completion = nil
    end()
  }

  fileprivate func start(_ addresses: [SocketAddress]) {
    isInsideStart = true
    begin(addresses)
    isInsideStart = false
  }

  fileprivate func start(_ resolver: Resolver, host: String, service: String) {
    timer.arm(at: deadline)
    request = resolver.resolve(host: host, service: service) { [unowned self] result in
      request = nil
      switch result {
      case .success(let addresses): begin(addresses)
      case .failure(let error): finish(.failure(.unresolvable(error)))
      }
    }
  }

  fileprivate func failLater(_ error: DialError) {
    loop.later { [weak self] in self?.finish(.failure(error)) }
  }

  private func begin(_ addresses: [SocketAddress]) {
    schedule = DialSchedule(resolved: addresses, deadline: deadline)
    perform { $0.start(at: loop.now) }
  }

  /// Carries out actions until there are none; a connect that fails at once brings new ones.
  private func perform(_ step: (inout DialSchedule) -> [DialSchedule.Action]) {
    guard schedule != nil else { return }
    var actions = step(&schedule!)
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .wake(let time): timer.arm(at: time)
      case .connect(let attempt, let address): actions += connect(attempt, address)
      case .succeed(let attempt): succeed(attempt)
      case .fail(let failure): fail(failure)
      }
    }
  }

  private func connect(_ index: Int, _ address: SocketAddress) -> [DialSchedule.Action] {
    do {
      let socket = try StreamSocket(loop: loop, connectingTo: address)
      onConnect(socket)
      attempts[index] = Attempt(index: index, socket: socket, dial: self)
      return []
    } catch {
      return schedule?.attemptFailed(index, code: error.code, at: loop.now) ?? []
    }
  }

  fileprivate func attemptEnded(_ index: Int, code: Int32) {
    if code == 0 {
      perform { $0.attemptConnected(index) }
    } else {
      attempts[index] = nil
      perform { $0.attemptFailed(index, code: code, at: loop.now) }
    }
  }

  private func succeed(_ index: Int) {
    guard let socket = attempts[index]?.socket else { return }
    socket.delegate = nil
    finish(.success(socket))
  }

  private func fail(_ failure: DialSchedule.Failure) {
    let error: DialError
    switch failure {
    case .timedOut: error = .timedOut(target: target, seconds: Double(timeoutNanoseconds) / 1e9)
    case .refused(let address, let code): error = .unreachable(address, code: code)
    }
    if isInsideStart { failLater(error) } else { finish(.failure(error)) }
  }

  private func finish(_ result: Result<StreamSocket, DialError>) {
    let completion = completion
    cancel()
    completion?(result)
  }

  private func end() {
    request = nil
    schedule = nil
    attempts = [:]
    timer.cancel()
  }
}

@available(*, unavailable)
extension Dial: Sendable {}

/// One address being tried.
private final class Attempt: StreamSocketDelegate {
  private let index: Int
  let socket: StreamSocket
  private unowned let dial: Dial

  init(index: Int, socket: StreamSocket, dial: Dial) {
    (self.index, self.socket, self.dial) = (index, socket, dial)
    socket.delegate = self
  }

  func socketIsReady(_ socket: StreamSocket) {
    guard socket.isWritable else { return }
    dial.attemptEnded(index, code: socket.isConnectedToItself ? ECONNREFUSED : socket.pendingError())
  }
}
