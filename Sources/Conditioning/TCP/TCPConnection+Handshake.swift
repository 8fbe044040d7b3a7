// The handshake. Its packets pass the path like all others, and are sent again when they are lost.
extension TCPConnection {
  /// The client connects: SYN leaves. Where it has connected before, the way there is another now, and begins anew with a
  /// handshake and a window as at first; what is under way arrives all the same.
  package func connect(at now: Instant) {
    guard let path else { return }
    path.advance(to: now)
    attempt &+= 1
    opening = TCPOpening()
    if handshake != .closed {
      client.beginAnew(path.parameters.congestionControl)
      server.beginAnew(path.parameters.congestionControl)
    }
    handshake = .opening
    sendSYN(at: path.clock)
    rearm(at: path.clock)
  }

  /// The server is reached and answers; before ``Handshake/atServer`` that is remembered.
  package func serverAccepted(at now: Instant) {
    guard let path else { return }
    path.advance(to: now)
    if handshake == .atServer {
      answer(at: path.clock)
    } else if handshake == .opening {
      opening?.isAccepted = true
    }
  }

  private func sendSYN(at now: Instant) {
    opening?.syn.sent(at: now)
    send(TCPHeader(kind: .syn, attempt: attempt, sentAt: now), SegmentSize.handshake, .upstream)
  }

  private func sendSYNACK(at now: Instant) {
    var header = TCPHeader(kind: .synAck, attempt: attempt, sentAt: now)
    // The time that the server took to answer isn't the network's.
    header.acknowledgement.echo = Instant(nanoseconds: now.nanoseconds - (opening?.transit ?? .zero).nanoseconds)
    send(header, SegmentSize.handshake, .downstream)
  }

  private func answer(at now: Instant) {
    handshake = .answered
    opening?.synACK.sent(at: now)
    sendSYNACK(at: now)
    rearm(at: now)
  }

  func synArrived(_ header: TCPHeader, at now: Instant) {
    guard header.attempt == attempt, let opening else { return }
    switch handshake {
    case .opening:
      handshake = .atServer
      opening.transit = now - header.sentAt
      path?.markReady(self)
      if opening.isAccepted { answer(at: now) }
    case .answered:
      // The client doesn't have the answer.
      sendSYNACK(at: now)
    case .closed, .atServer, .established: break
    }
  }

  func synACKArrived(_ header: TCPHeader, at now: Instant) {
    guard header.attempt == attempt else { return }
    if handshake == .answered {
      handshake = .established
      client.open(roundTrip: now - header.acknowledgement.echo, wasLossy: opening?.syn.wasLossy ?? false)
      opening?.syn.isAnswered()
      path?.markReady(self)
    }
    client.receiver.answer(header)
    flush(.upstream, at: now)
  }

  /// Whatever comes from the client shows the server that it has the answer.
  func clientHasAnswered(_ header: TCPHeader, at now: Instant) {
    guard handshake == .established, header.attempt == attempt, let opening else { return }
    server.open(roundTrip: now - header.acknowledgement.echo, wasLossy: opening.synACK.wasLossy)
    self.opening = nil
  }

  func openingIsDue(at now: Instant) {
    guard let opening else { return }
    if opening.syn.due <= now { sendSYN(at: now) }
    if opening.synACK.due <= now {
      opening.synACK.sent(at: now)
      sendSYNACK(at: now)
    }
  }
}
