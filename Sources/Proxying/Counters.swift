import Conditioning

/// What a proxy has carried since it was made; counted while it flows.
package struct Counters {
  /// Bytes of one direction: `received` from the source, `sent` to the sink after the toxics.
  package struct Bytes: Equatable, Sendable {
    package var received: Int64 = 0
    package var sent: Int64 = 0
  }

  package private(set) var upstream = Bytes()
  package private(set) var downstream = Bytes()
  package internal(set) var sessions = 0
  package internal(set) var dialFailures = 0
  package internal(set) var drops = 0

  mutating func count(received bytes: Int, _ direction: Direction) {
    switch direction {
    case .upstream: upstream.received += Int64(bytes)
    case .downstream: downstream.received += Int64(bytes)
    }
  }

  mutating func count(sent bytes: Int, _ direction: Direction) {
    switch direction {
    case .upstream: upstream.sent += Int64(bytes)
    case .downstream: downstream.sent += Int64(bytes)
    }
  }
}
