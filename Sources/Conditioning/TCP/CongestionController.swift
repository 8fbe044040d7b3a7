/// Decides how many segments an end may have under way and how fast they leave. What is lost, and when something is sent
/// again, is not its business.
protocol CongestionController {
  /// Segments that may be under way; at least 1.
  var window: Int { get }

  /// Whether the next segment may leave as far as pacing goes, and if not, when.
  func mayLeave(at now: Instant) -> Bool
  var pacedUntil: Instant { get }

  /// The connection is there; `roundTrip` is what its handshake took.
  mutating func shookHands(roundTrip: Interval)

  /// Told before the loss detection, with a round trip of a segment that was sent once.
  mutating func measured(roundTrip: Interval, _ report: AcknowledgementReport)

  /// Told at the end of each acknowledgement that brought something.
  mutating func acknowledged(_ report: AcknowledgementReport)

  /// A segment leaves. `isFirst`: nothing was under way.
  mutating func sent(payloadBytes: Int, isFirst: Bool, lastSentAt: Instant, at now: Instant)

  /// Told after each turn in which something new was sent and all is well: how many are under way.
  mutating func used(_ underWay: Int, _ usage: WindowUsage, timeout: Interval, at now: Instant)

  mutating func recoveryBegan()
  mutating func recoveryEnded()

  /// The retransmission timer has fired. `isFirst`: all was well before.
  mutating func timedOut(isFirst: Bool, flying: Int)

  /// A tail-loss probe has repaired a loss.
  mutating func probeRepairedLoss()

  /// The reduction for the loss at hand was a mistake: nothing was lost.
  mutating func undo()

  /// SYN or SYN-ACK was lost more than once.
  mutating func handshakeWasLossy()

  /// The user has put another path in place, and what was lost on the old one is repaired: the window is to find out what
  /// the new one bears.
  mutating func pathChanged()

  /// New data after a pause: nothing was under way for more than `timeout`.
  mutating func resumed(after pause: Interval, timeout: Interval)
}

/// What doesn't concern every controller.
extension CongestionController {
  func mayLeave(at now: Instant) -> Bool { true }
  var pacedUntil: Instant { .distantPast }
  func shookHands(roundTrip: Interval) {}
  func pathChanged() {}
  func used(_ underWay: Int, _ usage: WindowUsage, timeout: Interval, at now: Instant) {}
}

/// An acknowledgement as a controller sees it.
struct AcknowledgementReport {
  let now: Instant
  /// The oldest segment that isn't acknowledged and the next one to be sent.
  let oldest: Int64
  let next: Int64
  /// Segments that have arrived, and those found lost, by this acknowledgement.
  var delivered = 0
  var newlyLost = 0
  var flying = 0
  /// Whether the oldest segment was acknowledged.
  var isAdvanced = false
  var phase = Flight.Phase.open
  /// The window was what held the sender back, and the most segments that it had under way.
  var usage: WindowUsage
  var rate: RateSample?
}
