/// What a link's dice and generators are named by: the seed, the proxy, the session's number within it (so that other
/// proxies' traffic does not change the dice) and the direction. All but the direction are kept as their hash.
package struct LinkIdentity: Equatable, Sendable {
  private let key: SeedKey
  package let direction: Direction

  package init(seed: UInt64, proxy: String, session: Int, direction: Direction) {
    var key = SeedKey(seed)
    proxy.mix(into: &key)
    session.mix(into: &key)
    self.key = key
    self.direction = direction
  }

  /// A generator for one use by one toxic in this direction.
  func generator(toxic: String, use: String) -> SeededGenerator {
    SeededGenerator(key, direction.rawValue, toxic, use)
  }

  /// A generator for what is decided once for the whole session: a toxic that stands in both links falls in both or in
  /// neither.
  func sessionGenerator(toxic: String, use: String) -> SeededGenerator {
    SeededGenerator(key, toxic, use)
  }
}

/// One stage of a link as it is wanted; `Link.change` makes it so. One array is meant to be shared by all links under the
/// same conditions.
package struct StagePlan: Equatable {
  /// Unique within the link; a stage is the same one across changes when its name and kind are.
  package var name: String
  package var kind: StageKind
  /// Probability that the stage applies to a session: 0 or less never, 1 or more always.
  package var toxicity: Double
  /// Whether the same stage stands in both links of a session: then its dice fall alike in both.
  package var isInBothLinks: Bool

  package init(name: String, kind: StageKind, toxicity: Double = 1, isInBothLinks: Bool = false) {
    self.name = name
    self.kind = kind
    self.toxicity = toxicity
    self.isInBothLinks = isInBothLinks
  }

  /// The dice for what is decided about a session.
  func dice(_ identity: LinkIdentity, use: String) -> SeededGenerator {
    isInBothLinks ? identity.sessionGenerator(toxic: name, use: use) : identity.generator(toxic: name, use: use)
  }

  func makeToxic(identity: LinkIdentity, owner: Int, at now: Instant) -> any Toxic {
    switch kind {
    case .latency(let parameters):
      Latency(parameters, generator: identity.generator(toxic: name, use: "jitter"))
    case .bandwidth(let parameters):
      Bandwidth(parameters, at: now)
    case .drop(let parameters):
      Drop(parameters, direction: identity.direction, generator: dice(identity, use: "drop"))
    case .stall(let parameters):
      Stall(parameters, at: now)
    case .noop:
      Noop()
    case .sharedRate(let path):
      SharedRateStage(path, owner: owner)
    }
  }
}

/// The kinds of toxic with their parameters. The switches in this file are the only ones over it.
package enum StageKind {
  case latency(Latency.Parameters)
  case bandwidth(Bandwidth.Parameters)
  case drop(Drop.Parameters)
  case stall(Stall.Parameters)
  case noop
  case sharedRate(SharedRate)

  /// Gives a toxic of this kind the new parameters; false, with nothing changed, when it is of another kind.
  func update(_ toxic: inout any Toxic, at now: Instant) -> Bool {
    switch self {
    case .latency(let parameters): modify(&toxic) { (latency: inout Latency) in latency.update(parameters, at: now) }
    case .bandwidth(let parameters): modify(&toxic) { (rate: inout Bandwidth) in rate.update(parameters, at: now) }
    case .drop(let parameters): modify(&toxic) { (drop: inout Drop) in drop.update(parameters, at: now) }
    case .stall(let parameters): modify(&toxic) { (stall: inout Stall) in stall.update(parameters, at: now) }
    case .noop: toxic is Noop
    case .sharedRate(let path): modify(&toxic) { (stage: inout SharedRateStage) in stage.update(path, at: now) }
    }
  }
}

extension StageKind: Equatable {
  /// Shared rates are equal when they are the same one.
  package static func == (left: StageKind, right: StageKind) -> Bool {
    switch (left, right) {
    case (.latency(let left), .latency(let right)): left == right
    case (.bandwidth(let left), .bandwidth(let right)): left == right
    case (.drop(let left), .drop(let right)): left == right
    case (.stall(let left), .stall(let right)): left == right
    case (.noop, .noop): true
    case (.sharedRate(let left), .sharedRate(let right)): left === right
    case (.latency, _), (.bandwidth, _), (.drop, _), (.stall, _), (.noop, _), (.sharedRate, _): false
    }
  }
}

@available(*, unavailable) extension StageKind: Sendable {}
@available(*, unavailable) extension StagePlan: Sendable {}

private func modify<Kind: Toxic>(_ toxic: inout any Toxic, _ body: (inout Kind) -> Void) -> Bool {
  guard var concrete = toxic as? Kind else { return false }
  // Let go of the old box first, or its queues would be copied.
  toxic = Noop()
  body(&concrete)
  toxic = concrete
  return true
}
