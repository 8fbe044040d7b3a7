import Conditioning
package import Reactor
import Settings

// Which loop a proxy lives on, and what is known of the sessions of all loops.
//
// A proxy lives on one loop, with its listener and all of its sessions. As long as they share nothing with others, that is
// its home; under a modelled network, or a rate for all, it is the first loop, like all who share that: there the order of
// events is one, whatever the number of loops. Everything here runs on the first loop, which holds the others meanwhile.
extension ProxyRegistry {
  static func tables(_ hub: Hub, _ resolver: Resolver) throws(LoopError) -> [SessionTable] {
    var tables: [SessionTable] = []
    for (index, loop) in hub.crew.loops.enumerated() {
      let own = try index == 0 ? resolver : Resolver(loop: loop, sharing: resolver, number: UInt64(index))
      tables.append(SessionTable(loop: loop, hub: hub, resolver: own))
    }
    return tables
  }

  /// Lets the further loops run, with what they have been given.
  package func startLoops() throws(LoopError) { try crew.start() }

  /// Nothing happens on the further loops from then on.
  package func stopLoops() { crew.stop() }

  func followLoops() {
    guard !crew.isOne else { return }
    crew.onHold = { [unowned self] areHeld in
      if areHeld { hub.takeWhatWaits() }
      for table in tables {
        table.isHeld = areHeld
        if areHeld { table.tellWhatIsLeft() }
      }
    }
    log.onChange = { [unowned self] in
      crew.hold()
      for table in tables.dropFirst() { (table.log.level, table.log.format) = (log.level, log.format) }
    }
  }

  /// The loop with the fewest proxies at home; of several the last, because the first has to decide, too.
  func homeForNext() -> SessionTable {
    guard !crew.isOne else { return tables[0] }
    var counts = [ObjectIdentifier: Int]()
    for proxy in proxies { counts[ObjectIdentifier(proxy.home), default: 0] += 1 }
    return tables.reversed().min { (counts[ObjectIdentifier($0)] ?? 0) < (counts[ObjectIdentifier($1)] ?? 0) }
      ?? tables[0]
  }

  /// To be called when no session of the proxy shares anything any more.
  func goHome(_ proxy: Proxy) {
    if !proxy.sharesPaths { proxy.move(to: proxy.home) }
  }

  // MARK: All loops together

  /// How many loops there are.
  package var loopCount: Int { tables.count }

  /// Live sessions, how many.
  package var sessionCount: Int { hub.room.count }

  /// Live sessions by age.
  package var sessions: [Session] {
    crew.hold()
    return tables.flatMap { $0.live.values }.sorted { $0.id < $1.id }
  }

  package func session(_ id: Int) -> Session? {
    crew.hold()
    return tables.lazy.compactMap { $0.live[id] }.first
  }

  /// By loop: live sessions, and how long its turns took.
  package var loopsInUse: [(sessions: Int, turns: DurationHistogram)] {
    crew.hold()
    return tables.map { ($0.live.count, $0.loop.turnDurations) }
  }

  /// Bytes that wait in all links together, counted in whole blocks.
  package var bufferedBytes: Int { tables.reduce(0) { $0 + $1.loop.pool.bytesOutstanding } }
  /// Bytes of memory kept for bytes to come.
  package var freeBytes: Int { tables.reduce(0) { $0 + $1.loop.pool.freeBytes } }

  /// Lookups that wait or run.
  var lookupCount: Int { tables.reduce(0) { $0 + $1.resolver.requestCount } }

  // MARK: Told by loops

  /// There is no more room for sessions, or there is again.
  func roomChanged() {
    crew.hold()
    for proxy in byName.values { try? proxy.acceptOrRefuse() }
    if hub.room.isFull { noteFull() }
  }

  /// Told once a second at most: at the limit each session that ends lets one in.
  private func noteFull() {
    hub.watch.met(.connections, value: hub.room.limit)
    guard loop.now >= nextNoteOfFull else { return }
    nextNoteOfFull = loop.now + 1_000_000_000
    let reason = "\(hub.room.limit) sessions are open, as many as there may be"
    events.record("accepting_rests", [("reason", .string(reason))])
  }

  /// The session's upstream is found to be a proxy that it has come through.
  func refuseCircle(_ id: Int, _ route: [String]) {
    crew.hold()
    for table in tables { table.refuseCircle(id, route) }
    for table in tables { table.endCircle(of: id) }
  }

  // MARK: Closing

  /// To be called before a call does anything: all loops but this one rest until the end of this iteration.
  package func beginCall() {
    crew.hold()
    closingsBefore = deferredClosings
  }

  /// To be called when a call has come that may be refused before anything is looked at.
  package func callComes() {
    if crew.mayUseAll { closingsBefore = deferredClosings }
  }

  /// Whether it has ended connections that are still to be closed.
  package var callLeftConnectionsToClose: Bool { crew.mayUseAll && deferredClosings != closingsBefore }

  private var deferredClosings: Int { tables.reduce(0) { $0 + $1.loop.closings.deferrals } }

  /// Runs `work` on the first loop when no connection waits to be closed any more, at the latest when `deadline` has come.
  package func whenClosed(before deadline: Int64, _ work: @escaping () -> Void) {
    let waiting = Countdown(tables.count, work)
    for (index, table) in tables.enumerated() {
      if index == 0 {
        table.loop.closings.whenEmpty(before: deadline) { waiting.step() }
      } else {
        let token = hub.keep { waiting.step() }
        table.loop.closings.whenEmpty(before: deadline) { [unowned table] in table.tell(.closed(token)) }
      }
    }
  }
}

/// Does something when so many have come.
private final class Countdown {
  private var count: Int
  private let work: () -> Void

  init(_ count: Int, _ work: @escaping () -> Void) {
    (self.count, self.work) = (count, work)
  }

  func step() {
    count -= 1
    if count == 0 { work() }
  }
}
