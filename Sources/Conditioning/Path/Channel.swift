/// One direction of a path, shared by all its connections: drop-tail queue, serialiser, loss, delay and jitter.
///
/// A virtual clock: what becomes of a packet is computed when it is sent. A packet never overtakes another that was sent
/// into the same channel. A lost packet has used its share of the link.
struct Channel: ~Copyable {
  /// Who has left in this instant; the queues still hold what they took along.
  private struct Leaving {
    /// Nothing that stays arrives before.
    let due: Instant
    var packets: Departures
    var strays: Departures
  }

  private(set) var parameters: ChannelParameters
  private var transmitter: Transmitter
  private var loss: LossProcess
  private var packets = PacketQueue()
  /// Came from another path and had left its serialiser; in the order in which they arrive.
  private var strays = PacketQueue()
  /// They came since, and aren't sorted in yet; see ``settle()``.
  private var newStrays: [Packet] = []
  private var newStraysDue = Instant.distantFuture
  private var leaving: Leaving?
  private var lastDue = Instant.distantPast
  private(set) var counters = ChannelCounters()

  init(_ parameters: ChannelParameters, dice: SeededGenerator, at now: Instant) {
    self.parameters = parameters
    transmitter = Transmitter(parameters.capacity, at: now)
    loss = LossProcess(dice: dice)
  }

  /// When the next packet arrives, or, before ``settle()``, a time not later than that; `distantFuture`: none is under way,
  /// or they stand still.
  var due: Instant { min(leaving?.due ?? min(packets.due, strays.due), newStraysDue) }

  mutating func send(_ packet: Packet, at now: Instant, dice: inout SeededGenerator) {
    closeGaps()
    counters.packets += 1
    guard hasRoom(for: packet.size, at: now) else {
      counters.dropped += 1
      return
    }
    var packet = packet
    if loss.loses(by: parameters.loss, dice: &dice) {
      counters.lost += 1
      packet.lose()
    } else {
      packet.luck = luck(&dice)
    }
    append(packet, packet.work, at: now)
  }

  mutating func popFirst(dueAt now: Instant) -> Packet? {
    guard due <= now else { return nil }
    settle()
    guard due <= now else { return nil }
    return strays.due <= packets.due ? strays.popFirst() : packets.popFirst()
  }

  /// Drop-tail: the packet on the wire counts with what is left of it.
  private func hasRoom(for bytes: Int, at now: Instant) -> Bool {
    guard let limit = parameters.queueBytes, parameters.capacity != .unlimited else { return true }
    return transmitter.backlog(at: now) + Transmitter.work(ofBytes: bytes)
      <= Transmitter.work(ofBytes: limit)
  }

  private func luck(_ dice: inout SeededGenerator) -> Float {
    guard parameters.jitter > .zero else { return 0 }
    return Float(parameters.jitterDistribution == .uniform ? dice.symmetric() : dice.normal())
  }

  /// Behind all others. One that is lost is gone when it has left, and nobody waits for it.
  private mutating func append(_ packet: Packet, _ work: Transmitter.Work, at now: Instant) {
    var packet = packet
    packet.departure = transmitter.accept(work, at: now)
    if packet.seat == .none {
      packet.due = max(lastDue, packet.departure)
    } else {
      packet.due = max(lastDue, packet.departure + parameters.flight(luck: packet.luck))
      lastDue = packet.due
    }
    packets.append(packet)
  }
}

// When to wake up; see ``NetworkPath/deadline``. To be asked when it has settled.
extension Channel {
  /// Those that can be seen are asked about later, see ``visibleDeadline(after:)``: this is what is under way now.
  mutating func mark() {
    settle()
    packets.mark()
    strays.mark()
  }

  /// Whether the next arrival can be seen.
  var isVisibleNext: Bool { strays.due <= packets.due ? strays.isVisibleNext : packets.isVisibleNext }

  /// When the first is due whose arrival can be seen, or a little later if that was under way at ``mark()``;
  /// `distantFuture`: none is.
  func visibleDeadline(after lastServed: Instant) -> Instant {
    min(packets.visibleDeadline(after: lastServed), strays.visibleDeadline(after: lastServed))
  }

  /// Before that nothing can arrive that is sent from `instant` on, but for jitter once in 30,000 times.
  func earliestArrival(sentAt instant: Instant) -> Instant {
    max(instant, transmitter.busyUntil) + parameters.leastFlight
  }
}

extension PacketQueue {
  fileprivate func visibleDeadline(after lastServed: Instant) -> Instant {
    isVisibleMarked ? max(visibleDue, lastServed + NetworkPath.batching) : visibleDue
  }
}

// Live changes.
extension Channel {
  /// What has left the serialiser arrives as it would have. What waits or is on the wire follows the new numbers from now
  /// on, in order and with its old luck; what of a packet has been sent already is not sent again. A queue that has become
  /// too small keeps what is in it.
  mutating func change(to parameters: ChannelParameters, at now: Instant) {
    guard parameters != self.parameters else { return }
    closeGaps()
    requeue(at: now, as: parameters) { _ in true }
    loss.changed(to: parameters.loss)
  }

  /// Takes out a connection's packets, in order: it moves to another path. What waited behind them moves up.
  ///
  /// Of those that hadn't left the serialiser, departure is `distantFuture`.
  mutating func takePackets(of seat: PathSeat, at now: Instant) -> [Packet] {
    if leaving?.packets.instant != now { beginLeaving(at: now) }
    // Most connections have nothing under way, and a switch of profiles moves all of them.
    let strayed = leaving?.strays.take(seat, from: strays) ?? []
    var queued = leaving?.packets.take(seat, from: packets) ?? []
    for index in queued.indices where queued[index].departure > now { queued[index].stop() }
    if strayed.isEmpty { return queued }
    return Self.merged(strayed, queued)
  }

  /// Takes over packets of a connection that has come from another path: those that have left its serialiser keep their
  /// time, the rest queue up here, even where there is no room. What was on its way may be overtaken: who leaves a
  /// very slow path doesn't want to wait for it.
  mutating func adopt(_ packets: [Packet], at now: Instant) {
    closeGaps()
    for packet in packets {
      if packet.departure == .distantFuture {
        append(packet, packet.work, at: now)
      } else {
        newStrays.append(packet)
        newStraysDue = min(newStraysDue, packet.due)
      }
    }
  }

  /// To be called before time goes on, and before ``due`` has to be exact. What connections did since that left or came,
  /// one after the other, is done here once.
  mutating func settle() {
    closeGaps()
    guard !newStrays.isEmpty else { return }
    let newcomers = Self.merged(newStrays, [])
    (newStrays, newStraysDue) = ([], .distantFuture)
    strays.merge(newcomers)
  }

  /// By their times; in the order in which they stand here where these are equal.
  private static func merged(_ packets: [Packet], _ others: [Packet]) -> [Packet] {
    let all = packets + others
    let order = all.indices.sorted { (all[$0].due, $0) < (all[$1].due, $1) }
    return order.map { all[$0] }
  }

  private mutating func beginLeaving(at now: Instant) {
    settle()
    guard !packets.isEmpty || !strays.isEmpty else { return }
    // What moves up arrives later than now: it hasn't left the serialiser.
    let due = min(due, now + .nanoseconds(1))
    leaving = Leaving(
      due: due, packets: Departures(from: packets, at: now), strays: Departures(from: strays, at: now))
  }

  private mutating func closeGaps() {
    guard let leaving else { return }
    self.leaving = nil
    if leaving.strays.isAnyGone { strays.removeAll { !leaving.strays.stays($0) } }
    if leaving.packets.isAnyGone {
      requeue(at: leaving.packets.instant, as: parameters) { leaving.packets.stays($0) }
    }
  }

  /// Sends what waits again with other numbers, without what isn't to stay.
  ///
  /// - Parameter stays: whether what stands at a position does.
  private mutating func requeue(at now: Instant, as parameters: ChannelParameters, where stays: (Int) -> Bool) {
    let all = packets.takeAll()
    let (firstWaiting, workOfFirst) = Self.findWaiting(in: all, backlog: transmitter.backlog(at: now))
    transmitter.restart(parameters.capacity, at: now)
    self.parameters = parameters
    lastDue = .distantPast
    for (position, packet) in all.enumerated() where stays(position) {
      if position < firstWaiting {
        lastDue = packet.due
        packets.append(packet)
      } else {
        append(packet, position == firstWaiting ? workOfFirst : packet.work, at: now)
      }
    }
  }

  /// The first that hasn't left the serialiser, and what is left of it: a backlog ends with the last packet.
  private static func findWaiting(in packets: [Packet], backlog: Transmitter.Work) -> (Int, Transmitter.Work) {
    var (position, left, work) = (packets.count, backlog, Transmitter.Work(0))
    while position > 0, left > 0 {
      position -= 1
      work = min(left, packets[position].work)
      left -= work
    }
    return (position, work)
  }
}

extension Packet {
  fileprivate var work: Transmitter.Work { Transmitter.work(ofBytes: size) }
}

extension ChannelParameters {
  /// Of a normal jitter all but one in 30,000 are longer than this.
  fileprivate var leastFlight: Interval {
    let spread = max(.zero, jitter).nanoseconds
    let most = jitterDistribution == .uniform ? spread : spread.multipliedSaturated(by: 4)
    return max(.zero, delay - .nanoseconds(most))
  }

  /// From the serialiser to the other end.
  fileprivate func flight(luck: Float) -> Interval {
    luck == 0 ? max(.zero, delay) : max(.zero, delay + Interval(rounding: Double(jitter.nanoseconds) * Double(luck)))
  }
}
