/// The network that all sessions under a profile share: two channels, and the modelled TCP connections over them.
///
/// Everything that happens, packets that arrive, timers, steps of the timeline, happens at its own time in `clock`, in the
/// order of these times, however late `advance` is called: a late wake-up delays what is written, and never adds up.
///
/// Loop-confined. The owner arms one timer for `deadline` (after driving a link or a change, too), drives the session of
/// each token that `poll` returns, and takes the steps that have begun.
package final class NetworkPath {
  /// What may happen at a time; then others get their turn, and the path's clock falls behind for a moment.
  static let eventsInARow = 20_000
  /// Steps that nobody has taken; of more the oldest are forgotten.
  static let untakenSteps = 1_000

  package private(set) var timeline: PathTimeline
  /// Everything that was due before has happened.
  package var clock: Instant { time }
  package private(set) var position: PathTimeline.Position
  /// When the timeline began; the times of ``position`` are counted from here.
  package private(set) var beginning: Instant
  // Private, because each event asks for them: what other modules might look at is checked at each access.
  private var time: Instant
  /// `distantFuture`: the step never ends.
  private var nextStep: Instant
  private var traffic: PathTraffic
  private var seats = PathSeats()
  private var ready = ReadySeats()
  private var steps: [PathTimeline.Position] = []
  /// Renewed when time goes on and when `poll` has nothing more to say.
  private var eventsLeft = NetworkPath.eventsInARow
  private var lastCall = Instant.distantPast
  /// More is due.
  private var isBehind = false
  /// The last call that let something be seen.
  private var lastServed = Instant.distantPast

  /// - Parameters:
  ///   - seed, name: the dice of what happens to the path as a whole.
  package init(_ timeline: PathTimeline, seed: UInt64, name: String, at now: Instant) {
    self.timeline = timeline
    time = now
    beginning = now
    position = timeline.position(after: .zero)
    nextStep = position.ends.map { now + $0 } ?? .distantFuture
    let parameters = timeline.steps[position.step].parameters
    traffic = PathTraffic(
      upstream: Channel(parameters.upstream, dice: SeededGenerator(seed: seed, name, "path", "upstream"), at: now),
      downstream: Channel(parameters.downstream, dice: SeededGenerator(seed: seed, name, "path", "downstream"), at: now)
    )
  }

  package var parameters: PathParameters { timeline.steps[position.step].parameters }

  package func counters(_ direction: Direction) -> ChannelCounters {
    direction == .upstream ? traffic.upstream.counters : traffic.downstream.counters
  }

  /// Lets happen what is due, and returns the next session that is to be driven: bytes have arrived for it, or it may
  /// read on, or its handshake has come a step further. Call again until nil.
  package func poll(at now: Instant) -> Int? {
    advance(to: now)
    while let seat = ready.popFirst() {
      guard let connection = seats[seat] else { continue }
      connection.isReady = false
      return connection.owner
    }
    eventsLeft = Self.eventsInARow
    return nil
  }

  /// The steps of the timeline that have begun by themselves since the last call, in order; so the first one of a path or
  /// after an update isn't told.
  package func takeSteps() -> [PathTimeline.Position] {
    defer { steps = [] }
    return steps
  }

  /// New numbers act at once, on what is queued too; the timeline begins anew, and steps of the old one that haven't been
  /// taken are forgotten. Not for a timeline's own steps: connections take back what they did because of the old numbers.
  ///
  /// - Returns: false: these are the numbers that it has, and it goes on.
  @discardableResult
  package func update(_ timeline: PathTimeline, at now: Instant) -> Bool {
    guard timeline != self.timeline else { return false }
    advance(to: now)
    self.timeline = timeline
    beginning = clock
    steps = []
    enterStep(timeline.position(after: .zero))
    for connection in seats.connections { connection.pathChanged(at: clock) }
    return true
  }

  package func advance(to now: Instant) {
    if now > lastCall { (lastCall, eventsLeft) = (now, Self.eventsInARow) }
    if now > clock { traffic.settle() }
    var isSeen = false
    var next = nextEvent
    while next <= now, next < .distantFuture, eventsLeft > 0 {
      eventsLeft -= 1
      time = max(time, next)
      if takeEvent() { isSeen = true }
      next = nextEvent
    }
    isBehind = next <= now && next < .distantFuture
    if !isBehind { time = max(time, now) }
    if isSeen { serve(at: now) }
  }

  /// No packet is under way, or all stand still. A timer may be set: that of an acknowledgement that waits, or one that nobody
  /// needs any more and that only hasn't been taken back.
  package var isEmpty: Bool {
    traffic.settle()
    return traffic.upstream.due == .distantFuture && traffic.downstream.due == .distantFuture
  }

  /// `distantFuture`: never.
  private var nextEvent: Instant { min(nextStep, traffic.due) }

  /// At the same time a step begins before packets arrive, and these before timers fire. True if it can be seen.
  private func takeEvent() -> Bool {
    if nextStep <= clock {
      enterStep(timeline.position(after: clock - beginning))
      if steps.count == Self.untakenSteps { steps.removeFirst() }
      steps.append(position)
      return false
    }
    switch traffic.popFirst(dueAt: clock) {
    case .arrival(let packet, let direction):
      seats[packet.seat]?.receive(packet.header, direction, at: clock)
      return packet.isVisible
    case .timer(let seat):
      seats[seat]?.timerIsDue(at: clock)
      return false
    case nil:
      return false
    }
  }

  private func enterStep(_ position: PathTimeline.Position) {
    self.position = position
    nextStep = position.ends.map { beginning + $0 } ?? .distantFuture
    traffic.change(to: parameters, at: clock)
  }
}

@available(*, unavailable) extension NetworkPath: Sendable {}

// When to wake up.
extension NetworkPath {
  /// How long what arrives may wait that was under way at the last wake-up.
  static let batching = Interval.milliseconds(1)
  /// How long what can't be seen may wait at most.
  static let laziness = Interval.milliseconds(2)

  /// When to poll again; `distantPast` at once, nil: never without input.
  ///
  /// Later than the next event where nobody can tell, since each wake-up costs more than what happens at it:
  /// - A pure acknowledgement or a timer can't be seen itself, only what is sent because of it. That arrives not before the
  ///   least delay of its direction has passed, behind all that waits there already. Until then, but at most 2 ms, it may
  ///   wait: it still happens at its own time.
  /// - A packet that can be seen and was under way already when others arrived is no answer to these, so it may wait until
  ///   a millisecond has passed since then, and share a write with others; so does what comes behind it. One that was
  ///   sent later, or arrives later than that, is on time.
  package var deadline: Instant? {
    if !ready.isEmpty || isBehind { return .distantPast }
    traffic.settle()
    let deadline = min(nextStep, traffic.deadline(after: lastServed))
    return deadline < .distantFuture ? deadline : nil
  }

  private func serve(at now: Instant) {
    lastServed = now
    traffic.mark()
  }
}

// For its connections.
extension NetworkPath {
  func send(_ packet: Packet, _ direction: Direction, dice: inout SeededGenerator) {
    switch direction {
    case .upstream: traffic.upstream.send(packet, at: clock, dice: &dice)
    case .downstream: traffic.downstream.send(packet, at: clock, dice: &dice)
    }
  }

  /// The connection's timer is to fire then, if no earlier one does.
  func arm(_ connection: TCPConnection, at instant: Instant) {
    traffic.timers.set(connection.seat, at: instant)
  }

  /// Its session is to be driven.
  func markReady(_ connection: TCPConnection) {
    guard !connection.isReady else { return }
    connection.isReady = true
    ready.append(connection.seat)
  }

  /// The session's connection, for its second link; nil: this is the first one.
  func join(_ owner: Int) -> TCPConnection? {
    guard let connection = seats.claim(owner).flatMap({ seats[$0] }) else { return nil }
    connection.isJoined = true
    return connection
  }

  func enter(_ connection: TCPConnection) {
    connection.seat = seats.take(connection, owner: connection.isJoined ? nil : connection.owner)
  }

  /// The connection is no longer there; what it has under way uses the link and arrives nowhere.
  func leave(_ connection: TCPConnection) {
    traffic.timers.remove(connection.seat)
    seats.leave(connection.seat, owner: connection.owner)
    connection.seat = .none
  }

  /// Takes a connection over from another path, with its timer and what it has under way.
  func adopt(_ connection: TCPConnection, from old: NetworkPath) {
    let baggage = old.traffic.take(connection.seat, at: old.clock)
    old.leave(connection)
    enter(connection)
    traffic.adopt(baggage, as: connection.seat, at: clock)
    guard connection.isReady else { return }
    connection.isReady = false
    markReady(connection)
  }
}
