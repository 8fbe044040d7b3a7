package import Conditioning

// What the API tells of a live session, beyond its own properties.
extension Session {
  package enum State: String, CaseIterable {
    /// A toxic holds the connection back; the upstream isn't dialled.
    case held
    case dialling, open
    /// A toxic has ended it, and the client is given a moment to see that.
    case lingering
  }

  package var state: State {
    switch phase {
    case .held: .held
    case .dialling: .dialling
    case .open: .open
    // Who is closed is in no list any more.
    case .lingering, .closed: .lingering
    }
  }

  /// What is added to the way of each byte of one direction at the moment, without jitter: the path's half of the round trip
  /// and the latency toxics that act on this very session.
  package func delay(_ direction: Direction) -> Interval {
    direction == .upstream ? upstream.link.delay : downstream.link.delay
  }
}
