/// One connection in the making; cancelled when dropped.
///
/// Mostly there is one address: a socket that connects, and a limit of time that is hardly ever met. Of several addresses each
/// is an ``Attempt``, and a ``DialSchedule`` decides.
package final class Dial {
  private var loop: EventLoop
  private let target: DialTarget
  private let timeoutNanoseconds: Int64
  private let deadline: Int64
  private var completion: Dialer.Completion?
  private let onConnect: (StreamSocket) -> Void
  private var request: Resolver.Request?
  /// To the one address that there is.
  private var socket: StreamSocket?
  private var schedule: DialSchedule?
  private var attempts: [Int: Attempt] = [:]
  private var timer: LoopTimer?
  var nurseryPlace: Int32 = -1
  /// While the caller is still inside `dial`, the outcome has to wait.
  private var isInsideStart = false
  /// The outcome is there, and waits for the end of this iteration of the loop.
  private var isFailing = false

  init(
    loop: EventLoop, target: DialTarget, timeoutNanoseconds: Int64, onConnect: @escaping (StreamSocket) -> Void,
    completion: @escaping Dialer.Completion
  ) {
    (self.loop, self.target, self.timeoutNanoseconds) = (loop, target, timeoutNanoseconds)
    let (deadline, overflow) = loop.now.addingReportingOverflow(timeoutNanoseconds)
    self.deadline = overflow ? .max : deadline
    (self.onConnect, self.completion) = (onConnect, completion)
  }

  /// Closes what was begun; the completion won't be called.
  package func cancel() {
    completion = nil
    end()
  }

  func start(_ addresses: [SocketAddress]) {
    isInsideStart = true
    begin(addresses)
    isInsideStart = false
  }

  func start(_ resolver: Resolver, host: String, service: String) {
    arm(at: deadline)
    request = resolver.resolve(host: host, service: service) { [unowned self] result in
      request = nil
      switch result {
      case .success(let addresses): begin(addresses)
      case .failure(let error): finish(.failure(.unresolvable(error)))
      }
    }
  }

  func failLater(_ error: DialError) {
    isFailing = true
    loop.later { [weak self] in self?.finish(.failure(error)) }
  }

  private func begin(_ addresses: [SocketAddress]) {
    if addresses.count == 1 { return connect(to: addresses[0]) }
    schedule = DialSchedule(resolved: addresses, deadline: deadline)
    perform { $0.start(at: loop.now) }
  }

  private func fail(_ error: DialError) {
    if isInsideStart { failLater(error) } else { finish(.failure(error)) }
  }

  private func finish(_ result: Result<StreamSocket, DialError>) {
    let completion = completion
    cancel()
    completion?(result)
  }

  private func end() {
    request = nil
    socket = nil
    schedule = nil
    attempts = [:]
    timer?.cancel()
    loop.nursery?.remove(self)
  }

  deinit {
    loop.nursery?.remove(self)
  }
}

@available(*, unavailable)
extension Dial: Sendable {}

// From one loop to another.
extension Dial {
  /// From now on it lives on `loop`, whose resolver this is; both loops are held by this thread. Its time runs on. What has
  /// been begun stays so, but a lookup is asked anew.
  ///
  /// - Returns: false where it has failed already and its loop is about to tell: it is to be dropped then.
  package func move(to loop: EventLoop, _ resolver: Resolver) -> Bool {
    guard !isFailing else { return false }
    let wakes = timer?.armedFor ?? (nurseryPlace >= 0 ? deadline : nil)
    timer = nil
    self.loop.nursery?.remove(self)
    self.loop = loop
    if let wakes { arm(at: wakes) }
    for socket in [socket].compactMap({ $0 }) + attempts.values.map(\.socket) {
      do throws(LoopError) {
        try socket.move(to: loop)
      } catch {
        failLater(.unreachable(socket.peerAddress, code: error.code))
      }
    }
    if request != nil, case .lookup(let host, let service) = target.way {
      request = nil
      start(resolver, host: host, service: service)
    }
    return true
  }
}

// The limit of time.
extension Dial: NurseryMember {
  private func arm(at time: Int64) {
    let timer = timer ?? LoopTimer(loop: loop) { [unowned self] in timePassed() }
    self.timer = timer
    timer.arm(at: time)
  }

  private func timePassed() {
    // Without a schedule the name is still being resolved, or there is one address.
    if schedule == nil { fail(timedOut) } else { perform { $0.timePassed(at: loop.now) } }
  }

  private var timedOut: DialError { .timedOut(target: target.description, seconds: Double(timeoutNanoseconds) / 1e9) }

  /// A timer costs each turn of the loop a call of the system, and most connections are made within a millisecond: so those
  /// have none.
  private func limitTime() {
    guard timer == nil else { return }
    // A member may have to wait for three periods until it is told.
    let isEarlyEnough = timeoutNanoseconds > 4 * (loop.nursery?.periodNanoseconds ?? .max / 4)
    if isEarlyEnough { loop.nursery?.add(self) } else { arm(at: deadline) }
  }

  func grewUp() { arm(at: deadline) }
}

// One address.
extension Dial: StreamSocketDelegate {
  private func connect(to address: SocketAddress) {
    guard loop.now < deadline else { return fail(timedOut) }
    do {
      let socket = try StreamSocket(loop: loop, connectingTo: address)
      self.socket = socket
      socket.delegate = self
      limitTime()
      onConnect(socket)
    } catch {
      fail(.unreachable(address, code: error.code))
    }
  }

  package func socketIsReady(_ socket: StreamSocket) {
    guard socket.isWritable else { return }
    let code = socket.connectOutcome()
    socket.delegate = nil
    finish(code == 0 ? .success(socket) : .failure(.unreachable(socket.peerAddress, code: code)))
  }
}

// Several addresses.
extension Dial {
  /// Carries out actions until there are none; a connect that fails at once brings new ones.
  private func perform(_ step: (inout DialSchedule) -> [DialSchedule.Action]) {
    guard schedule != nil else { return }
    var actions = step(&schedule!)
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .wake(let time): arm(at: time)
      case .connect(let attempt, let address): actions += connect(attempt, address)
      case .succeed(let attempt): succeed(attempt)
      case .fail(.timedOut): fail(timedOut)
      case .fail(.refused(let address, let code)): fail(.unreachable(address, code: code))
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
}

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
    dial.attemptEnded(index, code: socket.connectOutcome())
  }
}
