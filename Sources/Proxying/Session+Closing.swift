import Conditioning
import Reactor

// Ends and resets; the table is at ``Session``.
extension Session {
  func sourceEnded(_ direction: Direction, _ now: Instant) {
    if let forward {
      if direction == .downstream, upstreamLeft(forward, isEnd: true, now) { return }
      if direction == .upstream, clientLeft(forward, now) { return }
    }
    withPipe(direction) { pipe in
      pipe.source = .ended
      guard pipe.sink == .open else { return }
      if pipe.link.isTransparent { pipe.sink = .endDue } else { pipe.link.receive(.end, at: now) }
    }
  }

  /// The source was reset by its peer: the other side learns it through the link, and nothing can be delivered back.
  func sourceFailed(_ direction: Direction, _ now: Instant) {
    if let forward {
      if direction == .downstream, upstreamLeft(forward, isEnd: false, now) { return }
      // There is nobody yet who could be told.
      if direction == .upstream, !forward.isTunnel, !forward.isExchanging { return reset(reason: .clientReset) }
    }
    let back: Direction = direction == .upstream ? .downstream : .upstream
    closeSocket(from: direction)
    withPipe(back) { $0.abandon() }
    sessions.memoryMayBeBack()
    var isOver = false
    withPipe(direction) { pipe in
      isOver = pipe.sink == .gone
      guard pipe.source != .reset else { return }
      pipe.source = .reset
      if pipe.link.isTransparent {
        isOver = true
      } else {
        pipe.link.receive(.reset, at: now)
      }
    }
    if isOver || isConnecting {
      reset(reason: direction == .upstream ? .clientReset : .upstreamReset)
    }
  }

  /// The sink takes nothing any more, because its peer closed or reset it. What the peer said before, an early answer for
  /// instance, is read first; the failure comes behind it.
  func sinkFailed(_ direction: Direction, _ now: Instant) {
    let back: Direction = direction == .upstream ? .downstream : .upstream
    let isReadOn = back == .downstream || forward?.isTunnel ?? true
    guard phase == .open, isReadOn, roomToRead(back) > 0 else { return sourceFailed(back, now) }
    withPipe(direction) { $0.abandon() }
    sessions.memoryMayBeBack()
    mustDriveAgain = true
  }

  /// False when writing to the source of `direction` has failed: then it is only read to its end.
  func isWritingBack(_ direction: Direction) -> Bool {
    direction == .upstream ? downstream.sink != .gone : upstream.sink != .gone
  }

  /// A toxic closes the connection. What came out of the link before goes first, however long the sink takes; then nothing
  /// more is read.
  func linkClosed(_ direction: Direction, _ now: Instant) {
    withPipe(direction) { pipe in
      if pipe.sink == .open || pipe.sink == .endDue { pipe.sink = .closeDue }
    }
    var isDelivered = false
    withPipe(direction) { isDelivered = $0.sink != .closeDue || $0.unsent == 0 }
    // Otherwise `push` comes to it.
    if isDelivered { closeByToxic() }
  }

  /// A reset came out of the link.
  func linkReset(_ direction: Direction, _ now: Instant) {
    _ = push(direction, now)
    guard phase != .closed else { return }
    var isToxic = false
    withPipe(direction) { isToxic = $0.source != .reset }
    let peer: CloseReason = direction == .upstream ? .clientReset : .upstreamReset
    reset(reason: isToxic ? .dropped : peer)
  }

  /// Both sides see an end, though neither sent one.
  func closeByToxic() {
    guard phase != .lingering else { return }
    dial = nil
    clientSocket?.shutdownWrite()
    upstreamSocket?.shutdownWrite()
    upstream.abandon()
    downstream.abandon()
    downstream.beginDiscarding()
    sessions.memoryMayBeBack()
    noteDecisions()
    phase = .lingering
    givesUpAt = loop.instant + Session.hangUpTime
    arm(at: loop.instant + Session.lingerTime)
    mustDriveAgain = true
  }

  /// Reads and throws away until both sides have ended; the timer ends it otherwise. A server that goes on sending is told by a
  /// reset in the end; for the client, who may send a long request before it reads, the end is to stay one.
  func discardWhatComes() {
    for direction in Direction.allCases {
      for _ in 0..<Session.roundsInARow where mayDiscard(direction) { discard(direction) }
    }
    if downstream.discarded >= Session.discardedMax { closeSocket(from: .downstream) }
    if clientSocket == nil, upstreamSocket == nil { return finish(closingReason) }
    if Direction.allCases.contains(where: mayDiscard) { driveLater() }
  }

  private func mayDiscard(_ direction: Direction) -> Bool {
    guard socket(from: direction)?.isReadable ?? false else { return false }
    return direction == .upstream || downstream.discarded < Session.discardedMax
  }

  private func discard(_ direction: Direction) {
    switch socket(from: direction)?.read(upTo: ReadBuffer.capacity) {
    case .bytes(let count): withPipe(direction) { $0.received += Int64(count) }
    case .end, .failed: closeSocket(from: direction)
    case .wouldBlock, nil: return
    }
  }

  /// The source has ended and is read on at once: bytes and end are to leave together. Where a forward proxy reads, what follows
  /// may be something else.
  func isEndDue(_ direction: Direction) -> Bool {
    guard let source = socket(from: direction), source.peerClosed else { return false }
    return forward?.isTunnel ?? true
  }

  /// The other direction has come to its end on both sides: once this one has, the sockets are closed, and its sink sees an end by
  /// that. Only where nothing of what the sink has sent is unread, or it would see a reset.
  func isOtherOver(than direction: Direction) -> Bool {
    guard phase == .open else { return false }
    func isOver(_ pipe: borrowing Pipe) -> Bool { pipe.source == .ended && pipe.sink == .ended }
    return direction == .upstream ? isOver(downstream) : isOver(upstream)
  }

  /// All is delivered that there was, and both sides have ended.
  func closeIfDone(_ upstream: Pipe.Rest, _ downstream: Pipe.Rest) {
    guard phase == .open, upstream.isFinished, downstream.isFinished else { return }
    clientSocket?.close()
    upstreamSocket?.close()
    finish(.closed)
  }

  /// The daemon stops: once everything that was held has gone out, and the peers' systems have it (a reset would forget
  /// what is unsent), a side whose stream was cut off sees a reset. An end would tell it that it has everything.
  func closeIfDrained(_ upstream: Pipe.Rest, _ downstream: Pipe.Rest) {
    guard isDrained(upstream, downstream), unacknowledgedBytes == 0 else { return }
    if downstream.isCut { clientSocket?.reset() } else { clientSocket?.close() }
    if upstream.isCut { upstreamSocket?.reset() } else { upstreamSocket?.close() }
    finish(.shutdown)
  }

  private func isDrained(_ upstream: Pipe.Rest, _ downstream: Pipe.Rest) -> Bool {
    phase == .open && (upstream.isCut || downstream.isCut) && upstream.isDelivered && downstream.isDelivered
  }

  /// What is under way to a slow reader gets more time than one that just keeps talking.
  func lingeringIsOver() {
    if unacknowledgedBytes > 0, loop.instant < givesUpAt ?? .distantPast {
      return arm(at: loop.instant + Session.lingerTime)
    }
    clientSocket?.close()
    upstreamSocket?.close()
    finish(closingReason)
  }

  /// A toxic closes a session, or a forward proxy that has said why.
  private var closingReason: CloseReason { forward?.closing ?? .dropped }

  private var unacknowledgedBytes: Int {
    (clientSocket?.unacknowledgedBytes ?? 0) + (upstreamSocket?.unacknowledgedBytes ?? 0)
  }

  /// When to look again whether the peers' systems have everything; nil while there is something else to wait for.
  func drainCheck(_ upstream: Pipe.Rest, _ downstream: Pipe.Rest) -> Instant? {
    isDrained(upstream, downstream) ? loop.instant + Session.drainCheckTime : nil
  }

  func finish(_ reason: CloseReason) {
    if upstream.link.mayHaveDecided || downstream.link.mayHaveDecided { noteDecisions() }
    phase = .closed
    dial = nil
    dropTimer()
    clientSocket = nil
    upstreamSocket = nil
    upstream.abandon()
    downstream.abandon()
    for path in paths { path.rearm() }
    sessions.remove(self, reason: reason)
  }
}
