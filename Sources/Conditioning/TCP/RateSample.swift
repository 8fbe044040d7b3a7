/// How fast segments were delivered (draft-cheng-iccrg-delivery-rate-estimation), for controllers that go by it.
struct RateSample: Equatable {
  /// Segments delivered over `interval`.
  let delivered: Int64
  let interval: Interval
  /// What had been delivered when the newest of them left: tells rounds.
  let deliveredBefore: Int64
  /// The sender had no more to send then: the rate may be too low.
  let isApplicationLimited: Bool
}

/// Counts what is delivered, for rate samples.
struct DeliveryCount {
  private(set) var segments: Int64
  private var lastAt: Instant
  private var intervalBegan: Instant
  /// Until more than that are delivered, samples may be too low because there was nothing to send.
  private var applicationLimitedUntil: Int64

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

  /// One has been delivered.
  mutating func count(at now: Instant) {
    segments += 1
    lastAt = now
  }

  /// What an acknowledgement says about the rate.
  ///
  /// - Parameter newest: of the segments that it reports.
  mutating func takeSample(_ newest: SentSegment?, at now: Instant) -> RateSample? {
    guard let newest else { return nil }
    intervalBegan = newest.sentAt
    let sending = newest.sentAt - newest.intervalBegan
    return RateSample(
      delivered: segments - newest.deliveredBefore, interval: max(sending, now - newest.deliveredAt),
      deliveredBefore: newest.deliveredBefore, isApplicationLimited: newest.isApplicationLimited)
  }
}
