import Conditioning
import Forwarding
import Reactor
import Settings

// Plain HTTP through a forward proxy: requests in turn, each with its answer, and how such a session ends.
extension Session {
  /// The upstream is there for the request that was asked for.
  func forwardRequest(_ forward: ForwardState, via: ViaSpec?, _ now: Instant) {
    guard let request = forward.request else { return }
    forward.stage = .exchanging
    forward.isFresh = true
    forward.isAnswerOver = false
    forward.hasAnswerBegun = false
    forward.talk?.answers.begin(method: request.method)
    let head = via.map { request.forProxy(authorization: $0.authorization, name: sessions.hub.viaName) }
    deliver(head ?? request.forOrigin(), .upstream, now)
    mustDriveAgain = true
  }

  /// `count` bytes of the upstream's lie in the read buffer.
  func takeFromUpstream(_ count: Int, _ forward: ForwardState, _ now: Instant) {
    if forward.isTunnel { return deliver(0..<count, .downstream, now) }
    // Nothing was asked for: whatever this is, it is no answer.
    guard forward.isExchanging, let talk = forward.talk else { return closeUpstream(forward) }
    var offset = 0
    while phase == .open, forward.isExchanging {
      let (consumed, step) = loop.readBuffer.withBytes(count) { talk.answers.next($0, from: offset) }
      let start = offset
      offset += consumed
      switch step {
      case .needsMore: return
      case .head(let bytes, let info):
        if info.status == 101, forward.request?.isUpgrade != true {
          return refuse(Refusal(.badAnswer, "the server switches protocols, which nobody asked for"), forward, now)
        }
        // HTTP/1.0 doesn't know them (RFC 9110 §15.2).
        if info.isInformational, info.status != 101, forward.request?.isHTTP10 ?? false { continue }
        forward.hasAnswerBegun = true
        deliver(bytes, .downstream, now)
      case .body(let length): deliver(start..<start + length, .downstream, now)
      case .complete(let keepsAlive):
        forward.isAnswerOver = true
        forward.keepsAlive = keepsAlive
        // What comes behind the answer is none.
        if offset < count { forward.keepsAlive = false }
        return exchangeMayBeOver(forward, now)
      case .upgraded:
        forward.stage = .tunnel
        deliver(offset..<count, .downstream, now)
        if !forward.pending.isEmpty { deliver(forward.takePending(), .upstream, now) }
        return
      case .refused(let refusal):
        return refuse(refusal, forward, now)
      }
    }
  }

  /// After the end of a request or of an answer.
  func exchangeMayBeOver(_ forward: ForwardState, _ now: Instant) {
    guard forward.isExchanging, forward.isAnswerOver else { return }
    guard forward.isRequestOver else {
      // An early answer. What is still to come of the request can't be told from the next one if it isn't read.
      if !forward.keepsAlive { endForward(forward, reason: .closed, now) }
      return
    }
    // What an early answer left behind of its request must not go to the next one's upstream.
    guard forward.keepsAlive, forward.request?.wantsClose == false, upstream.isUntouched else {
      return endForward(forward, reason: .closed, now)
    }
    forward.stage = .asking
    forward.talk?.request = nil
    beIdle(forward, now)
    mustDriveAgain = true
  }

  /// Nothing of the next request is there.
  func beIdle(_ forward: ForwardState, _ now: Instant) {
    forward.hasBegun = false
    forward.askedBy = now + sessions.limits.idleTimeout
  }

  /// The upstream has ended or reset the connection; true when that is dealt with.
  func upstreamLeft(_ forward: ForwardState, isEnd: Bool, _ now: Instant) -> Bool {
    switch forward.stage {
    case .tunnel: return false
    case .exchanging:
      // Behind a whole answer it makes no difference how.
      guard isEnd || forward.isAnswerOver else { return false }
      // Whether that was the whole answer the client sees as it would without a proxy: by the end of the connection.
      endForward(forward, reason: .closed, now)
    case .shaking:
      // Told when the connection would have been.
      forward.refusal = forward.refusal ?? lost(forward)
      closeUpstream(forward)
    case .askingVia: refuse(lost(forward), forward, now)
    case .asking, .naming, .held, .opening, .dialling, .refused: closeUpstream(forward)
    }
    return true
  }

  private func lost(_ forward: ForwardState) -> Refusal {
    Refusal(.refused, "no connection: \(forward.connectedTo?.description ?? "the server") reset it at once")
  }

  /// The client sends nothing more; true when it isn't to be passed on.
  func clientLeft(_ forward: ForwardState, _ now: Instant) -> Bool {
    if forward.isExchanging, forward.isRequestOver, !forward.pending.isEmpty {
      // Those requests first.
      forward.hasClientEnded = true
      return true
    }
    guard forward.isAsking else { return false }
    upstream.source = .ended
    endForward(forward, reason: forward.hasBegun ? .clientReset : .closed, now)
    return true
  }

  /// Tells the client why not, behind all that it was told before, and closes.
  func refuse(_ refusal: Refusal, _ forward: ForwardState, _ now: Instant) {
    guard phase == .open else { return }
    if case .refused = forward.stage { return }
    let answer = forward.answer(to: refusal)
    // An answer that has begun can't become another one, garbage gets none, and a tunnel's bytes are not ours.
    let canTell = !answer.isEmpty && !forward.isTunnel && !(forward.isExchanging && forward.hasAnswerBegun)
    forward.refusal = refusal
    dial = nil
    closeUpstream(forward)
    if refusal.isOfHead {
      sessions.met(.forwardHeadBytes, value: sessions.limits.forwardHeadBytes, proxy: proxy.name)
    }
    log(refusal)
    sessions.record(
      "request_refused", of: self,
      [
        ("target", forward.target.map { .string($0.description) } ?? .null), ("kind", .string("\(refusal.kind)")),
        ("reason", .string(refusal.reason)),
      ])
    guard canTell else { return reset(reason: .refused) }
    forward.stage = .refused
    forward.closing = refusal.kind.isOfDialling ? .dialFailed : .refused
    forward.ownFrom = downstream.received
    if !isEstablishedOnPath { leavePath(now) }
    deliver(answer, .downstream, now)
    closeBehindAll(now)
  }

  /// What a profile refuses is what is wanted of it, and a line for each request too many.
  private func log(_ refusal: Refusal) {
    let fields: [(String, JSON)] = [
      ("proxy", .string(proxy.name)), ("session", .integer(Int64(id))), ("kind", .string("\(refusal.kind)")),
      ("reason", .string(refusal.reason)),
    ]
    if refusal.kind == .offline {
      sessions.log.debug("request refused", fields)
    } else {
      sessions.log.info("request refused", fields)
    }
  }

  /// Closes when all that the client was told is delivered.
  func endForward(_ forward: ForwardState, reason: CloseReason, _ now: Instant) {
    forward.stage = .refused
    forward.closing = reason
    closeUpstream(forward)
    closeBehindAll(now)
  }

  /// Behind the last answer: a toxic has the time that it says it needs, and a client any time as long as it takes something
  /// now and then. One that doesn't read, or a toxic that lets nothing pass, is not waited for without end.
  func mayStillDeliver(_ forward: ForwardState, _ now: Instant) -> Bool {
    guard phase == .open else { return true }
    if downstream.sent != forward.sentBefore || downstream.link.deadline != nil {
      forward.sentBefore = downstream.sent
      givesUpAt = now + sessions.limits.deliveryTimeout
    } else if clientSocket?.peerClosed ?? false {
      givesUpAt = min(givesUpAt ?? .distantFuture, now + Session.hangUpTime)
    }
    return now < givesUpAt ?? .distantFuture
  }

  private func closeBehindAll(_ now: Instant) {
    guard phase == .open else { return }
    upstream.abandon()
    givesUpAt = now + sessions.limits.deliveryTimeout
    withPipe(.downstream) { pipe in
      guard pipe.sink == .open else { return }
      if pipe.link.isTransparent { pipe.sink = .closeDue } else { pipe.link.receive(.close, at: now) }
    }
    mustDriveAgain = true
  }
}
