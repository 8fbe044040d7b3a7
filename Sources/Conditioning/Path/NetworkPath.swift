/// The network that all sessions under a profile share: two channels, and the modelled TCP connections over them.
///
/// Everything that happens, packets that arrive, timers, steps of the timeline, happens at its own time in `clock`, in the
/// order of these times, however late `advance` is called: a late wake-up delays what is written, and never adds up.
///
/// Loop-confined. The owner arms one timer for `deadline` (after driving a link, too) and drives the session of each token
/// that `poll` returns.
package final class NetworkPath {
  /// What may happen in one call; then others get their turn, and the path's clock falls behind for a moment.
  private static let eventsInARow = 20_000

  package private(set) var timeline: PathTimeline
  /// Everything that was due before has happened.
  package private(set) var clock: Instant
  package private(set) var position: PathTimeline.Position
  private let beginning: Instant
  private var upstream: Channel
  private var downstream: Channel
  private var connections: [Int: Member] = [:]
  private var timers = TimerHeap()
  private var ready = Fifo<Int>()

  private struct Member { unowned let connection: TCPConnection }

  /// - Parameters:
  ///   - seed, name: the dice of what happens to the path as a whole.
  package init(_ timeline: PathTimeline, seed: UInt64, name: String, at now: Instant) {
    self.timeline = timeline
    clock = now
    beginning = now
    position = timeline.position(after: .zero)
    let parameters = timeline.steps[position.step].parameters
    upstream = Channel(parameters.upstream, dice: SeededGenerator(seed: seed, name, "path", "upstream"))
    downstream = Channel(parameters.downstream, dice: SeededGenerator(seed: seed, name, "path", "downstream"))
  }

  package var parameters: PathParameters { timeline.steps[position.step].parameters }

  package func counters(_ direction: Direction) -> ChannelCounters {
    direction == .upstream ? upstream.counters : downstream.counters
  }

  /// Lets happen what is due, and returns the next session that is to be driven: bytes have arrived for it, or it may
  /// read on, or its handshake has come a step further. Call again until nil.
  package func poll(at now: Instant) -> Int? {
    advance(to: now)
    while let owner = ready.popFirst() {
      guard let connection = connections[owner]?.connection else { continue }
      connection.isReady = false
      return owner
    }
    return nil
  }

  /// When to poll again; `distantPast` at once, nil: never without input.
  package var deadline: Instant? {
    if !ready.isEmpty { return .distantPast }
    return nextEvent
  }

  /// New numbers act at once, on what is queued too.
  package func update(_ timeline: PathTimeline, at now: Instant) {
    guard timeline != self.timeline else { return }
    advance(to: now)
    self.timeline = timeline
    enterStep(timeline.position(after: clock - beginning))
  }

  package func advance(to now: Instant) {
    for _ in 0..<Self.eventsInARow {
      guard let next = nextEvent, next <= now else {
        clock = max(clock, now)
        return
      }
      clock = max(clock, next)
      takeEvent()
    }
  }

  private var nextEvent: Instant? {
    let change = position.ends.map { beginning + $0 }
    return [change, upstream.nextDue, downstream.nextDue, timers.first].compactMap { $0 }.min()
  }

  private func takeEvent() {
    if let ends = position.ends, beginning + ends <= clock {
      enterStep(timeline.position(after: clock - beginning))
    } else if let packet = upstream.popFirst(dueAt: clock) {
      packet.connection.receive(packet.header, .upstream, at: clock)
    } else if let packet = downstream.popFirst(dueAt: clock) {
      packet.connection.receive(packet.header, .downstream, at: clock)
    } else if let connection = timers.popFirst(dueAt: clock) {
      connection.timerIsDue(at: clock)
    }
  }

  private func enterStep(_ position: PathTimeline.Position) {
    self.position = position
    upstream.change(to: parameters.upstream, at: clock)
    downstream.change(to: parameters.downstream, at: clock)
  }
}

@available(*, unavailable) extension NetworkPath: Sendable {}

// For its connections.
extension NetworkPath {
  func send(_ packet: Packet, _ direction: Direction, dice: inout SeededGenerator) {
    switch direction {
    case .upstream: upstream.send(packet, at: clock, dice: &dice)
    case .downstream: downstream.send(packet, at: clock, dice: &dice)
    }
  }

  /// The connection's timer is to fire then, if no earlier one does.
  func arm(_ connection: TCPConnection, at instant: Instant) {
    timers.insert(connection, at: instant)
  }

  /// Its session is to be driven.
  func markReady(_ connection: TCPConnection) {
    guard !connection.isReady else { return }
    connection.isReady = true
    ready.append(connection.owner)
  }

  func connection(of owner: Int) -> TCPConnection? { connections[owner]?.connection }

  func enter(_ connection: TCPConnection) {
    connections[connection.owner] = Member(connection: connection)
  }

  /// The connection is no longer there; what it has under way arrives nowhere.
  func leave(_ connection: TCPConnection) {
    connections[connection.owner] = nil
  }

  /// Takes a connection over from another path, with what it has under way.
  func adopt(_ connection: TCPConnection, from old: NetworkPath) {
    old.leave(connection)
    enter(connection)
    upstream.adopt(old.upstream.takePackets(of: connection), at: clock)
    downstream.adopt(old.downstream.takePackets(of: connection), at: clock)
  }
}
