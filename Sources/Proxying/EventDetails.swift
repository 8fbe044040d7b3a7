package import Conditioning
import Forwarding
import Reactor
import Settings

// The details of events that come with every session or exchange: as small as an address, so that the ring is, too.

/// What a session came to.
struct SessionSum: Sendable {
  let upstreamBytes: Int64
  let downstreamBytes: Int64
  /// By the calendar, which is what a session knows of its beginning; of 49 days at most.
  let milliseconds: UInt32
  let reason: CloseReason

  init(_ session: Session, _ reason: CloseReason) {
    (upstreamBytes, downstreamBytes) = (session.upstreamBytes, session.downstreamBytes)
    let nanoseconds = WallTime.now.nanoseconds - session.openedAt.nanoseconds
    milliseconds = UInt32(clamping: nanoseconds / 1_000_000)
    self.reason = reason
  }

  var details: [(String, JSON)] {
    [
      ("reason", .string(reason.rawValue)), ("upstream_bytes", .integer(upstreamBytes)),
      ("downstream_bytes", .integer(downstreamBytes)), ("duration_ms", .integer(Int64(milliseconds))),
    ]
  }
}

/// A decision, and what kind of toxic made it.
struct DecisionNote: Sendable {
  let toxic: String
  /// 0: the whole connection.
  let exchange: UInt32
  let direction: Direction
  let outcome: Decision.Outcome
  /// Nil when the toxic has been taken away meanwhile.
  let type: ToxicType?

  init(_ decision: Decision, type: ToxicType?) {
    (toxic, direction, outcome) = (decision.toxic, decision.direction, decision.outcome)
    exchange = UInt32(clamping: decision.exchange ?? 0)
    self.type = type
  }

  var details: [(String, JSON)] {
    let all: [(String, JSON?)] = [
      ("toxic", .string(toxic)), ("toxic_type", type.map { .string($0.rawValue) }),
      ("stream", .string(direction.rawValue)), ("exchange", exchange > 0 ? .integer(Int64(exchange)) : nil),
      ("outcome", .string(outcome.name)), ("how", outcome.how.map(JSON.string)),
    ]
    return all.compactMap { key, value in value.map { (key, $0) } }
  }
}

/// Where a client of a forward proxy goes, which each of its requests says anew.
final class ForwardNote: Sendable {
  private let target: Target
  private let rule: String?
  private let profile: String?

  init(target: Target, rule: String?, profile: String?) {
    (self.target, self.rule, self.profile) = (target, rule, profile)
  }

  var details: [(String, JSON)] {
    [
      ("target", .string(target.description)), ("rule", rule.map(JSON.string) ?? .null),
      ("profile", .string(profile ?? "none")),
    ]
  }
}

extension Decision.Outcome {
  package var name: String {
    switch self {
    case .applied: "applied"
    case .skipped: "skipped"
    case .passed: "passed"
    case .dropped: "dropped"
    }
  }

  /// Of what was dropped.
  package var how: String? {
    if case .dropped(let how) = self { how.rawValue } else { nil }
  }
}
