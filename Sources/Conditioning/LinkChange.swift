extension Link {
  /// Makes the link follow a new plan while it runs.
  ///
  /// Stages are compared by name. The same kind and parameters: the stage is untouched. The same kind with other
  /// parameters: it is updated, nothing goes early. New: inserted empty. Gone, of another kind, or left out by toxicity:
  /// what it held goes on, in order and ahead of anything newer, to what now stands behind its predecessor (so a stage that
  /// replaces it takes over), or out. Stages that swap places hand on what they hold, because bytes can't.
  package mutating func change(to newPlan: [StagePlan], at now: Instant) {
    change(to: newPlan, isNewConnection: false, at: now)
  }

  mutating func change(to newPlan: [StagePlan], isNewConnection: Bool, at now: Instant) {
    guard newPlan != plan else {
      // The other direction's toxics changed. The array is taken over, so that all links go on sharing one.
      plan = newPlan
      return
    }
    passOnWhatIsDue(at: now)
    for index in stages.indices { collectVerdicts(stage: index) }
    guard !move(to: newPlan, at: now) else { return }
    var previous = Previous(plan: plan, stages: stages.array)
    plan = newPlan
    stages = LinkStages()
    rebuild(from: &previous, isNewConnection: isNewConnection, at: now)
  }

  /// Nothing but the network is another one: thousands of links are changed so at a switch of profiles, and nothing of the
  /// chain is built anew. False, with nothing changed, where there is more to it.
  private mutating func move(to newPlan: [StagePlan], at now: Instant) -> Bool {
    guard newPlan.count == plan.count, stages.count == plan.count else { return false }
    for index in plan.indices where !plan[index].differsOnlyInNetwork(from: newPlan[index]) { return false }
    plan = newPlan
    for index in stages.indices where plan[index].isNetwork {
      let kind = plan[index].kind
      _ = stages.change(index) { kind.update(&$0, at: now) }
    }
    return true
  }

  /// What is due by now has left its stage, however late this call is. Not what is cut up: that would be a step for each
  /// piece, and whoever cuts may begin anew.
  private mutating func passOnWhatIsDue(at now: Instant) {
    var hasMoved = true
    while hasMoved {
      hasMoved = false
      for index in stages.indices.reversed() where !stages[index].toxic.cutsWrites {
        while let segment = stages.change(index, { $0.poll(at: now) }) {
          enter(segment, stage: index + 1, at: now)
          hasMoved = true
        }
      }
    }
  }

  /// The chain before a change.
  private struct Previous {
    var plan: [StagePlan]
    var stages: [Stage]

    func stageIndex(named name: String) -> Int? {
      stages.firstIndex { plan[$0.planIndex].name == name }
    }

    func toxicity(of name: String) -> Double? {
      plan.first { $0.name == name }?.toxicity
    }

    /// Takes a stage's toxic out, so that it is changed in place and not copied.
    mutating func take(_ index: Int) -> any Toxic {
      let toxic = stages[index].toxic
      stages[index].toxic = Noop()
      return toxic
    }
  }

  private mutating func rebuild(from old: inout Previous, isNewConnection: Bool, at now: Instant) {
    // For each stage of the old chain: its place in the new one if it stays where it is, relative to the others that stay.
    var places = [Int?](repeating: nil, count: old.stages.count)
    var surrendered = [[Segment]](repeating: [], count: old.stages.count)
    var lastKept = -1
    for (planIndex, entry) in plan.enumerated() where isActive(entry, before: old.toxicity(of: entry.name)) {
      var toxic: (any Toxic)?
      if let index = old.stageIndex(named: entry.name) {
        toxic = adopt(entry, from: &old, index, at: now)
        if toxic != nil && index > lastKept {
          places[index] = stages.count
          lastKept = index
        } else if toxic != nil {
          surrendered[index] = toxic?.surrender() ?? []
          toxic?.bytesComeAgain(bytesHeld(behind: index, places))
        }
      }
      let made = toxic ?? entry.makeToxic(identity, owner: owner, isNewConnection: isNewConnection, at: now)
      stages.append(Stage(planIndex: planIndex, toxic: made))
    }
    for index in old.stages.indices where places[index] == nil {
      surrendered[index] += old.stages[index].toxic.surrender()
    }
    feed(surrendered, places: places, at: now)
  }

  /// Bytes in stages that stood behind the old stage `index` and stand before it now.
  private func bytesHeld(behind index: Int, _ places: [Int?]) -> Int {
    places[(index + 1)...].reduce(0) { sum, place in sum + (place.map { stages[$0].toxic.heldBytes } ?? 0) }
  }

  /// The old stage's toxic, with the new parameters; nil when it is of another kind.
  private func adopt(_ entry: StagePlan, from old: inout Previous, _ index: Int, at now: Instant) -> (any Toxic)? {
    var toxic = old.take(index)
    let isUpdated = entry.update(
      &toxic, from: old.plan[old.stages[index].planIndex], identity, owner: owner, at: now)
    if isUpdated { return toxic }
    old.stages[index].toxic = toxic
    return nil
  }

  /// Later stages hold older bytes, so they are handed on first; each lot enters behind the nearest stage that stayed.
  private mutating func feed(_ lots: [[Segment]], places: [Int?], at now: Instant) {
    for index in lots.indices.reversed() {
      let entry = (places[..<index].last { $0 != nil } ?? nil).map { $0 + 1 } ?? 0
      for segment in lots[index] { enter(segment, stage: entry, at: now) }
    }
  }

  /// Toxicity's draw depends on names and the seed only: it is the same at every change, so that a session that a toxic
  /// applies to keeps it while its toxicity stays or rises. Reported when the stage is new or its toxicity changed.
  private mutating func isActive(_ entry: StagePlan, before: Double?) -> Bool {
    guard entry.toxicity < 1 else { return true }
    var generator = entry.dice(identity, use: "toxicity")
    let isActive = generator.unit() < entry.toxicity
    if before != entry.toxicity {
      decisions.append(
        Decision(
          toxic: entry.name, direction: identity.direction, exchange: nil, outcome: isActive ? .applied : .skipped))
    }
    return isActive
  }
}

extension StagePlan {
  fileprivate var isNetwork: Bool { if case .tcp = kind { true } else { false } }

  /// - Precondition: the stage is in force.
  fileprivate func differsOnlyInNetwork(from other: StagePlan) -> Bool {
    name == other.name && toxicity == other.toxicity && trigger == other.trigger && isInBothLinks == other.isInBothLinks
      && (kind == other.kind || isNetwork && other.isNetwork && trigger.isImmediate)
  }
}
