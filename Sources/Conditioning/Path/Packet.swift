/// A packet on its way through a channel.
struct Packet {
  /// Whose it is. Not the connection itself: a packet keeps none alive, and one whose connection has left arrives nowhere.
  /// ``PathSeat/none``: it is lost, and only uses the link.
  var seat: PathSeat
  let header: TCPHeader
  /// IP bytes.
  let size: Int
  /// Whether its arrival can be seen from outside, so that it has to be on time; an acknowledgement's can't.
  private(set) var isVisible: Bool
  /// What its delay deviates by, in units of the channel's jitter.
  var luck: Float = 0
  /// When its last bit has left the serialiser; until then it waits in the queue or is on the wire.
  var departure = Instant.distantFuture
  var due = Instant.distantFuture

  init(connection: TCPConnection, header: TCPHeader, size: Int, isVisible: Bool) {
    self.init(seat: connection.seat, header: header, size: size, isVisible: isVisible)
  }

  init(seat: PathSeat, header: TCPHeader, size: Int, isVisible: Bool) {
    self.seat = seat
    self.header = header
    self.size = size
    self.isVisible = isVisible
  }

  /// Nothing is decided yet about when it leaves.
  mutating func stop() {
    (departure, due) = (.distantFuture, .distantFuture)
  }

  mutating func lose() {
    seat = .none
    isVisible = false
  }
}
