/// Lets a connection, or single exchanges, fail with a probability.
///
/// In both links of a session (see `StagePlan.isInBothLinks`) it decides about the connection alike. Exchanges begin
/// upstream: in a downstream link a drop per exchange does nothing.
package struct Drop: Toxic {
  package enum Scope: String, CaseIterable, Sendable {
    /// The dice fall once, when the toxic comes to the link. On a live link the drop acts at once, without waiting for data.
    case connection
    /// The dice fall at each extent that opens an exchange.
    case exchange
  }

  package enum How: String, CaseIterable, Sendable {
    /// A reset follows what came before the drop; the rest is discarded.
    case reset
    /// Both sides see an end instead.
    case close
    /// The listener refuses new connections; on a link that exists already it is a reset.
    case refuse
    /// Everything from the drop on is held and reading stops, until the toxic is taken away or the source is reset.
    case hang
  }

  package struct Parameters: Equatable, Sendable {
    /// 0 or less: never; 1 or more: always.
    package var probability: Double
    package var per: Scope
    package var how: How

    package init(probability: Double, per: Scope, how: How) {
      self.probability = probability
      self.per = per
      self.how = how
    }
  }

  private enum State: Equatable {
    case passing
    /// What comes is held.
    case hanging
    /// What comes is discarded; this was said.
    case fallen(Segment)
  }

  /// Verdicts kept for a caller that does not fetch them; older ones are forgotten first.
  private static let verdictsLimit = 256

  private var parameters: Parameters
  private let direction: Direction
  private var generator: SeededGenerator
  private let connectionDraw: Double
  private var state = State.passing
  private var exchange = 0
  private var passing = SegmentQueue()
  private var hanging = SegmentQueue()
  private var verdicts: [Verdict] = []

  package init(_ parameters: Parameters, direction: Direction, generator: SeededGenerator) {
    self.parameters = parameters
    self.direction = direction
    self.generator = generator
    connectionDraw = self.generator.unit()
    judgeConnection(reportsPass: true)
  }

  /// The connection's draw stays: a higher probability drops more connections, a lower one revives none. What hangs goes
  /// over to a new `how`.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    let isNewScope = parameters.per != self.parameters.per
    self.parameters = parameters
    switch state {
    case .passing: judgeConnection(reportsPass: isNewScope)
    case .hanging where parameters.how != .hang: fall(exchange: parameters.per == .exchange ? exchange : nil)
    case .hanging, .fallen: break
    }
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    if case .bytes(let extent) = segment, extent.opensExchange { judgeExchange() }
    switch state {
    case .passing: passing.append(segment)
    case .hanging where segment == .reset:
      // Whoever was to wait has gone; holding the other side's connection for ever would serve nobody.
      _ = hanging.takeAll()
      fall(as: .reset)
    case .hanging: hanging.append(segment)
    // What it has said itself comes again when the toxic has moved behind a stage that held it.
    case .fallen(segment): passing.append(segment)
    case .fallen: break
    }
  }

  package mutating func poll(at now: Instant) -> Segment? {
    passing.popFirst()
  }

  package var deadline: Instant? { passing.isEmpty ? nil : .distantPast }
  package var heldBytes: Int { passing.byteCount + hanging.byteCount }

  package var isHanging: Bool { state == .hanging }
  package var hasLostBytes: Bool { if case .fallen = state { true } else { false } }

  package func allowance(behind transit: Interval) -> Int {
    state == .passing ? .max : 0
  }

  package mutating func surrender() -> [Segment] {
    passing.takeAll() + hanging.takeAll()
  }

  package mutating func takeVerdicts() -> [Verdict] {
    let taken = verdicts
    verdicts = []
    return taken
  }

  private mutating func judgeConnection(reportsPass: Bool) {
    guard parameters.per == .connection else { return }
    if connectionDraw < parameters.probability {
      fall(exchange: nil)
    } else if reportsPass {
      report(.passed, exchange: nil)
    }
  }

  private mutating func judgeExchange() {
    guard parameters.per == .exchange, direction == .upstream, state == .passing else { return }
    exchange += 1
    if generator.unit() < parameters.probability {
      fall(exchange: exchange)
    } else {
      report(.passed, exchange: exchange)
    }
  }

  private mutating func fall(exchange: Int?) {
    report(.dropped(parameters.how), exchange: exchange)
    _ = hanging.takeAll()
    switch parameters.how {
    case .hang: state = .hanging
    case .reset, .refuse: fall(as: .reset)
    case .close: fall(as: .close)
    }
  }

  private mutating func fall(as segment: Segment) {
    passing.append(segment)
    state = .fallen(segment)
  }

  private mutating func report(_ outcome: Decision.Outcome, exchange: Int?) {
    if verdicts.count == Self.verdictsLimit { verdicts.removeFirst() }
    verdicts.append(Verdict(exchange: exchange, outcome: outcome))
  }
}
