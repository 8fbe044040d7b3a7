/// The modelled TCP connection of one session over a path: a client's end and a server's end, in virtual time.
///
/// What is written into a link's stage is what that side's application writes; what the other end's receiver has in order
/// comes out of the stage. Bytes are only counted here, and never lost or reordered: loss shows as time.
package final class TCPConnection {
  package enum Handshake: Equatable, Sendable {
    /// Nobody has asked for it yet.
    case closed
    /// SYN is under way.
    case opening
    /// SYN has arrived; the server's answer is waited for, see ``serverAccepted(at:)``.
    case atServer
    /// SYN-ACK is under way.
    case answered
    /// The client knows that the connection is there.
    case established
  }

  // In this order for size: every idle session carries one of these.
  /// See `SharedRate.Flow.owner`.
  package let owner: Int
  /// What its path knows it by.
  var seat = PathSeat.none
  /// Nil: both links have left.
  private(set) var path: NetworkPath?
  var dice: SeededGenerator
  /// What the path's timer is armed for at the latest.
  var armedFor = Instant.distantFuture
  /// Nil: there is no handshake under way.
  var opening: TCPOpening?
  var upstream = TCPStream()
  var downstream = TCPStream()
  var client: TCPEnd
  var server: TCPEnd
  package internal(set) var handshake: Handshake
  /// Its session is to be driven, and its path knows.
  var isReady = false
  /// Both links have it.
  var isJoined = false
  /// Counts handshakes, to tell their packets apart.
  var attempt: UInt8 = 0

  /// - Parameter isNew: false: it comes to the path as an established one, with a window as after a pause.
  init(owner: Int, path: NetworkPath, isNew: Bool, dice: SeededGenerator) {
    self.owner = owner
    self.path = path
    self.dice = dice
    let parameters = path.parameters
    client = TCPEnd(parameters.congestionControl)
    server = TCPEnd(parameters.congestionControl)
    handshake = isNew ? .closed : .established
    if !isNew {
      let roundTrip = parameters.upstream.delay + parameters.downstream.delay
      client.open(roundTrip: roundTrip)
      server.open(roundTrip: roundTrip)
    }
    path.enter(self)
  }

  deinit { path?.leave(self) }

  // MARK: The stages' side

  /// To another path, with all that is under way.
  func move(to path: NetworkPath, at now: Instant) {
    guard let old = self.path, old !== path else { return }
    old.advance(to: now)
    path.advance(to: now)
    self.path = path
    path.adopt(self, from: old)
    pathChanged(at: path.clock)
  }

  func write(_ segment: Segment, _ direction: Direction, at now: Instant) {
    guard let path, !hasGone(direction) else { return passOn(segment, direction) }
    switch direction {
    case .upstream: write(segment, to: &client, &upstream, at: path.clock)
    case .downstream: write(segment, to: &server, &downstream, at: path.clock)
    }
    flush(direction, at: path.clock)
  }

  private func hasGone(_ direction: Direction) -> Bool {
    direction == .upstream ? upstream.hasGone : downstream.hasGone
  }

  private func passOn(_ segment: Segment, _ direction: Direction) {
    if direction == .upstream { upstream.passOn(segment) } else { downstream.passOn(segment) }
  }

  private func write(_ segment: Segment, to end: inout TCPEnd, _ stream: inout TCPStream, at now: Instant) {
    guard stream.write(segment) else { return }
    if segment.byteCount > 0 {
      end.sender.write(bytes: segment.byteCount, at: now)
    } else {
      end.sender.writeMark()
    }
  }

  func takeArrived(_ direction: Direction) -> Segment? {
    direction == .upstream ? upstream.takeArrived() : downstream.takeArrived()
  }

  func hasArrived(_ direction: Direction) -> Bool {
    direction == .upstream ? upstream.isPollable : downstream.isPollable
  }

  func heldBytes(_ direction: Direction) -> Int {
    direction == .upstream ? upstream.heldBytes : downstream.heldBytes
  }

  /// What the modelled send buffer has room for.
  func room(_ direction: Direction) -> Int {
    direction == .upstream ? client.sender.room() : server.sender.room()
  }

  /// The link of `direction` leaves, and takes along what hasn't arrived. When both have, the connection is gone.
  func surrender(_ direction: Direction) -> [Segment] {
    let segments: [Segment]
    switch direction {
    case .upstream:
      segments = upstream.surrender()
      client.sender.close()
      server.receiver.close()
    case .downstream:
      segments = downstream.surrender()
      server.sender.close()
      client.receiver.close()
    }
    if upstream.hasGone && downstream.hasGone {
      path?.leave(self)
      path = nil
    }
    return segments
  }
}

@available(*, unavailable) extension TCPConnection: Sendable {}
