import Conditioning
import Reactor
import Settings

/// What the session tables of all loops share. It belongs to the loop that decides; sessions on the others tell it by
/// ``SessionTable/Report``s through its mailbox.
final class Hub {
  let crew: LoopCrew
  let limits: Limits
  let seed: UInt64
  let log: Log
  let events: EventLog
  let watch: LimitWatch
  let ownConnections = OwnConnections()
  let room: SessionRoom
  /// Nil where there is one loop, whose pool knows.
  let memory: MemoryUse?
  var archive: CounterArchive
  /// What this daemon is called in requests to a next proxy: two of which each is the other's would never end.
  let viaName = "headwind-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  var forward = ForwardSettings() { didSet { if forward.rules != oldValue.rules { rulesVersion += 1 } } }
  /// Another one whenever there are other rules.
  private(set) var rulesVersion = 0
  /// Proxies that have a socket. Each leaves less room for sessions; whoever changes it is in the middle of something.
  var listeners = 0 {
    didSet {
      room.setMost(limits.sessions(beside: listeners))
      roomLook.ask()
    }
  }

  /// Called when there is no more room for sessions, and when there is again.
  var onRoom: () -> Void = {}
  /// Whether there was none when that was last told.
  private var wasFull = false
  private var receiver: MailboxReceiver<HubReference>?
  /// Not by a weak reference to this object, which would make each later one to it slower.
  private lazy var roomLook = Deferral(loop: loop) { [unowned self] in roomChanged() }
  private var kept: [Int: () -> Void] = [:]
  private var lastToken = 0

  init(crew: LoopCrew, limits: Limits, seed: UInt64, log: Log, events: EventLog) throws(LoopError) {
    (self.crew, self.limits, self.seed, self.log, self.events) = (crew, limits, seed, log, events)
    watch = LimitWatch(loop: crew.loop, events: events, log: log)
    archive = CounterArchive(countMax: limits.keptCounters)
    room = SessionRoom(most: limits.sessions(beside: 0))
    memory = crew.isOne ? nil : MemoryUse()
    receiver = crew.isOne ? nil : try MailboxReceiver(loop: crew.loop, state: HubReference(self))
    if let memory { for loop in crew.loops { loop.pool.share(memory) } }
  }

  /// The loop that decides.
  var loop: EventLoop { crew.loop }
  /// The way here from another loop.
  var mailbox: Mailbox<HubReference>? { receiver?.mailbox }

  func take(_ reports: [SessionTable.Report]) {
    for report in reports { take(report) }
  }

  func take(_ report: SessionTable.Report) {
    switch report {
    case .event(let kind, let proxy, let session, let number, let time):
      events.record(kind, proxy: proxy, session: session, number: number, at: time)
    case .line(let line): log.pass(line)
    case .met(let limit, let value, let proxy): watch.met(limit, value: value, proxy: proxy)
    case .room: roomChanged()
    case .rests: roomChanged(somebodyRests: true)
    case .circle(let session, let route): onCircle(session, route)
    case .closed(let token): kept.removeValue(forKey: token)?()
    case .gone: onRemoval()
    }
  }

  /// Called when the last session of a loop is gone.
  var onRemoval: () -> Void = {}
  /// Called with the session whose upstream leads back to itself, and by which proxies.
  var onCircle: (_ session: Int, _ route: [String]) -> Void = { _, _ in }

  /// Keeps what is to be done at another loop's word, which has only the token.
  func keep(_ work: @escaping () -> Void) -> Int {
    lastToken += 1
    kept[lastToken] = work
    return lastToken
  }

  /// What has been told and not yet heard: it came before whatever is asked now.
  func takeWhatWaits() { receiver?.takeWhatWaits() }

  /// - Parameter somebodyRests: a proxy has stopped to accept by itself: it may have met the last moment without room.
  private func roomChanged(somebodyRests: Bool = false) {
    let isFull = room.isFull
    guard isFull != wasFull || (somebodyRests && !isFull) else { return }
    wasFull = isFull
    onRoom()
  }
}

@available(*, unavailable)
extension Hub: Sendable {}

/// What the hub's mailbox holds, which the hub owns.
final class HubReference {
  unowned let hub: Hub

  init(_ hub: Hub) { self.hub = hub }
}

@available(*, unavailable)
extension HubReference: Sendable {}
