/// What a connection has to remember of its handshake until both ends know that it is there.
final class TCPOpening {
  /// SYN or SYN-ACK, which is sent again until it is answered.
  struct Call {
    /// When it is sent again.
    private(set) var due = Instant.distantFuture
    /// How often it has been sent; it stays at 255.
    private(set) var count: UInt8 = 0
    /// Timeouts that don't double: `tcp_syn_linear_timeouts` (Linux, ip-sysctl) for SYN, none for SYN-ACK.
    let linearTimeouts: UInt8

    init(linearTimeouts: UInt8) {
      self.linearTimeouts = linearTimeouts
    }

    /// RFC 5681 §3.1: a window of one segment after two losses.
    var wasLossy: Bool { count > 2 }

    mutating func sent(at now: Instant) {
      count = count.addingSaturated(1)
      due = KernelTimer.fires(after: timeout, at: now)
    }

    private var timeout: Interval {
      let doublings = min(7, max(0, Int(count) - 1 - Int(linearTimeouts)))
      return min(Interval(nanoseconds: 1_000_000_000 << Int64(doublings)), RoundTripEstimator.longestTimeout)
    }

    mutating func isAnswered() { due = .distantFuture }

    /// Nobody waits longer than for the first one.
    mutating func takeBackOffBack(at now: Instant) {
      guard due < .distantFuture else { return }
      count = 1
      due = min(due, KernelTimer.fires(after: timeout, at: now))
    }
  }

  var syn = Call(linearTimeouts: 4)
  var synACK = Call(linearTimeouts: 0)
  /// The server has answered before SYN came to it.
  var isAccepted = false
  /// How long SYN was on its way to the server.
  var transit = Interval.zero

  var due: Instant { min(syn.due, synACK.due) }
}
