import Conditioning
import Forwarding
import Reactor
import Settings

// A session on a path with modelled TCP: its handshake, and the sockets' buffers, which must not hide what the path does.
extension Session {
  /// What comes in unread at most, on loopback. With less the modelled sender would run dry between two turns: a quarter of
  /// it costs an upload of 1 MB at 50 Mbit/s 5 % of its time.
  static let receiveBufferBytes = 64 << 10

  /// The modelled connection, which both links share; nil on a plain path, and where all has ended.
  var connection: TCPConnection? { upstream.link.connection ?? downstream.link.connection }

  /// How long a client goes on sending SYNs when none is answered: Linux by default, with six retries.
  static let openingTime = Interval.seconds(131)

  func openPath(_ now: Instant) {
    phase = .opening
    if connection != nil { givesUpAt = now + Session.openingTime }
  }

  /// Begins to connect over the path where that hasn't begun; true when the server's side is reached, or without a model.
  func hasReachedServer(_ now: Instant) -> Bool {
    guard let connection else { return true }
    if connection.handshake == .closed { connection.connect(at: now) }
    switch connection.handshake {
    case .closed, .opening: return false
    case .atServer, .answered, .established: return true
    }
  }

  /// The upstream is there: its side of the path answers.
  func acceptOnPath() {
    matchBuffers()
    guard let connection else { return }
    if connection.handshake == .closed { connection.connect(at: loop.instant) }
    connection.serverAccepted(at: loop.instant)
  }

  /// Whether the server's side has said yes: the client will know, in time.
  private var isAnsweredOnPath: Bool { connection.map { $0.handshake == .answered } ?? false }

  /// Whether the client knows that the connection is there. One that is refused it doesn't learn of here.
  var isEstablishedOnPath: Bool { connection.map { $0.handshake == .established } ?? true }

  /// What an RST takes from the server's side of the path to the client's.
  var refusalDelay: Interval { max(Session.refusalTime, downstream.link.modelledDelay) }

  /// The path holds back what it has no room for, and a peer is to feel that as on the real network.
  ///
  /// What we write needs no such bound: it has arrived for the modelled receiver, which reads without delay, and what a
  /// slow reader leaves in the system is bounded by ``Limits/unsentBytes`` as ever.
  func matchBuffers() {
    let isBounded = upstream.link.connection != nil
    for socket in [clientSocket, upstreamSocket].compactMap({ $0 }) {
      if isBounded {
        socket.boundReceiveBuffer(to: Session.receiveBufferBytes)
      } else if hasBoundBuffers {
        socket.unboundReceiveBuffer()
      }
    }
    hasBoundBuffers = isBounded
  }

  /// Takes the session off its path, to say what no modelled connection can carry.
  func leavePath(_ now: Instant) {
    guard connection != nil else { return }
    for direction in Direction.allCases {
      let plan = conditions.plan(direction, connection: number).filter { stage in
        if case .tcp = stage.kind { false } else { true }
      }
      withPipe(direction) { $0.link.change(to: plan, at: now) }
    }
    matchBuffers()
  }
}

// The way of a forward proxy's session to its upstream.
extension Session {
  /// Whether the way there goes on now that was held up by the network.
  func isWaitOver(_ forward: ForwardState, _ now: Instant) -> Bool {
    switch forward.stage {
    case .held: upstream.link.allowance > 0
    case .opening: hasReachedServer(now)
    case .shaking(nil):
      // The answer to CONNECT doesn't pass the links, which would hold it.
      (isEstablishedOnPath || forward.refusal != nil && !isAnsweredOnPath)
        && !(isTunnelWanted(forward) && (upstream.link.standsStill || downstream.link.standsStill))
    case .asking, .naming, .dialling, .shaking, .askingVia, .exchanging, .tunnel, .refused: false
    }
  }

  /// The handshake sets out over the modelled path; without one the upstream is dialled.
  func setOut(_ forward: ForwardState, _ now: Instant) {
    // That proxy's session will be on a path itself.
    guard let connection, !leadsToProxyHere(forward) else { return dialTarget(forward) }
    // Each upstream anew, on the same client connection too.
    connection.connect(at: now)
    forward.stage = .opening(until: now + Session.openingTime)
    mustDriveAgain = true
  }

  /// As far as that can be told before the lookup; otherwise ``meetOwn(_:_:)`` finds out.
  private func leadsToProxyHere(_ forward: ForwardState) -> Bool {
    guard let (target, _) = destination(forward) else { return false }
    let host = target.host == "localhost" ? "127.0.0.1" : target.host
    guard let address = SocketAddress(literal: host, port: target.port)?.unmapped, address.isLoopback,
      case .proxy(let other) = sessions.hub.ownConnections.owner(address)
    else { return false }
    return other.mode == .tcp
  }
}
