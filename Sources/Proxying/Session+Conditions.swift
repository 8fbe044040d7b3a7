import Conditioning
import Forwarding
import Reactor
import Settings

// What a session is put through, which for a forward proxy's depends on where its client wants to go.
extension Session {
  /// What the session is put through: what its proxy's are, or what a rule says of its host.
  var conditions: Conditions {
    guard let forward else { return proxy.conditions }
    return forward.isBypass ? Conditions() : proxy.conditions(by: forward.rule)
  }

  /// The shared rates among them; by themselves, because every turn asks for them.
  var paths: [SharedPath] { forward == nil ? proxy.conditions.paths : conditions.paths }

  /// - Parameter isFirst: the client's first request: its connection to the network begins here.
  func enterConditions(isFirst: Bool) {
    let (now, conditions) = (loop.instant, conditions)
    if isFirst {
      makeLinks { conditions.plan($0, connection: number) }
    } else {
      for direction in Direction.allCases {
        let plan = conditions.plan(direction, connection: number)
        withPipe(direction) { $0.link.change(to: plan, at: now) }
      }
    }
    if conditions.isModelled || hasBoundBuffers { matchBuffers() }
  }

  /// What is waited for without bytes, a lookup, a connection or a refusal that comes back, takes no longer from now on than
  /// it would under these conditions: nobody is to wait minutes for a network that is gone.
  func shortenWaits(_ now: Instant) {
    if phase == .dialling, dial == nil, let givesUpAt { self.givesUpAt = min(givesUpAt, now + refusalDelay) }
    guard let forward else { return }
    switch forward.stage {
    case .naming(let until):
      forward.stage = .naming(until: min(until, now + conditions.nameLookup))
    case .shaking(let until?):
      let refusal = forward.refusal == nil ? .zero : downstream.link.modelledDelay
      forward.stage = .shaking(until: min(until, now + longestRoundTrip + refusal))
    case .asking, .held, .opening, .dialling, .shaking(nil), .askingVia, .exchanging, .tunnel, .refused: break
    }
  }

  func makeLinks(_ plan: (Direction) -> [StagePlan]) {
    for direction in Direction.allCases {
      withPipe(direction) {
        $0.link = Session.link(
          direction, plan(direction), seed: sessions.seed, proxy: proxy.name, number: number, id: id, at: loop.instant)
      }
    }
  }

  /// Rules have changed: what is said of this host now applies; false when it is denied.
  func followRules(_ forward: ForwardState) -> Bool {
    guard let target = forward.target else { return true }
    if forward.rulesVersion != sessions.hub.rulesVersion { findRule(target, forward) }
    return forward.rule?.use != .deny
  }

  func findRule(_ target: Target, _ forward: ForwardState) {
    forward.rule = sessions.hub.forward.rule(host: target.host, port: target.port)
    forward.rulesVersion = sessions.hub.rulesVersion
  }
}
