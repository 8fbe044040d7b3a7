/// Loss found by time: what was sent before something that has arrived is lost, a round trip and some patience later
/// (RACK, RFC 8985). Lost retransmissions are found the same way.
struct LossDetector {
  /// The newest transmission that has arrived.
  private var newestSentAt = Instant.distantPast
  private var newestNumber: Int64 = -1
  private var roundTrip = Interval.zero

  mutating func advance(sentAt: Instant, number: Int64, roundTrip: Interval) {
    guard (sentAt, number) > (newestSentAt, newestNumber) else { return }
    (newestSentAt, newestNumber) = (sentAt, number)
    self.roundTrip = roundTrip
  }

  /// Whether something has arrived that was sent after this one.
  func isNewer(than sentAt: Instant, _ number: Int64) -> Bool {
    (newestSentAt, newestNumber) > (sentAt, number)
  }

  /// How long until a segment sent at that time counts as lost; 0 or less: it does.
  func remaining(_ sentAt: Instant, patience: Interval, at now: Instant) -> Interval {
    sentAt + roundTrip + patience - now
  }
}

/// The tail-loss probe (RFC 8985 §7): instead of a first time-out one segment is sent, so that its acknowledgement shows
/// what is missing.
struct Probe {
  /// One behind the segment that it was; -1: none is out.
  private var end: Int64 = -1
  private var isRetransmission = false

  var isOut: Bool { end >= 0 }

  mutating func sent(end: Int64, isRetransmission: Bool) {
    self.end = end
    self.isRetransmission = isRetransmission
  }

  mutating func forget() { end = -1 }

  /// Whether it turns out now that the probe has repaired a loss, which counts as one.
  mutating func hasRepairedLoss(oldest: Int64, duplicate: Int64) -> Bool {
    guard isOut, oldest >= end else { return false }
    if !isRetransmission || duplicate == end - 1 {
      forget()
      return false
    }
    guard oldest > end else { return false }
    forget()
    return true
  }
}

/// Whether the window was what held the sender back: one that isn't used doesn't grow (RFC 7661, as Linux has it).
struct WindowUsage {
  private(set) var isLimited = false
  /// The most segments that were under way since the window was last looked at.
  private(set) var most = 0
  private var end: Int64

  init(end: Int64) {
    self.end = end
  }

  mutating func validate(isLimited: Bool, underWay: Int, oldest: Int64, next: Int64) {
    guard oldest >= end || isLimited || (!self.isLimited && underWay > most) else { return }
    self.isLimited = isLimited
    most = underWay
    end = next
  }
}

/// Counts what is delivered, for rate samples.
struct DeliveryCount {
  private(set) var segments: Int64
  private var lastAt: Instant
  private var intervalBegan: Instant
  /// Until more than that are delivered, samples may be too low because there was nothing to send.
  private var applicationLimitedUntil: Int64
  /// Of the newest segment that the acknowledgement at hand reports.
  private var newest: SentSegment?

  init(segments: Int64, at now: Instant) {
    self.segments = segments
    lastAt = now
    intervalBegan = now
    applicationLimitedUntil = segments
  }

  /// The first segment after a pause leaves.
  mutating func begin(at now: Instant) {
    lastAt = now
    intervalBegan = now
  }

  mutating func stamp(_ segment: inout SentSegment) {
    segment.deliveredBefore = segments
    segment.deliveredAt = lastAt
    segment.intervalBegan = intervalBegan
    segment.isApplicationLimited = applicationLimitedUntil >= segments
  }

  mutating func nothingToSend(flying: Int) {
    applicationLimitedUntil = segments + Int64(flying)
  }

  mutating func count(_ segment: SentSegment, at now: Instant) {
    segments += 1
    lastAt = now
    if segment.sentAt >= newest?.sentAt ?? .distantPast { newest = segment }
  }

  /// What the acknowledgement at hand says about the rate.
  mutating func takeSample(at now: Instant) -> RateSample? {
    guard let newest else { return nil }
    self.newest = nil
    intervalBegan = newest.sentAt
    let sending = newest.sentAt - newest.intervalBegan
    return RateSample(
      delivered: segments - newest.deliveredBefore, interval: max(sending, now - newest.deliveredAt),
      deliveredBefore: newest.deliveredBefore, isApplicationLimited: newest.isApplicationLimited)
  }
}
