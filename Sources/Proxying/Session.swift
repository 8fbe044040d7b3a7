package import Conditioning
package import Reactor
import Settings

/// One client connection with its upstream connection: two sockets, two pipes, and at most one timer.
///
/// `drive()` is the only place where anything moves. After every input, timer or change it reads what the links accept,
/// takes from the links what is due, writes it, and arms the timer for the next deadline. It never waits.
///
/// How a session closes:
///
/// | what happens                          | upstream sees       | client sees         |
/// | ------------------------------------- | ------------------- | ------------------- |
/// | client ends (FIN)                     | end, after its data | –                   |
/// | upstream ends (FIN)                   | –                   | end, after its data |
/// | both have ended and all is delivered  | closed              | closed              |
/// | client resets (RST)                   | reset, through the toxics | –             |
/// | upstream resets (RST)                 | –                   | reset, through the toxics |
/// | upstream can't be reached             | –                   | reset               |
/// | a toxic resets                        | reset               | reset               |
/// | a toxic closes                        | end                 | end, behind what it let pass, then closed |
/// | disabled, deleted, changed, ended by the API | reset        | reset               |
/// | the daemon stops                      | what is held, then a reset where the client hadn't ended | likewise |
/// | a forward proxy refuses, or an exchange is the last | –   | the answer, then closed |
/// | the client has closed while it hangs  | nothing             | reset, after a while |
package final class Session {
  enum Phase {
    /// A toxic holds the connection itself back; the upstream isn't dialled.
    case held
    /// The handshake is on its way over the modelled path; the upstream is dialled when it gets there.
    case opening
    case dialling
    case open
    /// Ended by a toxic: what the client still sends is thrown away, for a moment, so that it sees an end and no reset.
    case lingering
    case closed
  }

  /// Rounds of reading and writing before other sockets get their turn.
  static let roundsInARow = 2
  /// Steps from one state to the next, such as the requests that a client sent at once, before others get their turn.
  static let drivesInARow = 4
  /// Pieces of a stream that a toxic cuts up, each a write of its own, before others get theirs.
  static let piecesInARow = 64
  static let lingerTime = Interval.seconds(1)
  /// What is thrown away meanwhile of what a server sends: as much as may be under way.
  static let discardedMax: Int64 = 1 << 20
  /// How long a client that has closed its side goes on hanging: it may be waiting for the answer that never comes, but
  /// far more often it has given up, and each would keep its descriptor.
  static let hangUpTime = Interval.seconds(10)
  /// On loopback an upstream refuses sooner than the client's own `connect` returns; a reset at once would make that fail,
  /// and not the first use of the connection.
  static let refusalTime = Interval.milliseconds(5)
  /// How often a session that has delivered everything looks whether the peers' systems have it.
  static let drainCheckTime = Interval.milliseconds(10)
  /// Decisions kept for the API; a connection that is kept alive for days makes one for each exchange.
  static let decisionsMax = 256

  package let id: Int
  /// Counts the sessions of one proxy from 1; with the seed it decides what the toxics do.
  package let number: Int
  package unowned let proxy: Proxy
  // In this order for size: what takes a byte lies behind an address, which leaves one.
  package let client: SocketAddress
  var phase = Phase.held
  package let openedAt = WallTime.now
  package private(set) var decisions: [Decision] = []

  /// Of the loop that it lives on.
  var sessions: SessionTable { table }
  private unowned var table: SessionTable
  var loop: EventLoop { table.loop }
  var clientSocket: StreamSocket?
  var upstreamSocket: StreamSocket?
  var dial: Dial?
  var timer: LoopTimer?
  var upstream: Pipe
  var downstream: Pipe
  var exchanges = ExchangeTracker()
  /// Of a forward proxy's session.
  var forward: ForwardState?
  /// When a client is given up: one that hangs and has closed its side, one whose upstream wasn't reached, and one that is
  /// slow to take the last bytes.
  var givesUpAt: Instant?
  private var isDriving = false
  /// So much in this turn that others are to get theirs.
  var hasReadMuch = false
  var mustDriveAgain = false
  /// See ``matchBuffers()``.
  var hasBoundBuffers = false
  /// More is to be moved at the end of this turn of the loop.
  private var isQueuedToDrive = false

  init(id: Int, number: Int, accepted: consuming AcceptedSocket, proxy: Proxy, sessions: SessionTable) {
    self.id = id
    self.number = number
    self.proxy = proxy
    table = sessions
    client = accepted.peer
    let now = sessions.loop.instant
    // What a forward proxy's session is put through is known when its client has said where it wants to go.
    let isForward = proxy.mode.isForward
    func link(_ direction: Direction) -> Link {
      let plan = isForward ? [] : proxy.conditions.plan(direction, connection: number)
      return Session.link(direction, plan, seed: sessions.seed, proxy: proxy.name, number: number, id: id, at: now)
    }
    upstream = Pipe(link: link(.upstream), pool: sessions.loop.pool)
    downstream = Pipe(link: link(.downstream), pool: sessions.loop.pool)
    if isForward {
      forward = ForwardState(mode: proxy.mode, headBytesMax: sessions.limits.forwardHeadBytes)
      phase = .open
    }
    clientSocket = try? StreamSocket(loop: sessions.loop, accepted: accepted)
    clientSocket?.delegate = self
    if !isForward, proxy.conditions.isModelled { matchBuffers() }
  }

  /// Ends the session on a user's word: both sides see a reset.
  package func end() { reset(reason: .ended) }

  /// It lives on another loop from now on, which it hasn't asked for a turn yet.
  func belongs(to table: SessionTable) {
    self.table = table
    isQueuedToDrive = false
  }

  // MARK: Commands

  /// Puts the session under its proxy's present conditions; nothing that is held is lost, reordered or let go early.
  func adoptConditions(at now: Instant) {
    guard phase != .closed, phase != .lingering else { return }
    // An end that was about to follow may be held back from now on.
    for socket in [clientSocket, upstreamSocket] { socket?.letGo() }
    if let forward {
      guard followRules(forward) else { return reset(reason: .refused) }
      guard forward.target != nil else { return }
    }
    let conditions = conditions
    for direction in Direction.allCases {
      let plan = conditions.plan(direction, connection: number)
      withPipe(direction) { pipe in
        if pipe.sink != .gone { pipe.link.change(to: plan, at: now) }
      }
    }
    if conditions.isModelled != hasBoundBuffers { matchBuffers() }
    shortenWaits(now)
    // In force from here on; what it lets go waits its turn, or a thousand busy sessions would hold up the caller.
    driveLater()
  }

  /// Ends the session: both sides see a reset.
  func reset(reason: CloseReason) {
    guard phase != .closed else { return }
    clientSocket?.reset()
    // Where many end at once no client is to get a byte more while an upstream waits to be closed.
    upstreamSocket?.reset(.behindThose)
    finish(reason)
  }

  /// Reads nothing more; the session ends when everything that it holds is delivered.
  func drain() {
    if isConnecting { return reset(reason: .shutdown) }
    if let forward, !forward.isTunnel, !forward.isExchanging, downstream.queue.isEmpty {
      return reset(reason: .shutdown)
    }
    // An end that has come by now is one: what it ends isn't cut off. (Another loop may not have heard of it yet.)
    for socket in [clientSocket, upstreamSocket] { socket?.lookAnew() }
    drive()
    for direction in Direction.allCases {
      withPipe(direction) { pipe in
        if pipe.source == .open { pipe.source = .cut }
      }
    }
    drive()
  }

  /// Moves whatever can be moved now.
  func drive() {
    guard phase != .closed else { return }
    guard !isDriving else {
      mustDriveAgain = true
      return
    }
    isDriving = true
    defer { isDriving = false }
    for _ in 0..<Session.drivesInARow {
      mustDriveAgain = false
      if phase == .lingering { discardWhatComes() } else { moveBytes() }
      guard mustDriveAgain, phase != .closed else { return }
    }
    driveLater()
  }

  private func moveBytes() {
    let now = loop.instant
    if let reason = reasonToGiveUp(now) { return reset(reason: reason) }
    if phase == .held, upstream.link.allowance > 0 { openPath(now) }
    if phase == .opening, hasReachedServer(now) { dialUpstream() }
    if let forward, !forward.isTunnel, !stepForward(forward, now) { return }
    var rounds = 0
    hasReadMuch = false
    while phase != .closed, phase != .lingering {
      let more = advance(.upstream, now)
      guard phase != .closed, phase != .lingering else { break }
      guard advance(.downstream, now) || more else { break }
      rounds += 1
      if rounds == Session.roundsInARow || hasReadMuch {
        driveLater()
        break
      }
    }
    let (up, down) = (upstream.rest, downstream.rest)
    if up.mayHaveDecided || down.mayHaveDecided { noteDecisions() }
    guard phase != .closed else { return }
    // What it waited for may have come to pass while bytes moved.
    if let forward, isWaitOver(forward, now) { mustDriveAgain = true }
    closeIfDone(up, down)
    closeIfDrained(up, down)
    guard phase != .closed else { return }
    armTimer(up, down)
    for path in paths { path.rearm() }
  }

  /// Moves what can be moved at the end of this turn of the loop, in the order of asking. Whatever wakes a session only asks:
  /// a thousand that are woken at once take many short turns, and calls and timers come in between.
  func driveLater() {
    guard !isQueuedToDrive else { return }
    isQueuedToDrive = true
    loop.turns.append(self)
  }

  /// While a source isn't read (the link is full, or the upstream isn't there yet) its reset would go unseen: the edge
  /// that told of it doesn't come again.
  private func noticeResets() {
    guard !isQueuedToDrive, phase != .lingering else { return }
    for direction in Direction.allCases where phase != .closed {
      guard let source = socket(from: direction), source.isReadable, source.hasNews, source.pendingError() != 0
      else { continue }
      sourceFailed(direction, loop.instant)
      drive()
    }
  }

  /// Set when a client that was never to be answered has closed and its time is over, or what it hung on was lifted: a
  /// request whose client is gone must not reach the upstream then. And when the upstream wasn't reached.
  private func reasonToGiveUp(_ now: Instant) -> CloseReason? {
    // Of most there is nothing to ask.
    guard givesUpAt != nil || forward != nil || clientSocket?.peerClosed ?? false else { return nil }
    let isHanging = upstream.link.isHanging || downstream.link.isHanging
    if isHanging, clientSocket?.peerClosed ?? false {
      givesUpAt = min(givesUpAt ?? .distantFuture, now + Session.hangUpTime)
    }
    if let forward, let reason = forward.closing { return mayStillDeliver(forward, now) ? nil : reason }
    guard let givesUpAt else { return nil }
    if phase == .opening, !isHanging || now < givesUpAt { return now >= givesUpAt ? .dialFailed : nil }
    if phase == .dialling, dial == nil { return now >= givesUpAt ? .dialFailed : nil }
    if now >= givesUpAt { return .dropped }
    guard !isHanging else { return nil }
    // Only the answer hung, and the whole request is there: it may be had now.
    guard upstream.sink == .ended else { return .dropped }
    self.givesUpAt = nil
    return nil
  }

  // MARK: Small parts

  /// The upstream isn't there yet.
  var isConnecting: Bool { phase == .held || phase == .opening || phase == .dialling }

  static func link(
    _ direction: Direction, _ plan: [StagePlan], seed: UInt64, proxy: String, number: Int, id: Int, at now: Instant
  ) -> Link {
    Link(
      LinkIdentity(seed: seed, proxy: proxy, session: number, direction: direction), plan: plan, owner: id, at: now)
  }

  func withPipe(_ direction: Direction, _ body: (inout Pipe) -> Void) {
    switch direction {
    case .upstream: body(&upstream)
    case .downstream: body(&downstream)
    }
  }

  func socket(from direction: Direction) -> StreamSocket? {
    direction == .upstream ? clientSocket : upstreamSocket
  }

  func socket(to direction: Direction) -> StreamSocket? {
    direction == .upstream ? upstreamSocket : clientSocket
  }

  func closeSocket(from direction: Direction) {
    socket(from: direction)?.close()
    if direction == .upstream { clientSocket = nil } else { upstreamSocket = nil }
  }

  @discardableResult
  func noteDecisions() -> [Decision] {
    let first = upstream.link.takeDecisions()
    // A toxic without a stream stands in both links and decides the same in both: told once.
    let second = downstream.link.takeDecisions().filter { other in
      !first.contains { $0.toxic == other.toxic && $0.exchange == other.exchange && $0.outcome == other.outcome }
    }
    guard !first.isEmpty || !second.isEmpty else { return [] }
    for decision in first + second { sessions.note(decision, of: self) }
    decisions = Array((decisions + first + second).suffix(Session.decisionsMax))
    return first + second
  }

  func armTimer() { armTimer(upstream.rest, downstream.rest) }

  private func armTimer(_ upstream: Pipe.Rest, _ downstream: Pipe.Rest) {
    guard phase != .lingering else { return }
    var next = Instant.distantFuture
    if let deadline = upstream.deadline { next = min(next, deadline) }
    if let deadline = downstream.deadline { next = min(next, deadline) }
    if let givesUpAt { next = min(next, givesUpAt) }
    if let drainCheck = drainCheck(upstream, downstream) { next = min(next, drainCheck) }
    if let deadline = forward?.deadline { next = min(next, deadline) }
    if next < .distantFuture {
      // Who has asked for its turn needs no timer for what is due already: it would come out of turn.
      if !isQueuedToDrive || next > loop.instant { arm(at: next) }
    } else {
      // An idle session holds no timer either: it would be a third of its memory.
      dropTimer()
    }
  }

  func dropTimer() {
    guard let timer else { return }
    self.timer = nil
    sessions.timers.giveBack(timer)
  }

  func arm(at instant: Instant) {
    let timer = timer ?? sessions.timers.take(for: self)
    self.timer = timer
    timer.arm(at: instant.nanoseconds)
  }
}

extension Session: LoopTimerOwner {
  package func timerFired() {
    if phase == .lingering { lingeringIsOver() } else { driveLater() }
  }
}

extension Session: TurnTaker {
  package func takeTurn() {
    isQueuedToDrive = false
    drive()
    noticeResets()
  }
}

extension Session: StreamSocketDelegate {
  package func socketIsReady(_ socket: StreamSocket) { driveLater() }
}

@available(*, unavailable)
extension Session: Sendable {}
