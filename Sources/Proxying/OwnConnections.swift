import Reactor
import Synchronization

/// Connections that one of our proxies makes to another, or to itself: a proxy whose upstream leads back to it would open
/// sessions until descriptors run out.
///
/// Nothing is guessed. A connection that comes in from the address and port that one of ours went out from, at the address
/// that it went to, is that one; so a chain is followed over any number of proxies. Where another program or a rewritten
/// address stands between, it isn't seen.
final class OwnConnections {
  /// A connection of ours that goes out to a port of ours.
  struct Outgoing: Sendable {
    let session: Int
    /// The names of the proxies that it has come through, the first one first.
    let route: [String]
    fileprivate let began: Int64
  }

  enum Owner {
    case control
    case proxy(Proxy)
  }

  private struct Ends: Hashable, Sendable {
    let client: SocketAddress
    let server: SocketAddress
  }

  /// One that hasn't come in after so long never will: refused, or cut off under way.
  private static let patienceNanoseconds: Int64 = 30_000_000_000
  /// From this many on those are looked for.
  private static let enough = 1_000

  private struct State: Sendable {
    var controlAddress: SocketAddress?
    var knownPorts: Set<UInt16>?
    var underWay: [Ends: Outgoing] = [:]
    /// Of sessions whose client is one of us: the proxies before their own.
    var routes: [Int: [String]] = [:]

    mutating func forgetOld() {
      let limit = EventLoop.clock - OwnConnections.patienceNanoseconds
      underWay = underWay.filter { $0.value.began > limit }
    }
  }

  /// The ports that our proxies have. A connection to any other can't come back, and costs nothing here.
  ///
  /// Asked for on any loop, like ``owner``: proxies change only while all loops but the asking one are held.
  var ports: () -> Set<UInt16> = { [] }
  /// What of ours serves an address of this machine.
  var owner: (SocketAddress) -> Owner? = { _ in nil }
  /// Under a lock, because a connection goes out on one loop and comes in on another.
  private let state = Mutex(State())

  /// Where the control API is served.
  var controlAddress: SocketAddress? {
    get { state.withLock { $0.controlAddress } }
    set {
      state.withLock { $0.controlAddress = newValue }
      portsChanged()
    }
  }

  /// To be called when a proxy got, gave up or changed its port.
  func portsChanged() {
    state.withLock { $0.knownPorts = nil }
  }

  /// A session begins to connect: before the other end can have seen anything of it.
  func wentOut(_ socket: StreamSocket, of session: Session) {
    let server = socket.peerAddress.unmapped
    guard hasPort(server.port) else { return }
    let client = socket.localAddress.unmapped
    // To connect to "any address" is to connect to the one that it is done from.
    let ends = Ends(client: client, server: server.isUnspecified ? client.withPort(server.port) : server)
    let (id, name) = (session.id, session.proxy.name)
    state.withLock { state in
      if state.underWay.count >= OwnConnections.enough { state.forgetOld() }
      state.underWay[ends] = Outgoing(
        session: id, route: (state.routes[id] ?? []) + [name], began: EventLoop.clock)
    }
  }

  /// What of ours the other end of a connection in the making is, whatever name or address led there.
  func destination(of socket: StreamSocket) -> Owner? {
    let server = socket.peerAddress.unmapped
    guard hasPort(server.port) else { return nil }
    let client = socket.localAddress.unmapped
    // The system connects this machine to itself from the very address that it connects to.
    guard server.isLoopback || server.isUnspecified || server.host == client.host else { return nil }
    return owner(server.isUnspecified ? client.withPort(server.port) : server)
  }

  /// What came in, if it is one of ours; it comes in only once.
  func cameIn(_ socket: borrowing AcceptedSocket) -> Outgoing? {
    guard state.withLock({ !$0.underWay.isEmpty }) else { return nil }
    let ends = Ends(client: socket.peer.unmapped, server: socket.local.unmapped)
    return state.withLock { $0.underWay.removeValue(forKey: ends) }
  }

  /// The session has taken over what came in.
  func opened(_ session: Session, from outgoing: Outgoing) {
    let id = session.id
    state.withLock { $0.routes[id] = outgoing.route }
  }

  func ended(_ session: Session) {
    let id = session.id
    state.withLock { state in
      if !state.routes.isEmpty { state.routes[id] = nil }
    }
  }

  private func hasPort(_ port: UInt16) -> Bool {
    if let known = state.withLock({ $0.knownPorts }) { return known.contains(port) }
    let known = ports().union(controlAddress.map { [$0.port] } ?? [])
    state.withLock { $0.knownPorts = known }
    return known.contains(port)
  }
}

@available(*, unavailable)
extension OwnConnections: Sendable {}

/// Why a session can't have its upstream: the chain of proxies would have no end.
struct Circle: CustomStringConvertible {
  let upstream: String
  /// The names of the proxies, the last of which is that of the first again.
  let route: [String]

  var description: String {
    route.suffix(2).first == route.last
      ? "upstream \(upstream) is this proxy itself"
      : "upstream \(upstream) leads back to where it comes from: \(route.joined(separator: " → "))"
  }
}
