/// One end of a modelled connection.
struct TCPEnd {
  // In this order for size: every idle session carries two of these.
  var sender: TCPSender
  /// Whether the handshake is over here, so that data may be sent.
  private(set) var isUp = false
  var receiver = TCPReceiver()

  init(_ control: CongestionControl) {
    sender = TCPSender(control)
  }

  /// When something is to happen without a packet; `distantFuture`: never.
  func deadline(at now: Instant) -> Instant {
    let timers = min(sender.timerDue, receiver.acknowledgementDue)
    guard let paced = sender.pacingDeadline(mayBegin: isUp, at: now) else { return timers }
    return min(timers, paced)
  }

  /// The handshake is over here; `roundTrip` is what it took.
  mutating func open(roundTrip: Interval, wasLossy: Bool = false) {
    isUp = true
    sender.roundTrips.take(roundTrip, oldest: sender.oldest, next: sender.next)
    sender.congestion.shookHands(roundTrip: roundTrip)
    if wasLossy { sender.congestion.handshakeWasLossy() }
  }

  mutating func beginAnew(_ control: CongestionControl) {
    isUp = false
    sender.beginAnew(control)
  }
}
