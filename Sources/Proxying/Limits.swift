package import Conditioning

/// What a daemon holds at most; every queue and every wait has a bound.
package struct Limits: Equatable, Sendable {
  /// Bytes that one link holds at most, in its toxics and behind its socket together.
  ///
  /// A link under latency must hold the whole delay: 1.5 GB/s for 50 ms are 75 MB.
  package var linkBytes = 128 << 20
  /// Bytes that a link holds at most for a peer that doesn't read, beyond what is still being delayed.
  package var unsentBytes = 1 << 20
  /// Bytes that all links together hold at most; above it a link reads only when it holds nothing.
  package var processBytes = 512 << 20
  /// How long a session tries to reach its upstream.
  package var connectTimeout = Interval.seconds(10)
  /// How long a client of a forward proxy may take for a request, from its first byte to the end of its head.
  package var requestTimeout = Interval.seconds(30)
  /// How long one may ask for nothing, before its first request or between two.
  package var idleTimeout = Interval.seconds(300)
  /// How long a client of a forward proxy may take none of its last answer before it is given up.
  package var deliveryTimeout = Interval.seconds(60)
  /// How long delayed bytes are still delivered after a request to stop.
  package var drainTimeout = Interval.seconds(5)
  /// Live sessions in all; above it connections wait in the listeners' backlogs.
  package var sessions = 100_000

  package init() {}

  /// No more sessions than there are file descriptors for, two each. Some are left for the control port, which is the way
  /// out when there are too many, and for listeners and lookups.
  package func fitting(descriptors: Int) -> Limits {
    let reserved = min(300, max(24, descriptors / 8))
    var copy = self
    copy.sessions = min(sessions, max(1, (descriptors - reserved) / 2))
    return copy
  }
}
