/// One direction of one session: a chain of toxics.
///
/// The grammar is that of a toxic: `receive` only stores, `poll` yields what is due. The driver's loop, after every input,
/// timer or change: poll until nil, write, then arm one timer for `deadline` if it moved. Stages that toxicity leaves out are
/// not in the chain; an empty plan holds no memory of its own.
///
/// `end` is the last that leaves, except that a close or a reset may follow it; nothing follows a reset, and only a reset
/// follows a close.
package struct Link: ~Copyable {
  struct Stage {
    /// Where the stage is in `plan`, which all links under the same conditions share.
    let planIndex: Int
    var toxic: any Toxic
  }

  private enum Closing {
    case open, ended, closed, reset
  }

  // In this order for size: every idle session carries two links.
  let owner: Int
  var plan: [StagePlan] = []
  var stages = LinkStages()
  var decisions: [Decision] = []
  let identity: LinkIdentity
  private var closing = Closing.open
  /// What has left the last stage already, ahead of all that the stages hold.
  var outbox = Fifo<Segment>()

  /// `owner` is the session's token, see `SharedRate.Flow.owner`. Poll once: a drop may act without data.
  package init(_ identity: LinkIdentity, plan: [StagePlan], owner: Int, at now: Instant) {
    self.identity = identity
    self.owner = owner
    change(to: plan, isNewConnection: true, at: now)
  }

  /// Whether the caller may forward bytes as they come, without `receive` and `poll`.
  package var isTransparent: Bool {
    stages.isEmpty && outbox.isEmpty && closing == .open
  }

  /// Whether ``takeDecisions()`` may have any.
  package var mayHaveDecided: Bool { !stages.isEmpty || !decisions.isEmpty }

  /// Whether a drop has decided that this connection is never to be answered.
  package var isHanging: Bool { stages.contains { $0.isHanging } }

  /// Whether what leaves is to be written segment by segment.
  package var cutsWrites: Bool { stages.contains { $0.cutsWrites } }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    guard closing != .reset else { return }
    enter(segment, stage: 0, at: now)
  }

  /// The next segment that is due to be written; call again until nil. Behind a gap in the offsets no byte follows.
  package mutating func poll(at now: Instant) -> Segment? {
    while let segment = outbox.popFirst() ?? run(at: now) {
      if admit(segment) { return segment }
    }
    return nil
  }

  /// When to poll again without new input; `distantPast` means at once, nil never. A shared rate has its own deadline.
  package var deadline: Instant? {
    if !outbox.isEmpty { return .distantPast }
    var earliest: Instant?
    for index in stages.indices where !isHeldUp(stage: index) {
      if let deadline = stages[index].toxic.deadline { earliest = min(earliest ?? deadline, deadline) }
    }
    return earliest
  }

  /// Bytes that the link accepts now: the least of what its stages accept, less what is still on its way to them.
  /// `Int.max`: no bound of its own; 0 or less: stop reading.
  package var allowance: Int {
    var least = Int.max
    var bytesAhead = 0
    var transit = Interval.zero
    for index in stages.indices {
      let allowance = stages[index].toxic.allowance(behind: transit)
      if allowance != .max { least = min(least, allowance - bytesAhead) }
      guard index < stages.count - 1 else { break }
      bytesAhead += stages[index].toxic.heldBytes
      transit = transit + stages[index].toxic.transit
    }
    return least
  }

  /// Once a toxic has lost bytes: how many of the bytes that were received and haven't left can still be delivered. They
  /// are the oldest; the rest may be forgotten. Nil while nothing is lost.
  package var deliverableBytes: Int? {
    guard let last = stages.indices.last(where: { stages[$0].toxic.hasLostBytes }) else { return nil }
    let behind = stages.indices[last...].reduce(0) { $0 + stages[$1].toxic.heldBytes }
    return (0..<outbox.count).reduce(behind) { $0 + outbox[$1].byteCount }
  }

  /// What the dice decided since the last call, in the order of the chain.
  package mutating func takeDecisions() -> [Decision] {
    for index in stages.indices { collectVerdicts(stage: index) }
    let taken = decisions
    decisions = []
    return taken
  }

  /// Hands a segment to the stage with this index, or out when there is none.
  mutating func enter(_ segment: Segment, stage: Int, at now: Instant) {
    if stage < stages.count {
      stages.change(stage) { $0.receive(segment, at: now) }
    } else {
      outbox.append(segment)
    }
  }

  /// Runs the chain until a segment leaves its last stage: back to the stage that has one, forward again with it.
  mutating func run(at now: Instant) -> Segment? {
    var index = stages.count - 1
    while index >= 0 {
      guard !isHeldUp(stage: index), let segment = stages.change(index, { $0.poll(at: now) }) else {
        index -= 1
        continue
      }
      if index == stages.count - 1 { return segment }
      index += 1
      stages.change(index) { $0.receive(segment, at: now) }
    }
    return nil
  }

  /// Whether a stage must not cut any more, because one behind it is full: pieces take far more memory than what they are
  /// cut from. A stage that hangs or discards still has to see a reset.
  private func isHeldUp(stage index: Int) -> Bool {
    guard stages[index].toxic.cutsWrites else { return false }
    return stages.indices[(index + 1)...].contains { behind in
      let toxic = stages[behind].toxic
      return toxic.allowance <= 0 && !toxic.isHanging && !toxic.hasLostBytes
    }
  }

  mutating func collectVerdicts(stage index: Int) {
    let toxic = plan[stages[index].planIndex].name
    for verdict in stages.change(index, { $0.takeVerdicts() }) {
      decisions.append(
        Decision(
          toxic: toxic, direction: identity.direction, exchange: verdict.exchange, outcome: verdict.outcome))
    }
  }

  private mutating func admit(_ segment: Segment) -> Bool {
    switch (closing, segment) {
    case (.reset, _), (.closed, .bytes), (.closed, .end), (.closed, .close), (.ended, .bytes), (.ended, .end):
      return false
    case (.open, .bytes):
      return true
    case (.open, .end):
      closing = .ended
      return true
    case (.open, .close), (.ended, .close):
      closing = .closed
      return true
    case (_, .reset):
      closing = .reset
      dissolve()
      return true
    }
  }

  /// Lets go of everything: nothing that is held will ever leave, and the link passes what comes from now on.
  package mutating func dissolve() {
    for index in stages.indices {
      collectVerdicts(stage: index)
      // A shared path learns that it is left.
      _ = stages.change(index) { $0.surrender() }
    }
    plan = []
    stages = LinkStages()
    outbox = Fifo()
  }
}

@available(*, unavailable) extension Link: Sendable {}
