import Conditioning
import Forwarding
import Reactor
import Settings

// A session of a forward proxy up to the point where bytes pass: what the client asks for, the way there, and what the
// profile's network makes of both.
//
// Nothing of this passes through the links, so toxics count only what client and upstream say to each other. A lookup costs
// the profile's DNS delay, a connection one round trip: both directions' latency, with jitter, drawn anew. A refused
// connection costs the same, as its RST comes from the other end of the network. On a path with modelled TCP the handshake
// does that by itself, lost packets included.
extension Session {
  /// A head is read in pieces of at most this size: what comes behind it has to be kept.
  static let requestPiece = 16 << 10
  /// Bytes of further requests that are read ahead, to notice that the client has gone.
  static let pendingMax = 64 << 10

  /// Does what is due; true when the session goes on to move bytes.
  func stepForward(_ forward: ForwardState, _ now: Instant) -> Bool {
    switch forward.stage {
    case .asking:
      if forward.askedBy == nil { forward.askedBy = now + sessions.limits.idleTimeout }
      if let askedBy = forward.askedBy, now >= askedBy { clientIsSlow(forward, now) }
      if !forward.pending.isEmpty { usePending(forward, now) }
    case .naming(let until):
      guard now >= until else { break }
      forward.stage = .held
      fallthrough
    case .held:
      if isWaitOver(forward, now) { setOut(forward, now) }
    case .opening(let until):
      if isWaitOver(forward, now) {
        dialTarget(forward)
      } else if now >= until {
        refuse(Refusal(.timedOut, "no packet gets through to \(forward.target?.description ?? "it")"), forward, now)
      }
    case .shaking(let until):
      if let until, now >= until { forward.stage = .shaking(until: nil) }
      if isWaitOver(forward, now) { shakenHands(forward, now) }
    case .askingVia: readViaAnswer(forward, now)
    case .exchanging:
      // Even without more bytes: that is how a request without a body is seen to be whole.
      if !forward.isRequestOver, forward.isFresh || !forward.pending.isEmpty { usePending(forward, now) }
    case .dialling, .tunnel, .refused: break
    }
    return phase != .closed && phase != .lingering
  }

  /// What was read before it could be used, as if it came now.
  func usePending(_ forward: ForwardState, _ now: Instant) {
    let content = forward.takePending()
    forward.isFresh = false
    loop.readBuffer.load(content)
    takeFromClient(content.count, forward, now)
  }

  private func clientIsSlow(_ forward: ForwardState, _ now: Instant) {
    guard forward.hasBegun else { return endForward(forward, reason: .idle, now) }
    let limit = sessions.limits.requestTimeout.nanoseconds / 1_000_000
    refuse(Refusal(.tooSlow, "no whole request within \(limit) ms of its first byte"), forward, now)
  }

  /// Whether `direction`'s source may be read: a client that waits for an answer says nothing that can be used yet.
  func mayRead(_ direction: Direction, _ forward: ForwardState) -> Bool {
    switch forward.stage {
    case .tunnel: true
    case .asking: direction == .downstream || forward.pending.isEmpty
    case .exchanging:
      direction == .downstream
        || (forward.isRequestOver
          ? clientSocket?.peerClosed ?? false && mayReadAhead(forward)
          : forward.pending.isEmpty && !forward.isFresh)
    case .naming, .held, .opening, .dialling, .shaking, .askingVia, .refused: false
    }
  }

  /// The end of the client's stream is no reason to stop before the requests that came ahead of it.
  private func mayReadAhead(_ forward: ForwardState) -> Bool {
    forward.pending.isEmpty || !forward.hasClientEnded && forward.pending.count < Session.pendingMax
  }

  /// The most that is read at once; what can't be used now must still fit into the read buffer when it can.
  func pieceToRead(_ direction: Direction, _ forward: ForwardState) -> Int {
    switch (forward.stage, direction) {
    case (.asking, .upstream): Session.requestPiece
    case (.exchanging, .upstream) where forward.isRequestOver: Session.pendingMax - forward.pending.count
    // Each head is some work, and there may be many.
    case (.exchanging, .downstream) where !(forward.talk?.answers.isInBody ?? true): Session.requestPiece
    case (.tunnel, _): .max
    default: ReadBuffer.capacity
    }
  }

  // MARK: What the client asks for

  /// `count` bytes of the client's lie in the read buffer.
  func takeFromClient(_ count: Int, _ forward: ForwardState, _ now: Instant) {
    var offset = 0
    var needsMore = false
    while !needsMore, phase == .open {
      switch forward.stage {
      case .tunnel:
        return deliver(offset..<count, .upstream, now)
      case .asking:
        guard offset < count else { return }
        if !forward.hasBegun { forward.askedBy = now + sessions.limits.requestTimeout }
        forward.hasBegun = true
        needsMore = takeRequest(&offset, of: count, forward, now)
      case .exchanging where !forward.isRequestOver:
        needsMore = takeRequest(&offset, of: count, forward, now)
      case .refused: return
      case .exchanging, .naming, .held, .opening, .dialling, .shaking, .askingVia:
        forward.pending += loop.readBuffer.copy(offset..<count)
        return
      }
    }
  }

  /// Takes one step's worth of the read buffer; true when more has to come for the next.
  private func takeRequest(_ offset: inout Int, of count: Int, _ forward: ForwardState, _ now: Instant) -> Bool {
    let range = offset..<count
    guard let talk = forward.talk else { return true }
    switch talk.wire {
    case .socks(var handshake):
      let (consumed, step) = loop.readBuffer.withBytes(range) { handshake.receive($0, from: 0) }
      talk.wire = .socks(handshake)
      offset += consumed
      switch step {
      case .needsMore: return true
      case .reply(let bytes): say(bytes, now)
      case .connect(let target): reach(target, forward, now)
      case .refused(let refusal): refuse(refusal, forward, now)
      }
    case .http(var reader):
      let (consumed, step) = loop.readBuffer.withBytes(range) { reader.next($0, from: 0) }
      talk.wire = .http(reader)
      offset += consumed
      switch step {
      case .needsMore:
        // A blank line between two requests opens none.
        if forward.isAsking, reader.isBetweenRequests { beIdle(forward, now) }
        return true
      case .head(let head):
        talk.request = head
        forward.isRequestOver = false
        reach(head.target, forward, now)
      case .body(let length): deliver(range.lowerBound..<range.lowerBound + length, .upstream, now)
      case .complete:
        forward.isRequestOver = true
        exchangeMayBeOver(forward, now)
      case .refused(let refusal): refuse(refusal, forward, now)
      }
    }
    return false
  }

  // MARK: The way there

  private func reach(_ target: Target, _ forward: ForwardState, _ now: Instant) {
    forward.askedBy = nil
    let isElsewhere = forward.target != target
    forward.target = target
    let reuses = canReuse(forward)
    if !reuses { forward.isBypass = false }
    forward.refusal = nil
    if forward.request?.came(through: sessions.hub.viaName) ?? false {
      return refuse(Refusal(.loop, "\(target): the next proxy leads back to this daemon"), forward, now)
    }
    guard isAllowedClient else {
      return refuse(
        Refusal(.denied, "client \(client.host) is in none of the networks that --allow-client names"), forward, now)
    }
    findRule(target, forward)
    if let rule = forward.rule, rule.use == .deny {
      return refuse(Refusal(.denied, "\(target) is denied by the rule \(rule)"), forward, now)
    }
    // Not each request on a kept connection: thousands a second would push all other events out.
    if isElsewhere || !reuses {
      let note = ForwardNote(target: target, rule: forward.rule?.description, profile: conditions.profile)
      sessions.record(.forwarded(note), of: self)
    }
    guard !conditions.refuses else { return refuse(offline, forward, now) }
    let isFirst = forward.handshakes == 0 && forward.connectedTo == nil
    enterConditions(isFirst: isFirst)
    let dropped = noteDecisions().contains { $0.outcome == .dropped(.refuse) }
    guard !dropped else {
      // The toxic lets nothing pass any more, an answer neither; nothing has gone through these links yet.
      if isFirst { makeLinks { _ in [] } }
      return refuse(offline, forward, now)
    }
    if reuses { return reached(forward, now) }
    closeUpstream(forward)
    forward.stage = .naming(until: now + (isName(target.host) ? conditions.nameLookup : .zero))
    mustDriveAgain = true
  }

  private var offline: Refusal {
    Refusal(.offline, "the network is down: profile \(conditions.profile ?? "none") and its toxics refuse connections")
  }

  private var isAllowedClient: Bool {
    client.isLoopback || sessions.hub.forward.allows(client: client.unmapped.host)
  }

  private func isName(_ host: String) -> Bool { SocketAddress(literal: host, port: 0) == nil }

  private func canReuse(_ forward: ForwardState) -> Bool {
    guard let upstreamSocket, upstreamSocket.isOpen, !upstreamSocket.peerClosed, forward.request?.isConnect == false
    else { return false }
    return forward.connectedTo == destination(forward)?.0
  }

  func closeUpstream(_ forward: ForwardState) {
    forward.connectedTo = nil
    upstreamSocket?.close()
    upstreamSocket = nil
  }

  func dialTarget(_ forward: ForwardState) {
    guard let (target, _) = destination(forward) else { return }
    forward.stage = .dialling
    dial = sessions.dial(
      host: target.host, port: target.port, for: self,
      onConnect: { [unowned self] address, owner in
        if let owner { meetOwn(owner, forward) }
        // What listens on loopback trusts this machine alone.
        guard address.isLoopback, !client.isLoopback else { return }
        refuseLater("what is on this machine's loopback is not for other machines", forward, kind: .denied)
      },
      completion: { [unowned self] result in
        dial = nil
        var charge = roundTrip(forward)
        switch result {
        case .success(let socket):
          upstreamSocket = socket
          socket.delegate = self
          forward.connectedTo = target
          acceptOnPath()
        case .failure(let error):
          noteDialFailure(error, to: target.description)
          forward.refusal = Refusal(error)
          // The way there has taken its time already.
          charge = charge + downstream.link.modelledDelay
        }
        forward.stage = .shaking(until: loop.instant + charge)
        driveLater()
      })
  }

  /// The way leads to a port of this daemon. A proxy with an upstream of its own does its own conditioning: once is enough.
  private func meetOwn(_ owner: OwnConnections.Owner, _ forward: ForwardState) {
    switch owner {
    case .proxy(let other) where other.mode == .tcp:
      forward.isBypass = true
      enterConditions(isFirst: false)
    case .proxy(let other):
      refuseLater("this is the forward proxy \(other.name) itself", forward)
    case .control:
      refuseLater(
        "this is the daemon's control API, which is not reached through its forward proxies; ask it directly, as with "
          + "curl --noproxy '*'", forward)
    }
  }

  /// Not now: the connection is only in the making.
  func refuseLater(_ reason: String, _ forward: ForwardState, kind: Refusal.Kind = .loop) {
    let refusal = Refusal(kind, "\(forward.target?.description ?? "the request"): \(reason)")
    loop.later { [weak self] in
      guard let self, phase == .open else { return }
      refuse(refusal, forward, loop.instant)
      drive()
    }
  }

  /// What a round trip takes on the profile's network, this time, beyond what is modelled.
  func roundTrip(_ forward: ForwardState) -> Interval {
    forward.handshakes += 1
    var dice = SeededGenerator(
      seed: sessions.seed, proxy.name, number, "handshake", forward.handshakes)
    return (upstream.link.latencies + downstream.link.latencies).reduce(.zero) { sum, latency in
      sum + latency.delay(deviation: dice.symmetric())
    }
  }

  /// What ``roundTrip(_:)`` can be at most.
  var longestRoundTrip: Interval {
    (upstream.link.latencies + downstream.link.latencies).reduce(.zero) { $0 + $1.delay(deviation: 1) }
  }

  private func shakenHands(_ forward: ForwardState, _ now: Instant) {
    if let refusal = forward.refusal { return refuse(refusal, forward, now) }
    reached(forward, now)
  }

  private func reached(_ forward: ForwardState, _ now: Instant) {
    guard let (_, via) = destination(forward) else { return }
    guard isTunnelWanted(forward) else { return forwardRequest(forward, via: via, now) }
    guard let via, let target = forward.target else { return openTunnel(forward, now) }
    askVia(via, for: target, forward)
  }

  func isTunnelWanted(_ forward: ForwardState) -> Bool {
    if case .socks = forward.talk?.wire { return true }
    return forward.request?.isConnect ?? true
  }

  /// From here on bytes pass as they are.
  func openTunnel(_ forward: ForwardState, _ now: Instant, behind first: [UInt8] = []) {
    let talk = forward.talk
    forward.stage = .tunnel
    switch talk?.wire {
    case .socks(let handshake): say(handshake.granted(), now)
    case .http, nil: say(ProxyAnswer.established, now)
    }
    let early = forward.pending
    forward.pending = []
    deliver(first, .downstream, now)
    deliver(early, .upstream, now)
    mustDriveAgain = true
  }

  /// Straight to the client, beside its stream. Only what comes behind answers that are still under way, here or in the
  /// system, has to follow them.
  private func say(_ bytes: [UInt8], _ now: Instant) {
    var written = 0
    if downstream.queue.isEmpty, case .wrote(let count) = clientSocket?.write(bytes) { written = count }
    deliver(Array(bytes[written...]), .downstream, now)
  }
}
