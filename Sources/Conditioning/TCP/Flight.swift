/// What a sender has sent and the other end hasn't acknowledged, and what is only of interest as long. There is one only
/// while something is under way.
///
/// Everything here takes constant time for each packet on the average, gaps or not, but for a time-out.
final class Flight {
  enum Phase {
    case open
    /// A loss was found by what arrived behind it (RFC 6675, RFC 8985).
    case recovery
    /// The retransmission timer has fired.
    case loss
  }

  private var segments = SentSegments()
  private var transmissions: Int64 = 0
  /// The first segment that isn't acknowledged.
  private(set) var oldest: Int64
  /// Segments thought to be in the network.
  private(set) var flying = 0
  /// Nil: all has gone well so far.
  private var trouble: FlightTrouble?

  // Written by the sender.
  /// What was sent before this one went over another path than there is now.
  var oldPathEnd: Int64 = 0
  var delivered: DeliveryCount
  var usage: WindowUsage
  var timer = RetransmissionTimer()
  var phase = Phase.open
  /// The recovery is from what was lost on another path.
  var recoversFromOldPath = false
  private var detector = LossDetector()

  init(first: Int64, at now: Instant) {
    oldest = first
    usage = WindowUsage(end: first)
    self.delivered = DeliveryCount(segments: first, at: now)
  }

  var isEmpty: Bool { segments.isEmpty }
  /// One behind the newest segment.
  var end: Int64 { oldest + Int64(segments.count) }
  var count: Int { segments.count }
  var oldestSentAt: Instant { segments.first?.sentAt ?? .distantPast }
  /// Segments beyond a gap at the receiver, and those that are lost.
  var arrivedBeyond: Int { trouble?.arrivedBeyond ?? 0 }
  var lost: Int { trouble?.lost ?? 0 }

  subscript(number: Int64) -> SentSegment {
    get { segments[Int(number - oldest)] }
    set { segments[Int(number - oldest)] = newValue }
  }

  // MARK: Sending

  func append(_ segment: SentSegment) {
    if flying == 0 { delivered.begin(at: segment.sentAt) }
    var segment = segment
    stamp(&segment, number: end)
    segments.append(segment)
    flying += 1
  }

  private func stamp(_ segment: inout SentSegment, number: Int64) {
    delivered.stamp(&segment)
    transmissions += 1
    segment.transmission = transmissions
    trouble?.log.append(FlightTrouble.Record(segment, number: number))
  }

  func sendAgain(_ number: Int64, at now: Instant) {
    let trouble = inTrouble
    var segment = self[number]
    switch segment.state {
    case .flying: break
    case .lost:
      trouble.lost -= 1
      flying += 1
    case .arrived: return
    }
    segment.state = .flying
    segment.isRetransmitted = true
    segment.sentAt = now
    stamp(&segment, number: number)
    self[number] = segment
  }

  /// The lost segment to be sent first.
  func firstLost() -> Int64? {
    guard let trouble, trouble.lost > 0 else { return nil }
    var number = max(trouble.lostFrom, oldest)
    while self[number].state != .lost { number += 1 }
    trouble.lostFrom = number
    return number
  }

  // MARK: What arrives

  /// - Parameter least: the shortest round trip; a retransmission can't have been answered sooner.
  func take(_ acknowledgement: Acknowledgement, leastRoundTrip least: Interval, at now: Instant) -> Delivery {
    var delivery = Delivery()
    while oldest < acknowledgement.upTo, let segment = segments.popFirst() {
      if segment.state == .arrived {
        trouble?.arrivedBeyond -= 1
      } else {
        count(segment, number: oldest, into: &delivery, least: least, at: now)
      }
      delivery.acknowledgedBytes += Int(segment.payloadBytes)
      delivery.isAdvanced = true
      oldest += 1
    }
    takeBlocks(acknowledgement.blocks, into: &delivery, least: least, at: now)
    dropStaleRecords()
    return delivery
  }

  private func takeBlocks(
    _ blocks: SelectiveBlocks, into delivery: inout Delivery, least: Interval, at now: Instant
  ) {
    guard !blocks.isEmpty else { return }
    let trouble = inTrouble
    for index in 0..<SelectiveBlocks.limit {
      var number = max(blocks[index].lowerBound, oldest)
      let end = min(blocks[index].upperBound, self.end)
      while number < end {
        if let known = trouble.knownBlock(with: number) {
          number = known.upperBound
          continue
        }
        markArrived(number, trouble, into: &delivery, least: least, at: now)
        number += 1
      }
    }
    trouble.knownBlocks = blocks
  }

  private func markArrived(
    _ number: Int64, _ trouble: FlightTrouble, into delivery: inout Delivery, least: Interval, at now: Instant
  ) {
    let segment = self[number]
    guard segment.state != .arrived else { return }
    count(segment, number: number, into: &delivery, least: least, at: now)
    if !segment.isRetransmitted {
      delivery.selectiveRoundTrip = max(delivery.selectiveRoundTrip ?? .zero, now - segment.sentAt)
    }
    self[number].state = .arrived
    trouble.arrivedBeyond += 1
  }

  private func count(
    _ segment: SentSegment, number: Int64, into delivery: inout Delivery, least: Interval, at now: Instant
  ) {
    if segment.state == .lost { trouble?.lost -= 1 } else { flying -= 1 }
    delivery.segments += 1
    let roundTrip = now - segment.sentAt
    if !segment.isRetransmitted {
      delivery.firstRoundTrip = delivery.firstRoundTrip ?? roundTrip
      delivery.newestRoundTrip = roundTrip
      if number < recoveryEnd { delivery.showsOriginal = true }
    }
    if !segment.isRetransmitted || roundTrip >= least {
      detector.advance(to: segment.transmission, roundTrip: roundTrip)
    }
    delivered.count(at: now)
    if segment.sentAt >= delivery.newest?.sentAt ?? .distantPast { delivery.newest = segment }
  }
}

// Loss.
extension Flight {
  /// Recovery is over when all before this one has been acknowledged.
  var recoveryEnd: Int64 {
    get { trouble?.recoveryEnd ?? 0 }
    set { inTrouble.recoveryEnd = newValue }
  }

  /// Time-outs since the oldest segment was acknowledged.
  var timeoutsInARow: Int { trouble?.timeoutsInARow ?? 0 }

  var mistake: SpuriousTimeout {
    get { trouble?.mistake ?? SpuriousTimeout() }
    set { inTrouble.mistake = newValue }
  }

  func timedOut() { inTrouble.timeoutsInARow += 1 }

  /// The oldest segment was acknowledged.
  func advanced() { trouble?.timeoutsInARow = 0 }

  /// From here on all that is sent is logged, beginning with what is under way.
  private var inTrouble: FlightTrouble {
    if let trouble { return trouble }
    let trouble = FlightTrouble()
    for number in oldest..<end { trouble.log.append(FlightTrouble.Record(self[number], number: number)) }
    self.trouble = trouble
    return trouble
  }

  private func markLost(_ number: Int64) {
    guard self[number].state == .flying else { return }
    let trouble = inTrouble
    self[number].state = .lost
    flying -= 1
    trouble.lost += 1
    trouble.lostFrom = min(trouble.lostFrom, number)
  }

  /// What a look for losses has found.
  struct Losses {
    var count = 0
    /// Whether one of them had been sent again already.
    var hasLostAgain = false
    /// How long to wait for the others to be lost; nil: there are no others.
    var wait: Interval?
  }

  /// Marks what was sent before something that has arrived, longer ago than a round trip and `patience`.
  func detectLosses(patience: Interval, at now: Instant) -> Losses {
    var losses = Losses()
    guard let trouble else { return losses }
    dropStaleRecords()
    while let record = trouble.log.first, detector.isNewer(than: record.transmission) {
      guard detector.remaining(record.sentAt, patience: patience, at: now) <= .zero else {
        losses.wait = longestWait(trouble, patience: patience, at: now)
        return losses
      }
      if self[record.number].isRetransmitted { losses.hasLostAgain = true }
      markLost(record.number)
      losses.count += 1
      dropStaleRecords()
    }
    return losses
  }

  private func longestWait(_ trouble: FlightTrouble, patience: Interval, at now: Instant) -> Interval? {
    var wait: Interval?
    for index in 0..<trouble.log.count where isCurrent(trouble.log[index]) {
      guard detector.isNewer(than: trouble.log[index].transmission) else { break }
      wait = detector.remaining(trouble.log[index].sentAt, patience: patience, at: now)
    }
    return wait
  }

  /// After a time-out: all is lost but what was sent less than a round trip ago.
  func markAllLost(at now: Instant) {
    for number in oldest..<end {
      let isRecent = detector.remaining(self[number].sentAt, patience: .zero, at: now) > .zero
      if number == oldest || !isRecent { markLost(number) }
    }
  }

  /// The time-out was mistaken: nothing is lost.
  func markAllFlying() {
    let trouble = inTrouble
    for number in oldest..<end where self[number].state == .lost {
      self[number].state = .flying
      trouble.lost -= 1
      flying += 1
    }
    let all = (oldest..<end).map { FlightTrouble.Record(self[$0], number: $0) }
    trouble.log = Fifo()
    for record in all.filter(isCurrent).sorted(by: { $0.transmission < $1.transmission }) { trouble.log.append(record) }
  }

  private func isCurrent(_ record: FlightTrouble.Record) -> Bool {
    guard record.number >= oldest else { return false }
    let segment = self[record.number]
    return segment.state == .flying && segment.transmission == record.transmission
  }

  private func dropStaleRecords() {
    guard let trouble else { return }
    while let record = trouble.log.first, !isCurrent(record) { _ = trouble.log.popFirst() }
  }
}
