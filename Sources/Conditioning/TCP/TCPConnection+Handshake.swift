// The handshake. Its packets pass the path like all others, and are sent again when they are lost.
extension TCPConnection {
  private static let linearTimeouts = 4

  /// The client connects: SYN leaves. Of an established connection: the way there is another now, and begins anew
  /// with a handshake and a window as at first; what is under way arrives all the same.
  package func connect(at now: Instant) {
    guard let path, handshake == .closed || handshake == .established else { return }
    path.advance(to: now)
    attempt &+= 1
    isAccepted = false
    handshake = .opening
    client.beginAnew(path.parameters.congestionControl)
    server.beginAnew(path.parameters.congestionControl)
    sendSYN(at: path.clock)
    rearm(at: path.clock)
  }

  /// The server is reached and answers; before ``Handshake/atServer`` that is remembered.
  package func serverAccepted(at now: Instant) {
    guard let path else { return }
    path.advance(to: now)
    if handshake == .atServer {
      answer(at: path.clock)
    } else if handshake == .closed || handshake == .opening {
      isAccepted = true
    }
  }

  func sendSYN(at now: Instant) {
    client.openings = min(client.openings + 1, .max - 1)
    client.openingDue = KernelTimer.fires(
      after: client.openingTimeout(linear: Self.linearTimeouts), at: now)
    send(TCPHeader(kind: .syn, attempt: attempt, sentAt: now), SegmentSize.handshake, .upstream)
  }

  func sendSYNACK(at now: Instant, again isTimedOut: Bool) {
    var header = TCPHeader(kind: .synAck, attempt: attempt, sentAt: now)
    // The time that the server took to answer isn't the network's.
    header.acknowledgement.echo = Instant(nanoseconds: now.nanoseconds - server.openingTransit.nanoseconds)
    if isTimedOut || server.openings == 0 {
      server.openings = min(server.openings + 1, .max - 1)
      server.openingDue = KernelTimer.fires(after: server.openingTimeout(linear: 0), at: now)
    }
    send(header, SegmentSize.handshake, .downstream)
  }

  private func answer(at now: Instant) {
    handshake = .answered
    sendSYNACK(at: now, again: false)
    rearm(at: now)
  }

  func synArrived(_ header: TCPHeader, at now: Instant) {
    guard header.attempt == attempt else { return }
    switch handshake {
    case .opening:
      handshake = .atServer
      server.openingTransit = now - header.sentAt
      path?.markReady(self)
      if isAccepted { answer(at: now) }
    case .answered:
      // The client doesn't have the answer.
      sendSYNACK(at: now, again: false)
    case .closed, .atServer, .established: break
    }
  }

  func synACKArrived(_ header: TCPHeader, at now: Instant) {
    guard header.attempt == attempt, handshake == .answered || handshake == .established else { return }
    if handshake == .answered {
      handshake = .established
      client.open(roundTrip: now - header.acknowledgement.echo)
      path?.markReady(self)
    }
    client.receiver.answer(header)
    flush(.upstream, at: now)
  }

  /// Whatever comes from the client shows the server that it has the answer.
  func clientHasAnswered(_ header: TCPHeader, at now: Instant) {
    guard !server.isUp, header.attempt == attempt, handshake == .answered || handshake == .established else { return }
    server.open(roundTrip: now - header.acknowledgement.echo)
  }

  func openingIsDue(at now: Instant) {
    if client.openingDue <= now {
      client.openingDue = .distantFuture
      if handshake == .opening || handshake == .answered {
        sendSYN(at: now)
      }
    }
    if server.openingDue <= now {
      server.openingDue = .distantFuture
      if !server.isUp { sendSYNACK(at: now, again: true) }
    }
  }
}
