/// A packet on its way through a channel.
struct Packet {
  let connection: TCPConnection
  let header: TCPHeader
  /// IP bytes.
  let size: Int
  /// Whether its arrival can be seen from outside, so that it has to be on time; an acknowledgement's can't.
  let isVisible: Bool
  /// When its last bit has left the serialiser; until then it waits in the queue or is on the wire.
  var departure = Instant.distantFuture
  var due = Instant.distantFuture
}
