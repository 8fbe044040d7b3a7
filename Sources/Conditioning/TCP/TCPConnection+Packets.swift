// What arrives, what is due and what leaves.
extension TCPConnection {
  /// A packet that travelled in `direction` has arrived.
  func receive(_ header: TCPHeader, _ direction: Direction, at now: Instant) {
    guard path != nil else { return }
    switch (header.kind, direction) {
    case (.syn, _): synArrived(header, at: now)
    case (.synAck, _): synACKArrived(header, at: now)
    case (_, .upstream):
      clientHasAnswered(header, at: now)
      take(header, to: &server, &upstream, waking: downstream, at: now)
      flush(.downstream, at: now)
    case (_, .downstream):
      take(header, to: &client, &downstream, waking: upstream, at: now)
      flush(.upstream, at: now)
    }
  }

  /// - Parameter stream: that of the packet's direction.
  private func take(
    _ header: TCPHeader, to end: inout TCPEnd, _ stream: inout TCPStream, waking writer: TCPStream, at now: Instant
  ) {
    end.sender.take(header.acknowledgement, at: now)
    var isNews = end.sender.endsStarvation() && !writer.hasGone
    if header.kind == .data && !stream.hasGone {
      stream.arrive(end.receiver.receive(header, timeout: end.sender.roundTrips.timeout, at: now))
      isNews = isNews || stream.isPollable
    }
    if isNews { path?.markReady(self) }
  }

  func timerIsDue(at now: Instant) {
    armedFor = .distantFuture
    guard path != nil else { return }
    openingIsDue(at: now)
    if let segment = timeOut(&client, at: now) { send(segment, from: &client, .upstream, at: now) }
    if let segment = timeOut(&server, at: now) { send(segment, from: &server, .downstream, at: now) }
    flush(.upstream, at: now)
    flush(.downstream, at: now)
  }

  private func timeOut(_ end: inout TCPEnd, at now: Instant) -> TCPSender.Outgoing? {
    end.receiver.timerIsDue(at: now)
    return end.sender.timerIsDue(at: now)
  }

  /// The user has put other numbers or another path in place: nobody is to wait for what was backed off from.
  package func pathChanged(at now: Instant) {
    if let control = path?.parameters.congestionControl {
      client.sender.use(control)
      server.sender.use(control)
    }
    client.sender.pathChanged(at: now)
    server.sender.pathChanged(at: now)
    opening?.syn.takeBackOffBack(at: now)
    opening?.synACK.takeBackOffBack(at: now)
    rearm(at: now)
  }

  /// Lets the end that sends in `direction` send what it may.
  func flush(_ direction: Direction, at now: Instant) {
    switch direction {
    case .upstream: flush(&client, .upstream, at: now)
    case .downstream: flush(&server, .downstream, at: now)
    }
    rearm(at: now)
  }

  private func flush(_ end: inout TCPEnd, _ direction: Direction, at now: Instant) {
    while let segment = end.sender.nextSegment(mayBegin: end.isUp, at: now) {
      send(segment, from: &end, direction, at: now)
    }
    end.sender.endTurn(at: now)
    if end.receiver.owesAcknowledgement {
      var header = TCPHeader(kind: .ack, attempt: attempt, sentAt: now)
      header.acknowledgement = end.receiver.takeAcknowledgement(withData: false, at: now)
      send(header, SegmentSize.header, direction)
    }
  }

  private func send(_ segment: TCPSender.Outgoing, from end: inout TCPEnd, _ direction: Direction, at now: Instant) {
    var header = TCPHeader(kind: .data, attempt: attempt, sentAt: now)
    header.number = segment.number
    header.endOffset = segment.endOffset
    header.marks = segment.marks
    header.acknowledgement = end.receiver.takeAcknowledgement(withData: true, at: now)
    send(header, segment.payloadBytes + SegmentSize.header, direction)
  }

  func send(_ header: TCPHeader, _ size: Int, _ direction: Direction) {
    let packet = Packet(connection: self, header: header, size: size, isVisible: header.kind != .ack)
    path?.send(packet, direction, dice: &dice)
  }

  /// Sees to it that the path's timer is armed for the next thing to be due; an earlier one that is armed will do.
  func rearm(at now: Instant) {
    let ends = min(client.deadline(at: now), server.deadline(at: now))
    let due = min(ends, opening?.due ?? .distantFuture)
    guard due < armedFor else { return }
    armedFor = due
    path?.arm(self, at: due)
  }
}
