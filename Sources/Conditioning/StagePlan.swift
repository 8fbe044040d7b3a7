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
  /// When the stage begins to act.
  package var trigger: Trigger
  /// Whether the same stage stands in both links of a session: then its dice fall alike in both.
  package var isInBothLinks: Bool

  package init(
    name: String, kind: StageKind, toxicity: Double = 1, trigger: Trigger = Trigger(), isInBothLinks: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.toxicity = toxicity
    self.trigger = trigger
    self.isInBothLinks = isInBothLinks
  }

  /// The dice for what is decided about a session.
  func dice(_ identity: LinkIdentity, use: String) -> SeededGenerator {
    isInBothLinks ? identity.sessionGenerator(toxic: name, use: use) : identity.generator(toxic: name, use: use)
  }

  /// - Parameter isNewConnection: whether the connection and the stage begin together.
  func makeToxic(_ identity: LinkIdentity, owner: Int, isNewConnection: Bool, at now: Instant) -> any Toxic {
    if trigger.isImmediate { return make(identity, owner: owner, isNewConnection: isNewConnection, at: now) }
    return Triggered(trigger, at: now) { make(identity, owner: owner, isNewConnection: false, at: $0) }
  }

  /// Makes a toxic that follows `old` follow this plan; false, with nothing changed, when it can't.
  func update(
    _ toxic: inout any Toxic, from old: StagePlan, _ identity: LinkIdentity, owner: Int, at now: Instant
  ) -> Bool {
    if kind == old.kind && trigger == old.trigger { return true }
    var isWaiting = false
    let isUpdated = modify(&toxic) { (triggered: inout Triggered) in
      isWaiting = true
      return triggered.update(self, at: now) { make(identity, owner: owner, isNewConnection: false, at: $0) }
    }
    return isWaiting ? isUpdated : kind == old.kind || kind.update(&toxic, at: now)
  }

  private func make(_ identity: LinkIdentity, owner: Int, isNewConnection: Bool, at now: Instant) -> any Toxic {
    switch kind {
    case .latency(let parameters):
      Latency(parameters, generator: identity.generator(toxic: name, use: "jitter"))
    case .bandwidth(let parameters):
      Bandwidth(parameters, at: now)
    case .slowClose(let parameters):
      SlowClose(parameters)
    case .timeout(let parameters):
      Timeout(parameters, at: now)
    case .resetPeer(let parameters):
      ResetPeer(parameters, isNewConnection: isNewConnection, at: now)
    case .slicer(let parameters):
      Slicer(parameters, generator: identity.generator(toxic: name, use: "slices"))
    case .limitData(let parameters):
      LimitData(parameters)
    case .drop(let parameters):
      Drop(parameters, direction: identity.direction, generator: dice(identity, use: "drop"))
    case .stall(let parameters):
      Stall(parameters, at: now)
    case .noop:
      Noop()
    case .sharedRate(let path):
      SharedRateStage(path, owner: owner)
    case .tcp(let path):
      TCPStage(
        path, identity.direction, owner: owner, isNewConnection: isNewConnection,
        dice: identity.sessionGenerator(toxic: name, use: "packets"))
    }
  }
}

/// The kinds of toxic with their parameters. The switches in this file are the only ones over it.
package enum StageKind {
  case latency(Latency.Parameters)
  case bandwidth(Bandwidth.Parameters)
  case slowClose(SlowClose.Parameters)
  case timeout(Timeout.Parameters)
  case resetPeer(ResetPeer.Parameters)
  case slicer(Slicer.Parameters)
  case limitData(LimitData.Parameters)
  case drop(Drop.Parameters)
  case stall(Stall.Parameters)
  case noop
  case sharedRate(SharedRate)
  case tcp(NetworkPath)

  /// Gives a toxic of this kind the new parameters; false, with nothing changed, when it is of another kind.
  func update(_ toxic: inout any Toxic, at now: Instant) -> Bool {
    switch self {
    case .latency(let new): return modify(&toxic) { (old: inout Latency) in old.update(new, at: now) }
    case .bandwidth(let new): return modify(&toxic) { (old: inout Bandwidth) in old.update(new, at: now) }
    case .slowClose(let new): return modify(&toxic) { (old: inout SlowClose) in old.update(new, at: now) }
    case .timeout(let new): return modify(&toxic) { (old: inout Timeout) in old.update(new, at: now) }
    case .resetPeer(let new): return modify(&toxic) { (old: inout ResetPeer) in old.update(new, at: now) }
    case .slicer(let new): return modify(&toxic) { (old: inout Slicer) in old.update(new, at: now) }
    case .limitData(let new): return modify(&toxic) { (old: inout LimitData) in old.update(new, at: now) }
    case .drop(let new): return modify(&toxic) { (old: inout Drop) in old.update(new, at: now) }
    case .stall(let new): return modify(&toxic) { (old: inout Stall) in old.update(new, at: now) }
    case .noop: return toxic is Noop
    case .sharedRate(let new): return modify(&toxic) { (old: inout SharedRateStage) in old.update(new, at: now) }
    case .tcp(let new):
      guard let connection = toxic.modelledConnection else { return false }
      connection.move(to: new, at: now)
      return true
    }
  }
}

extension StageKind: Equatable {
  /// Shared rates and paths are equal when they are the same one.
  package static func == (left: StageKind, right: StageKind) -> Bool {
    switch (left, right) {
    case (.latency(let left), .latency(let right)): left == right
    case (.bandwidth(let left), .bandwidth(let right)): left == right
    case (.slowClose(let left), .slowClose(let right)): left == right
    case (.timeout(let left), .timeout(let right)): left == right
    case (.resetPeer(let left), .resetPeer(let right)): left == right
    case (.slicer(let left), .slicer(let right)): left == right
    case (.limitData(let left), .limitData(let right)): left == right
    case (.drop(let left), .drop(let right)): left == right
    case (.stall(let left), .stall(let right)): left == right
    case (.noop, .noop): true
    case (.sharedRate(let left), .sharedRate(let right)): left === right
    case (.tcp(let left), .tcp(let right)): left === right
    case (.latency, _), (.bandwidth, _), (.slowClose, _), (.timeout, _), (.resetPeer, _), (.slicer, _), (.limitData, _),
      (.drop, _), (.stall, _), (.noop, _), (.sharedRate, _), (.tcp, _):
      false
    }
  }
}

@available(*, unavailable) extension StageKind: Sendable {}
@available(*, unavailable) extension StagePlan: Sendable {}

/// False when the toxic is of another kind, or when `body` says that it changed nothing.
private func modify<Kind: Toxic>(_ toxic: inout any Toxic, _ body: (inout Kind) -> Bool) -> Bool {
  guard var concrete = toxic as? Kind else { return false }
  // Let go of the old box first, or its queues would be copied.
  toxic = Noop()
  let isChanged = body(&concrete)
  toxic = concrete
  return isChanged
}

private func modify<Kind: Toxic>(_ toxic: inout any Toxic, _ body: (inout Kind) -> Void) -> Bool {
  modify(&toxic) { (concrete: inout Kind) -> Bool in
    body(&concrete)
    return true
  }
}
