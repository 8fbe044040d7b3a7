/// All that happens on a path but the steps of its timeline: packets that arrive and timers that fire.
///
/// One value, so that the path asks it as a whole: with each part a property of a class, what the language checks at each
/// access cost more than the answers.
struct PathTraffic: ~Copyable {
  enum Event {
    case arrival(Packet, Direction)
    case timer(PathSeat)
  }

  var upstream: Channel
  var downstream: Channel
  var timers = TimerHeap()

  /// When the next event is, or, before ``settle()``, a time not later than that; `distantFuture`: there is none.
  var due: Instant { min(timers.due, min(upstream.due, downstream.due)) }

  /// Connections come and go one after the other; what that means for the packets of others is found out once.
  mutating func settle() {
    upstream.settle()
    downstream.settle()
  }

  /// At the same time packets arrive before timers fire.
  mutating func popFirst(dueAt now: Instant) -> Event? {
    if let packet = upstream.popFirst(dueAt: now) { return .arrival(packet, .upstream) }
    if let packet = downstream.popFirst(dueAt: now) { return .arrival(packet, .downstream) }
    return timers.popFirst(dueAt: now).map { .timer($0) }
  }

  mutating func change(to parameters: PathParameters, at now: Instant) {
    upstream.change(to: parameters.upstream, at: now)
    downstream.change(to: parameters.downstream, at: now)
  }
}

// When to wake up; see ``NetworkPath/deadline``. To be asked when it has settled.
extension PathTraffic {
  mutating func mark() {
    upstream.mark()
    downstream.mark()
  }

  func deadline(after lastServed: Instant) -> Instant {
    let due = timers.due
    let timer = min(lazyDeadline(due, answered: downstream), lazyDeadline(due, answered: upstream))
    return min(
      timer,
      min(
        deadline(of: upstream, answered: downstream, after: lastServed),
        deadline(of: downstream, answered: upstream, after: lastServed)))
  }

  private func deadline(
    of channel: borrowing Channel, answered other: borrowing Channel, after lastServed: Instant
  ) -> Instant {
    let visible = channel.visibleDeadline(after: lastServed)
    return channel.isVisibleNext ? visible : min(visible, lazyDeadline(channel.due, answered: other))
  }

  private func lazyDeadline(_ due: Instant, answered channel: borrowing Channel) -> Instant {
    guard due < .distantFuture else { return due }
    return min(due + NetworkPath.laziness, channel.earliestArrival(sentAt: due))
  }
}

/// A connection that moves to another path takes this along.
extension PathTraffic {
  struct Baggage {
    var upstream: [Packet]
    var downstream: [Packet]
    var timer: Instant?
  }

  mutating func take(_ seat: PathSeat, at now: Instant) -> Baggage {
    let timer = timers.due(of: seat)
    timers.remove(seat)
    return Baggage(
      upstream: upstream.takePackets(of: seat, at: now), downstream: downstream.takePackets(of: seat, at: now),
      timer: timer)
  }

  mutating func adopt(_ baggage: Baggage, as seat: PathSeat, at now: Instant) {
    upstream.adopt(baggage.upstream, as: seat, at: now)
    downstream.adopt(baggage.downstream, as: seat, at: now)
    if let timer = baggage.timer { timers.set(seat, at: timer) }
  }
}

extension Channel {
  fileprivate mutating func adopt(_ packets: [Packet], as seat: PathSeat, at now: Instant) {
    guard !packets.isEmpty else { return }
    var packets = packets
    for index in packets.indices { packets[index].seat = seat }
    adopt(packets, at: now)
  }
}
