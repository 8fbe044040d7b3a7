/// The rate of a path that many links share in one direction: one serialiser that serves the busy flows in turn.
///
/// Each turn grants a flow one quantum (see `Serializer`), extent by extent, so busy flows get equal shares whatever the
/// sizes of their writes, and the sum is the rate exactly. An idle flow takes no turn.
///
/// Loop-confined. The owner arms one timer for `deadline` (after driving a link, too: input may have moved it) and drives
/// the link of each flow that `poll` returns.
package final class SharedRate {
  private var serializer: Serializer
  private var isLimited: Bool
  private var ring = Fifo<Seat>()
  private var turnLeftBytes = 0
  private var backlogBytes = 0

  /// `bytesPerSecond` nil: no limit, everything is granted at once; 0: everything is held.
  package init(bytesPerSecond: Int64?, at now: Instant) {
    serializer = Serializer(bytesPerSecond: bytesPerSecond ?? 0, at: now)
    isLimited = bytesPerSecond != nil
  }

  package var bytesPerSecond: Int64? { isLimited ? serializer.bytesPerSecond : nil }

  /// Grants the next piece that is due and returns its flow, whose link is to be driven; call again until nil.
  package func poll(at now: Instant) -> Flow? {
    catchUp(to: now)
    guard let flow = ring.first?.flow, let piece = nextPiece else { return nil }
    guard !isLimited || serializer.take(piece) else { return nil }
    grant(piece, to: flow)
    return flow
  }

  /// When the next piece is due; nil while no flow is busy or the rate is 0.
  package var deadline: Instant? {
    nextPiece.flatMap { isLimited ? serializer.deadline(of: $0) : .distantPast }
  }

  /// Progress stays made; what is left runs at the new rate at once. Poll afterwards.
  package func setRate(_ bytesPerSecond: Int64?, at now: Instant) {
    serializer.setRate(bytesPerSecond ?? 0, at: now, backlog: backlogBytes)
    if bytesPerSecond == nil { serializer.abandon(backlogBytes, leaving: backlogBytes) }
    isLimited = bytesPerSecond != nil
    // A turn cut for a fast path would keep the others waiting for seconds on a slow one.
    turnLeftBytes = min(turnLeftBytes, serializer.piece(of: .max))
  }

  /// Bytes of the piece being serialised, for the flow in front; everything it has when there is no limit.
  private var nextPiece: Int? {
    guard let flow = ring.first?.flow else { return nil }
    guard isLimited else { return flow.waitingBytes }
    return serializer.piece(of: min(flow.nextExtentBytes, turnLeftBytes))
  }

  private func grant(_ bytes: Int, to flow: Flow) {
    flow.grant(bytes)
    backlogBytes -= bytes
    turnLeftBytes -= bytes
    if flow.waitingBytes == 0 {
      passTurn()
    } else if turnLeftBytes <= 0, let seat = passTurn() {
      sit(seat)
    }
  }

  @discardableResult
  private func passTurn() -> Seat? {
    let seat = ring.popFirst()
    turnLeftBytes = serializer.quantum
    return seat
  }

  private func sit(_ seat: Seat) {
    if ring.isEmpty { turnLeftBytes = serializer.quantum }
    ring.append(seat)
  }
}

@available(*, unavailable) extension SharedRate: Sendable {}

extension SharedRate {
  /// A busy flow's place in the ring. Unowned, because a link that is thrown away must be able to leave: the flow's
  /// deinit does that, by identity.
  fileprivate struct Seat {
    let identity: ObjectIdentifier
    unowned let flow: Flow

    init(_ flow: Flow) {
      identity = ObjectIdentifier(flow)
      self.flow = flow
    }
  }

  fileprivate func catchUp(to now: Instant) {
    serializer.advance(to: now, backlog: backlogBytes)
  }

  /// Bytes came for `flow`, which has `waitingBytes` in front of them.
  fileprivate func enqueue(_ bytes: Int, for flow: Flow, at now: Instant) {
    catchUp(to: now)
    guard isLimited else { return flow.grant(bytes) }
    backlogBytes += bytes
    if flow.waitingBytes == bytes { sit(Seat(flow)) }
  }

  /// A busy flow goes, and takes its `bytes` along; what was serialised of its piece is lost.
  fileprivate func leave(_ identity: ObjectIdentifier, piece: Int, bytes: Int) {
    backlogBytes -= bytes
    if ring.first?.identity == identity {
      let current = isLimited ? serializer.piece(of: min(piece, turnLeftBytes)) : 0
      serializer.abandon(current, leaving: backlogBytes)
      passTurn()
    } else {
      serializer.abandon(0, leaving: backlogBytes)
      ring.removeAll { $0.identity == identity }
    }
  }
}

extension SharedRate {
  /// One link's part of the path: what it sends, and how much of that has been granted.
  package final class Flow {
    /// The session's token, given when the link was made.
    package let owner: Int
    fileprivate let path: SharedRate
    private var queue = SegmentQueue()
    private var grantedBytes = 0

    fileprivate init(owner: Int, path: SharedRate) {
      self.owner = owner
      self.path = path
    }

    deinit {
      leave()
    }

    /// Bytes that wait for a grant.
    fileprivate var waitingBytes: Int { queue.byteCount - grantedBytes }
    /// What is left of the extent that waits for a grant next.
    fileprivate var nextExtentBytes: Int { queue.extentRemainder(at: grantedBytes) ?? 0 }

    fileprivate func grant(_ bytes: Int) {
      grantedBytes += bytes
    }

    private func leave() {
      guard waitingBytes > 0 else { return }
      path.leave(ObjectIdentifier(self), piece: nextExtentBytes, bytes: waitingBytes)
    }
  }
}

@available(*, unavailable) extension SharedRate.Flow: Sendable {}

extension SharedRate.Flow {
  fileprivate var heldBytes: Int { queue.byteCount }

  fileprivate var isPollable: Bool {
    switch queue.first {
    case nil: false
    case .bytes: grantedBytes > 0
    case .end, .close, .reset: true
    }
  }

  fileprivate func receive(_ segment: Segment, at now: Instant) {
    queue.append(segment)
    if segment.byteCount > 0 { path.enqueue(segment.byteCount, for: self, at: now) }
  }

  fileprivate func poll() -> Segment? {
    guard isPollable, let segment = queue.popFirst(atMost: max(1, grantedBytes)) else { return nil }
    grantedBytes -= segment.byteCount
    return segment
  }

  fileprivate func surrender() -> [Segment] {
    leave()
    grantedBytes = 0
    return queue.takeAll()
  }
}

/// A link's place on a shared path. Its own deadline is nil: the path's timer drives it.
package struct SharedRateStage: Toxic {
  private var flow: SharedRate.Flow

  /// `owner` is what `SharedRate.Flow.owner` tells when a piece was granted.
  package init(_ path: SharedRate, owner: Int) {
    flow = SharedRate.Flow(owner: owner, path: path)
  }

  /// Moves to another path with everything that still waits.
  package mutating func update(_ path: SharedRate, at now: Instant) {
    let segments = flow.surrender()
    flow = SharedRate.Flow(owner: flow.owner, path: path)
    for segment in segments { flow.receive(segment, at: now) }
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    flow.receive(segment, at: now)
  }

  package mutating func poll(at now: Instant) -> Segment? {
    // A flow that is about to leave is polled first: its path then knows how far it has come with its piece.
    flow.path.catchUp(to: now)
    return flow.poll()
  }

  package var deadline: Instant? { flow.isPollable ? .distantPast : nil }
  package var heldBytes: Int { flow.heldBytes }
  package var standsStill: Bool { flow.path.bytesPerSecond == 0 }

  package func allowance(behind transit: Interval) -> Int {
    flow.path.allowance(held: heldBytes, behind: transit)
  }

  package mutating func surrender() -> [Segment] {
    flow.surrender()
  }
}

extension SharedRate {
  fileprivate func allowance(held: Int, behind transit: Interval) -> Int {
    isLimited ? serializer.allowance(held: held, behind: transit) : .max
  }
}
