package import Conditioning
import Forwarding
package import Reactor
import Settings

// What the API tells of a live session, beyond its own properties.
extension Session {
  package enum State: String, CaseIterable {
    /// A toxic holds the connection back; the upstream isn't dialled.
    case held
    /// The connection is in the making, on the modelled path or in truth.
    case dialling
    case open
    /// A client of a forward proxy hasn't said yet where it wants to go, or is between two requests.
    case asking
    /// A toxic has ended it, and the client is given a moment to see that.
    case lingering
  }

  package var state: State {
    switch phase {
    case .open where forward?.isAsking ?? false: .asking
    case .held: .held
    case .opening, .dialling: .dialling
    case .open where forward?.isHeld ?? false: .held
    case .open: forward?.isReaching ?? false ? .dialling : .open
    // Who is closed is in no list any more.
    case .lingering, .closed: .lingering
    }
  }

  package var upstreamAddress: SocketAddress? { upstreamSocket?.peerAddress }
  package var upstreamBytes: Int64 { upstream.sent }
  package var downstreamBytes: Int64 { min(downstream.sent, forward?.ownFrom ?? .max) }
  package var bufferedBytes: Int { upstream.buffered + downstream.buffered }

  /// Whether a session that closes for this reason was no more than a refusal.
  func isRefusal(_ reason: CloseReason) -> Bool {
    forward != nil && TrafficCount.isRefusal(reason, upstreamBytes, downstreamBytes)
  }

  /// Where a forward proxy's client wants to go; nil before it has said so, and of other sessions.
  package var target: String? { forward?.target?.description }
  /// The rule by host that matches that.
  package var rule: String? { forward?.rule?.description }
  /// The profile that it is under: its proxy's, or what the rule says.
  package var profileName: String? { conditions.profile }

  /// What is added to the way of each byte of one direction at the moment, without jitter: the path's half of the round trip
  /// and the latency toxics that act on this very session.
  package func delay(_ direction: Direction) -> Interval {
    direction == .upstream ? upstream.link.delay : downstream.link.delay
  }
}

extension ForwardState {
  /// The upstream is looked up, dialled, or asked for at the next proxy.
  fileprivate var isReaching: Bool {
    switch stage {
    case .naming, .opening, .dialling, .shaking, .askingVia: true
    case .asking, .held, .exchanging, .tunnel, .refused: false
    }
  }

  fileprivate var isHeld: Bool {
    if case .held = stage { return true }
    return false
  }
}
