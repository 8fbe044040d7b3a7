package import Conditioning

/// What a proxy has carried since it was made; counted while it flows.
package struct Counters: Equatable, Sendable {
  /// Bytes of one direction: `received` from the source, `sent` to the sink after the toxics.
  package struct Bytes: Equatable, Sendable {
    package var received: Int64 = 0
    package var sent: Int64 = 0
  }

  /// Bytes of both directions.
  package struct Traffic: Equatable, Sendable {
    package var upstream = Bytes()
    package var downstream = Bytes()

    package subscript(direction: Direction) -> Bytes { direction == .upstream ? upstream : downstream }
  }

  /// The kind of the toxic that let something fall, and how.
  package struct DropCause: Hashable, Sendable {
    package let toxic: String
    package let how: String
  }

  package private(set) var traffic = Traffic()
  package internal(set) var sessions = 0
  package internal(set) var closed: [CloseReason: Int] = [:]
  package internal(set) var dialFailures = 0
  /// Connections to a forward proxy of which nothing reached an upstream, because it refused what they asked for.
  package internal(set) var refusals = 0
  package internal(set) var dropsByCause: [DropCause: Int] = [:]
  /// Times that accepting stopped for want of file descriptors or memory, at the listeners that are closed.
  package internal(set) var exhaustions = 0

  package var upstream: Bytes { traffic.upstream }
  package var downstream: Bytes { traffic.downstream }
  package var drops: Int { dropsByCause.values.reduce(0, +) }
  package var liveSessions: Int { sessions - closed.values.reduce(0, +) }

  mutating func count(received bytes: Int, _ direction: Direction) {
    switch direction {
    case .upstream: traffic.upstream.received += Int64(bytes)
    case .downstream: traffic.downstream.received += Int64(bytes)
    }
  }

  mutating func count(sent bytes: Int, _ direction: Direction) {
    switch direction {
    case .upstream: traffic.upstream.sent += Int64(bytes)
    case .downstream: traffic.downstream.sent += Int64(bytes)
    }
  }
}

// MARK: Sums

extension Counters {
  package static func + (a: Counters, b: Counters) -> Counters {
    var sum = a
    sum.traffic = a.traffic + b.traffic
    sum.sessions += b.sessions
    sum.closed.merge(b.closed, uniquingKeysWith: +)
    sum.dialFailures += b.dialFailures
    sum.refusals += b.refusals
    sum.dropsByCause.merge(b.dropsByCause, uniquingKeysWith: +)
    sum.exhaustions += b.exhaustions
    return sum
  }
}

extension Counters.Bytes {
  static func + (a: Self, b: Self) -> Self { Self(received: a.received + b.received, sent: a.sent + b.sent) }
  static func - (a: Self, b: Self) -> Self { Self(received: a.received - b.received, sent: a.sent - b.sent) }
}

extension Counters.Traffic {
  static func + (a: Self, b: Self) -> Self {
    Self(upstream: a.upstream + b.upstream, downstream: a.downstream + b.downstream)
  }

  static func - (a: Self, b: Self) -> Self {
    Self(upstream: a.upstream - b.upstream, downstream: a.downstream - b.downstream)
  }
}
