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

  /// See `SharedRate.Flow.owner`.
  package let owner: Int
  package private(set) var handshake: Handshake
  /// What its path knows it by.
  var seat = PathSeat.none
  /// Its session is to be driven, and its path knows.
  var isReady = false
  /// Nil: both links have left.
  private(set) var path: NetworkPath?
  private var dice: SeededGenerator
  private var upstream = SegmentQueue()
  private var downstream = SegmentQueue()

  /// - Parameter isNew: false: it comes to the path as an established one, with a window as after a pause.
  init(owner: Int, path: NetworkPath, isNew: Bool, dice: SeededGenerator) {
    self.owner = owner
    self.path = path
    self.dice = dice
    handshake = isNew ? .closed : .established
    path.enter(self)
  }

  deinit { path?.leave(self) }

  // MARK: The session's side

  /// The client connects: SYN leaves. Of an established connection: the way there is another now, and begins anew
  /// with a handshake and a window as at first.
  package func connect(at now: Instant) {
    path?.advance(to: now)
    handshake = .established
  }

  /// The server is reached and answers; before ``Handshake/atServer`` that is remembered.
  package func serverAccepted(at now: Instant) {}

  // MARK: The path's side

  func receive(_ header: TCPHeader, _ direction: Direction, at now: Instant) {}

  func timerIsDue(at now: Instant) {}

  /// A user has changed the path's numbers, which a step of its timeline doesn't count as.
  func pathChanged(at now: Instant) {}

  // MARK: The stages' side

  func move(to path: NetworkPath, at now: Instant) {
    guard let old = self.path, old !== path else { return }
    old.advance(to: now)
    path.advance(to: now)
    self.path = path
    path.adopt(self, from: old)
  }

  func write(_ segment: Segment, _ direction: Direction, at now: Instant) {
    if direction == .upstream { upstream.append(segment) } else { downstream.append(segment) }
  }

  func takeArrived(_ direction: Direction) -> Segment? {
    direction == .upstream ? upstream.popFirst() : downstream.popFirst()
  }

  func hasArrived(_ direction: Direction) -> Bool {
    direction == .upstream ? !upstream.isEmpty : !downstream.isEmpty
  }

  func heldBytes(_ direction: Direction) -> Int {
    direction == .upstream ? upstream.byteCount : downstream.byteCount
  }

  /// What the modelled send buffer has room for.
  func room(_ direction: Direction) -> Int { 64 << 10 }

  /// The link of `direction` leaves, and takes along what hasn't arrived. When both have, the connection is gone.
  func surrender(_ direction: Direction) -> [Segment] {
    direction == .upstream ? upstream.takeAll() : downstream.takeAll()
  }
}

@available(*, unavailable) extension TCPConnection: Sendable {}
