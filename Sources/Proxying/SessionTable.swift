import Conditioning
import Reactor
import Settings

/// The live sessions of one loop, and what they share there.
final class SessionTable {
  /// About what a session costs on the heap.
  private static let sessionBytes = 2_000
  /// How often those who wait for memory that other loops have are asked whether there is some.
  private static let memoryCheckTime = Interval.milliseconds(5)

  let loop: EventLoop
  let hub: Hub
  let timers: SpareTimers
  let limits: Limits
  let pipeBounds: Pipe.Bounds
  let seed: UInt64
  /// Of a loop of its own: renders here and is written there.
  let log: Log
  private let dialer: Dialer
  let resolver: Resolver
  private let memory: MemoryUse?
  /// On the loop that decides everything is told at once.
  private let isFirst: Bool
  /// Also at once, while that loop holds this one.
  var isHeld = true
  private var reports: [Report] = []
  private lazy var memoryTimer = LoopTimer(loop: loop) { [unowned self] in memoryMayBeBack() }

  private(set) var live: [Int: Session] = [:]
  private(set) var waitingForMemory: [Int: Session] = [:]
  /// By sessions of other loops, what has come in from them and is to be reset.
  private var circles: [Int: StreamSocket] = [:]

  init(loop: EventLoop, hub: Hub, resolver: Resolver) {
    (self.loop, self.hub, self.resolver) = (loop, hub, resolver)
    (limits, seed, memory) = (hub.limits, hub.seed, hub.memory)
    pipeBounds = Pipe.Bounds(hub.limits)
    isFirst = loop === hub.loop
    timers = SpareTimers(loop: loop)
    dialer = Dialer(loop: loop, resolver: resolver, timeoutNanoseconds: hub.limits.connectTimeout.nanoseconds)
    let teller = Teller()
    log = isFirst ? hub.log : Log(level: hub.log.level, format: hub.log.format) { (line: String) in teller.tell(line) }
    teller.table = self
    resolver.onFull = { [unowned self] in met(.lookups, value: limits.lookups) }
    if !isFirst { loop.atTurnEnd { [unowned self] in tellOnTurnEnd() } }
  }

  /// - Parameter origin: the connection of ours that this is the other end of.
  func open(
    _ accepted: consuming AcceptedSocket, proxy: Proxy, number: Int, from origin: OwnConnections.Outgoing? = nil
  ) {
    let session = Session(id: hub.room.nextID(), number: number, accepted: accepted, proxy: proxy, sessions: self)
    if let origin { hub.ownConnections.opened(session, from: origin) }
    live[session.id] = session
    record(.sessionOpened(client: session.client), of: session)
    log.debug("session opened", [("proxy", .string(proxy.name)), ("session", .integer(Int64(session.id)))])
    if hub.room.isFull {
      tell(.room)
    } else if proxy.isFull {
      proxy.becameFull()
    }
    // Without memory or room in the event table there is no socket to serve.
    guard session.clientSocket != nil else { return session.reset(reason: .outOfResources) }
    // At once, because it begins to connect: accepting is to stop when there is no descriptor left for that.
    session.drive()
  }

  func remove(_ session: Session, reason: CloseReason) {
    let wasProxyFull = session.proxy.isFull
    live[session.id] = nil
    waitingForMemory[session.id] = nil
    session.proxy.counters.closed[reason, default: 0] += 1
    if session.isRefusal(reason) { session.proxy.counters.refusals += 1 }
    hub.ownConnections.ended(session)
    record(.sessionClosed(SessionSum(session, reason)), of: session)
    log.debug(
      "session closed",
      [
        ("proxy", .string(session.proxy.name)), ("session", .integer(Int64(session.id))),
        ("reason", .string(reason.rawValue)),
      ])
    loop.noteHeapFreed(SessionTable.sessionBytes)
    memoryMayBeBack()
    if hub.room.giveBack() { tell(.room) }
    if wasProxyFull { session.proxy.hasRoomAgain() }
    if live.isEmpty { tell(.gone) }
  }

  func sessions(of proxy: Proxy) -> [Session] {
    proxy.counters.liveSessions == 0 ? [] : live.values.filter { $0.proxy === proxy }
  }

  /// Puts the live sessions of `proxies` under what those have adopted, in one pass over all.
  func adoptConditions(of proxies: [Proxy]) {
    let changed = Set(proxies.lazy.filter { $0.counters.liveSessions > 0 }.map(ObjectIdentifier.init))
    guard !changed.isEmpty else { return }
    // For all at one instant: what they leave behind on a path is gone through once for each.
    let now = loop.instant
    for session in live.values where changed.contains(ObjectIdentifier(session.proxy)) {
      session.adoptConditions(at: now)
    }
  }

  /// The session's upstream is found to be a proxy that it has come through.
  func refuseCircle(_ id: Int, _ route: [String]) {
    guard let session = live[id] else { return }
    session.refuseCircle(Circle(upstream: session.proxy.upstream, route: route))
  }

  func keepUntilRefused(_ accepted: consuming AcceptedSocket, of session: Int) {
    circles[session] = try? StreamSocket(loop: loop, accepted: accepted)
  }

  func endCircle(of session: Int) { circles.removeValue(forKey: session)?.reset() }

  /// The live sessions of `proxy`, which has moved, follow it; both loops are held.
  func handOver(_ proxy: Proxy, to table: SessionTable) {
    let moving = sessions(of: proxy)
    guard !moving.isEmpty else { return }
    let ids = Set(moving.map(ObjectIdentifier.init))
    loop.turns.remove { ids.contains(ObjectIdentifier($0)) }
    for session in moving {
      live[session.id] = nil
      waitingForMemory[session.id] = nil
      table.live[session.id] = session
    }
    for session in moving { session.move(to: table) }
  }

  func dial(
    _ target: DialTarget, for session: Session, completion: @escaping (Result<StreamSocket, DialError>) -> Void
  ) -> Dial {
    dialer.dial(
      target, onConnect: { [hub, unowned session] socket in hub.ownConnections.wentOut(socket, of: session) },
      completion: completion)
  }

  /// For a client of a forward proxy: to what of ours the way leads is told before anything can come of it.
  func dial(
    host: String, port: UInt16, for session: Session,
    onConnect: @escaping (SocketAddress, OwnConnections.Owner?) -> Void,
    completion: @escaping (Result<StreamSocket, DialError>) -> Void
  ) -> Dial {
    dialer.dial(
      host: host, service: "\(port)",
      onConnect: { [hub, unowned session] socket in
        let owner = hub.ownConnections.destination(of: socket)
        hub.ownConnections.wentOut(socket, of: session)
        onConnect(socket.peerAddress, owner)
      },
      completion: completion)
  }

  func note(_ decision: Decision, of session: Session) {
    let type = session.conditions.types[decision.toxic]
    record(.decision(DecisionNote(decision, type: type)), of: session)
    guard case .dropped(let how) = decision.outcome else { return }
    let kind = type?.rawValue ?? "unknown"
    session.proxy.counters.dropsByCause[.init(toxic: kind, how: how.rawValue), default: 0] += 1
    var details: [(String, JSON)] = [("toxic", .string(decision.toxic)), ("how", .string(how.rawValue))]
    if let exchange = decision.exchange { details.append(("exchange", .integer(Int64(exchange)))) }
    record("dropped", of: session, details)
  }

  // MARK: Memory

  private var bytesInQueues: Int { memory?.bytes ?? loop.pool.bytesOutstanding }

  /// True while all links together hold more than the process may.
  var isMemoryShort: Bool { bytesInQueues >= limits.processBytes }

  func waitForMemory(_ session: Session) {
    if waitingForMemory.updateValue(session, forKey: session.id) == nil {
      met(.bufferBytes, value: limits.processBytes)
    }
    if memory != nil { memoryTimer.arm(at: (loop.instant + SessionTable.memoryCheckTime).nanoseconds) }
  }

  /// To be called after memory was given back: lets those read again who stopped for want of it.
  func memoryMayBeBack() {
    guard !waitingForMemory.isEmpty else { return }
    guard bytesInQueues < limits.processBytes / 10 * 9 else {
      // Nobody here is told of what other loops give back.
      if memory != nil { memoryTimer.arm(at: (loop.instant + SessionTable.memoryCheckTime).nanoseconds) }
      return
    }
    let waiting = waitingForMemory.values
    waitingForMemory = [:]
    for session in waiting { session.driveLater() }
  }
}

@available(*, unavailable)
extension SessionTable: Sendable {}

// What is told to the loop that decides.
extension SessionTable {
  enum Report: Sendable {
    case event(Event.Kind, proxy: String?, session: Int?, number: UInt32, at: WallTime)
    /// Of the log.
    case line(String)
    case met(Limit, value: Int, proxy: String?)
    /// There is no more room for sessions, or there is again.
    case room
    /// A proxy has stopped to accept because there was no room.
    case rests
    /// A session's upstream is the very proxy that its client came through.
    case circle(session: Int, route: [String])
    /// No connection waits to be closed any more, for whom this token stands.
    case closed(Int)
    /// The last session is gone.
    case gone
  }

  func record(_ kind: Event.Kind, of session: Session) {
    record(kind, proxy: session.proxy.name, session: session.id, number: UInt32(clamping: session.number))
  }

  func record(_ type: String, of session: Session, _ details: [(String, JSON)]) {
    record(.other(type, details), of: session)
  }

  func record(_ type: String, proxy: String, _ details: [(String, JSON)]) {
    record(.other(type, details), proxy: proxy, session: nil, number: 0)
  }

  private func record(_ kind: Event.Kind, proxy: String?, session: Int?, number: UInt32) {
    tell(.event(kind, proxy: proxy, session: session, number: number, at: .now))
  }

  func met(_ limit: Limit, value: Int, proxy: String? = nil) { tell(.met(limit, value: value, proxy: proxy)) }

  /// Far ones go together at the end of this iteration of the loop.
  func tell(_ report: Report) {
    if isFirst || isHeld { hub.take(report) } else { reports.append(report) }
  }

  /// To be called by the loop that decides while it holds this one.
  func tellWhatIsLeft() {
    guard !reports.isEmpty else { return }
    let left = reports
    reports = []
    hub.take(left)
  }

  private func tellOnTurnEnd() {
    guard !reports.isEmpty else { return }
    let batch = reports
    reports = []
    hub.mailbox?.post { $0.hub.take(batch) }
  }

  /// What a table's log, which is the table's own, knows of it: the one is made before the other.
  private final class Teller {
    unowned var table: SessionTable?

    func tell(_ line: String) { table?.tell(.line(line)) }
  }
}
