/// One end of a modelled connection: a sender, a receiver and what it knows of the handshake.
struct TCPEnd {
  var sender: TCPSender
  var receiver = TCPReceiver()
  /// When SYN or SYN-ACK is sent again.
  var openingDue = Instant.distantFuture
  /// How long SYN was on its way here.
  var openingTransit = Interval.zero
  /// How often SYN or SYN-ACK has been sent.
  var openings: UInt8 = 0
  /// Whether it may send data.
  var isUp = false

  init(_ control: CongestionControl) {
    sender = TCPSender(control)
  }

  /// When something is to happen without a packet; `distantFuture`: never.
  func deadline(at now: Instant) -> Instant {
    let timers = min(min(sender.timer.due, receiver.acknowledgementDue), openingDue)
    guard let paced = sender.pacingDeadline(mayBegin: isUp, at: now) else { return timers }
    return min(timers, paced)
  }

  /// The handshake is over here; `roundTrip` is what it took.
  mutating func open(roundTrip: Interval) {
    isUp = true
    openingDue = .distantFuture
    sender.roundTrips.take(roundTrip, oldest: sender.oldest, next: sender.next)
    sender.congestion.shookHands(roundTrip: roundTrip)
    // RFC 5681 §3.1: two losses in the handshake are a sign.
    if openings > 2 { sender.congestion.handshakeWasLossy() }
  }

  /// How long to wait for an answer to SYN or SYN-ACK.
  ///
  /// - Parameter linear: that many times a second each, before it doubles (`tcp_syn_linear_timeouts`, ip-sysctl).
  func openingTimeout(linear: Int) -> Interval {
    let doublings = min(7, max(0, Int(openings) - 1 - linear))
    return min(Interval(nanoseconds: 1_000_000_000 << Int64(doublings)), RoundTripEstimator.longestTimeout)
  }

  mutating func beginAnew(_ control: CongestionControl) {
    isUp = false
    openings = 0
    openingDue = .distantFuture
    sender.beginAnew(control)
  }
}
