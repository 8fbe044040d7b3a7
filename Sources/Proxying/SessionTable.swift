import Conditioning
import Reactor
import Settings

/// All live sessions, and what they share: the loop, the resolver, the limits, the seed, the log.
final class SessionTable {
  /// About what a session costs on the heap.
  private static let sessionBytes = 2_000

  let loop: EventLoop
  let timers: SpareTimers
  private let dialer: Dialer
  let ownConnections: OwnConnections
  let limits: Limits
  let seed: UInt64
  let log: Log
  let events: EventLog
  let watch: LimitWatch
  var archive: CounterArchive
  /// Proxies that have a socket. Each leaves less room for sessions; whoever changes it is in the middle of something.
  var listeners = 0 { didSet { loop.later { [weak self] in self?.lookAtRoom() } } }
  /// Whether it was full when that was last told.
  private var wasFull = false
  /// What this daemon is called in requests to a next proxy: two of which each is the other's would never end.
  let viaName = "headwind-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  var forward = ForwardSettings() { didSet { if forward.rules != oldValue.rules { rulesVersion += 1 } } }
  /// Another one whenever there are other rules.
  private(set) var rulesVersion = 0

  /// Called when the table has reached its limit, and when it has come down from it.
  var onFullOrNot: () -> Void = {}
  /// Called when a session is gone.
  var onRemoval: () -> Void = {}

  private(set) var live: [Int: Session] = [:]
  private var nextID = 0
  private(set) var waitingForMemory: [Int: Session] = [:]

  init(loop: EventLoop, resolver: Resolver, limits: Limits, seed: UInt64, log: Log, events: EventLog) {
    self.loop = loop
    watch = LimitWatch(loop: loop, events: events, log: log)
    archive = CounterArchive(countMax: limits.keptCounters)
    timers = SpareTimers(loop: loop)
    dialer = Dialer(loop: loop, resolver: resolver, timeoutNanoseconds: limits.connectTimeout.nanoseconds)
    ownConnections = OwnConnections(loop: loop)
    self.limits = limits
    self.seed = seed
    self.log = log
    self.events = events
  }

  /// Live sessions that there may be now.
  var sessionsMax: Int { limits.sessions(beside: listeners) }
  var isFull: Bool { live.count >= sessionsMax }

  /// - Parameter origin: the connection of ours that this is the other end of.
  func open(
    _ accepted: consuming AcceptedSocket, proxy: Proxy, number: Int, from origin: OwnConnections.Outgoing? = nil
  ) {
    nextID += 1
    let session = Session(id: nextID, number: number, accepted: accepted, proxy: proxy, sessions: self)
    if let origin { ownConnections.opened(session, from: origin) }
    live[session.id] = session
    events.record(.sessionOpened(client: session.client), of: session)
    log.debug("session opened", [("proxy", .string(proxy.name)), ("session", .integer(Int64(session.id)))])
    if isFull {
      wasFull = true
      onFullOrNot()
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
    ownConnections.ended(session)
    events.record(.sessionClosed(SessionSum(session, reason)), of: session)
    log.debug(
      "session closed",
      [
        ("proxy", .string(session.proxy.name)), ("session", .integer(Int64(session.id))),
        ("reason", .string(reason.rawValue)),
      ])
    loop.noteHeapFreed(SessionTable.sessionBytes)
    memoryMayBeBack()
    lookAtRoom()
    if wasProxyFull { session.proxy.hasRoomAgain() }
    onRemoval()
  }

  private func lookAtRoom() {
    guard isFull != wasFull else { return }
    wasFull = isFull
    onFullOrNot()
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

  func dial(
    _ upstream: String, for session: Session, completion: @escaping (Result<StreamSocket, DialError>) -> Void
  ) -> Dial {
    do throws(EndpointError) {
      let endpoint = try Endpoint(parsing: upstream)
      // As when a program connects to an address without a host: this machine.
      let host = endpoint.host.isEmpty ? "localhost" : endpoint.host
      return dialer.dial(
        host: host, service: endpoint.service,
        onConnect: { [ownConnections, unowned session] socket in ownConnections.wentOut(socket, of: session) },
        completion: completion)
    } catch {
      return dialer.fail(.badAddress(error.description), completion: completion)
    }
  }

  /// For a client of a forward proxy: to what of ours the way leads is told before anything can come of it.
  func dial(
    host: String, port: UInt16, for session: Session,
    onConnect: @escaping (SocketAddress, OwnConnections.Owner?) -> Void,
    completion: @escaping (Result<StreamSocket, DialError>) -> Void
  ) -> Dial {
    dialer.dial(
      host: host, service: "\(port)",
      onConnect: { [ownConnections, unowned session] socket in
        let owner = ownConnections.destination(of: socket)
        ownConnections.wentOut(socket, of: session)
        onConnect(socket.peerAddress, owner)
      },
      completion: completion)
  }

  func note(_ decision: Decision, of session: Session) {
    let type = session.conditions.types[decision.toxic]
    events.record(.decision(DecisionNote(decision, type: type)), of: session)
    guard case .dropped(let how) = decision.outcome else { return }
    let kind = type?.rawValue ?? "unknown"
    session.proxy.counters.dropsByCause[.init(toxic: kind, how: how.rawValue), default: 0] += 1
    var details: [(String, JSON)] = [("toxic", .string(decision.toxic)), ("how", .string(how.rawValue))]
    if let exchange = decision.exchange { details.append(("exchange", .integer(Int64(exchange)))) }
    events.record("dropped", of: session, details)
  }

  // MARK: Memory

  /// True while all links together hold more than the process may.
  var isMemoryShort: Bool { loop.pool.bytesOutstanding >= limits.processBytes }

  func waitForMemory(_ session: Session) {
    if waitingForMemory.updateValue(session, forKey: session.id) == nil {
      watch.met(.bufferBytes, value: limits.processBytes)
    }
  }

  /// To be called after memory was given back: lets those read again who stopped for want of it.
  func memoryMayBeBack() {
    guard !waitingForMemory.isEmpty, loop.pool.bytesOutstanding < limits.processBytes / 10 * 9 else { return }
    let waiting = waitingForMemory.values
    waitingForMemory = [:]
    for session in waiting { session.driveLater() }
  }
}

@available(*, unavailable)
extension SessionTable: Sendable {}
