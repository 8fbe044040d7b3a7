/// One direction of a path, shared by all its connections: drop-tail queue, serialiser, loss, delay and jitter.
///
/// A virtual clock: what becomes of a packet is computed when it is sent. A packet never overtakes another.
struct Channel {
  private(set) var parameters: ChannelParameters
  /// Random loss and jitter are drawn from the connection's own dice, so that its luck doesn't depend on its neighbours;
  /// bursts hit whatever is on the wire, so they have dice of their own.
  private var dice: SeededGenerator
  private var packets = Fifo<Packet>()
  private var freeAt = Instant.distantPast
  private var lastDue = Instant.distantPast
  private(set) var counters = ChannelCounters()

  init(_ parameters: ChannelParameters, dice: SeededGenerator) {
    self.parameters = parameters
    self.dice = dice
  }

  /// When the next packet arrives; nil: none is under way, or they stand still.
  var nextDue: Instant? {
    guard let due = packets.first?.due, due < .distantFuture else { return nil }
    return due
  }

  /// When the next packet arrives whose arrival can be seen.
  var nextVisible: Instant? { nextDue }

  mutating func send(_ packet: Packet, at now: Instant, dice: inout SeededGenerator) {
    var packet = packet
    counters.packets += 1
    packet.departure = now
    lastDue = max(lastDue, now + parameters.delay)
    packet.due = lastDue
    packets.append(packet)
  }

  mutating func popFirst(dueAt now: Instant) -> Packet? {
    guard let due = nextDue, due <= now else { return nil }
    return packets.popFirst()
  }

  /// What has left the serialiser arrives as it would have; what waits follows the new numbers from now on.
  mutating func change(to parameters: ChannelParameters, at now: Instant) {
    self.parameters = parameters
  }

  /// Takes out a connection's packets, in order: it moves to another path.
  mutating func takePackets(of connection: TCPConnection) -> [Packet] { [] }

  /// Takes over packets of a connection that has come from another path: those that have left its serialiser keep their
  /// time, the rest queue up here.
  mutating func adopt(_ packets: [Packet], at now: Instant) {}
}

/// What a channel has done so far.
package struct ChannelCounters: Equatable, Sendable {
  package var packets: Int64 = 0
  /// Found no room in the queue.
  package var dropped: Int64 = 0
  /// Lost on the way.
  package var lost: Int64 = 0

  package init() {}
}
