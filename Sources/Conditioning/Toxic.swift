/// One stage of a link: a small queueing discipline. It never waits, reads a clock or does I/O.
///
/// The grammar: `receive` stores, `poll` yields what is due, `deadline` says when to poll again. Segments leave in the
/// order in which they came. `now` never goes back from one call to the next.
package protocol Toxic {
  mutating func receive(_ segment: Segment, at now: Instant)

  /// The next segment that is due; call again until nil.
  mutating func poll(at now: Instant) -> Segment?

  /// When `poll` may next yield by itself; nil: never without new input or a change.
  var deadline: Instant? { get }

  /// Bytes that it accepts now; `Int.max`: no bound of its own; 0 or less: stop reading.
  var allowance: Int { get }

  /// The allowance when bytes take `transit` to get here from the reader: a rate limit lets that much more be under way,
  /// or a long delay in front of it would starve it.
  func allowance(behind transit: Interval) -> Int

  /// Bytes that it holds.
  var heldBytes: Int { get }

  /// How long bytes are under way in it whatever their number.
  var transit: Interval { get }

  /// Whether it has decided that the connection is never to be answered.
  var isHanging: Bool { get }

  /// Whether bytes that came to it are gone: nothing newer can be delivered on this link any more.
  var hasLostBytes: Bool { get }

  /// Whether it lets nothing pass for now, to pass it later: a handshake, which sends no bytes, waits for that, too.
  var standsStill: Bool { get }

  /// Whether each segment that it yields is to be a write of its own.
  var cutsWrites: Bool { get }

  /// The modelled TCP connection that it is one direction of; nil: it is another kind of stage.
  var modelledConnection: TCPConnection? { get }

  /// That many bytes that have passed it will come again, because stages behind it that hold them now stand before it.
  mutating func bytesComeAgain(_ count: Int)

  /// Everything held, in order; the toxic is empty afterwards. One that has lost bytes closes the connection here, if it
  /// has not done so before.
  mutating func surrender() -> [Segment]

  /// What its dice decided since the last call.
  mutating func takeVerdicts() -> [Verdict]
}

extension Toxic {
  package var allowance: Int { allowance(behind: .zero) }
  package var transit: Interval { .zero }
  package var isHanging: Bool { false }
  package var hasLostBytes: Bool { false }
  package var standsStill: Bool { false }
  package var cutsWrites: Bool { false }
  package var modelledConnection: TCPConnection? { nil }
  package mutating func bytesComeAgain(_ count: Int) {}
  package mutating func takeVerdicts() -> [Verdict] { [] }
}

/// A decision as the toxic itself knows it, without its name and link.
package struct Verdict: Equatable, Sendable {
  /// The exchange that it is about, counted from 1 since the toxic came to the link; nil: the whole connection.
  package var exchange: Int?
  package var outcome: Decision.Outcome
}

/// What the dice decided about a session or an exchange. The same seed gives the same decisions.
package struct Decision: Equatable, Sendable {
  package enum Outcome: Equatable, Sendable {
    /// Toxicity: the toxic is, or isn't, in force on this link. Only reported when its toxicity is below 1.
    case applied, skipped
    /// A toxic ends the connection, and how.
    case dropped(Drop.How)
    case passed
  }

  /// The toxic's name.
  package var toxic: String
  package var direction: Direction
  /// The exchange, counted from 1 since the toxic came to the link; nil: the whole connection.
  package var exchange: Int?
  package var outcome: Outcome

  package init(toxic: String, direction: Direction, exchange: Int?, outcome: Outcome) {
    self.toxic = toxic
    self.direction = direction
    self.exchange = exchange
    self.outcome = outcome
  }
}
