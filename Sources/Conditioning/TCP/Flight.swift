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

  /// One transmission. Behind the back of a record its segment may have arrived or been sent again.
  private struct Record {
    let number: Int64
    let sentAt: Instant
    let transmission: Int64
  }

  private var segments = Fifo<SentSegment>()
  /// In the order of sending.
  private var log = Fifo<Record>()
  private var transmissions: Int64 = 0
  /// The first segment that isn't acknowledged.
  private(set) var oldest: Int64
  /// Segments thought to be in the network, beyond a gap at the receiver, and lost.
  private(set) var flying = 0
  private(set) var arrivedBeyond = 0
  private(set) var lost = 0
  /// No segment before it is lost.
  private var lostFrom: Int64 = 0
  private var knownBlocks = SelectiveBlocks()

  // Written by the sender.
  var phase = Phase.open
  /// Recovery is over when all before this one has been acknowledged.
  var recoveryEnd: Int64 = 0
  /// What was sent before this one went over another path than there is now.
  var oldPathEnd: Int64 = 0
  /// The recovery is from what was lost on that one.
  var recoversFromOldPath = false
  /// Time-outs since the oldest segment was acknowledged.
  var timeoutsInARow = 0
  var mistake = SpuriousTimeout()
  var usage: WindowUsage
  var detector = LossDetector()
  var delivered: DeliveryCount

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
    log.append(Record(number: number, sentAt: segment.sentAt, transmission: transmissions))
  }

  func sendAgain(_ number: Int64, at now: Instant) {
    var segment = self[number]
    switch segment.state {
    case .flying: break
    case .lost:
      lost -= 1
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
    guard lost > 0 else { return nil }
    lostFrom = max(lostFrom, oldest)
    while self[lostFrom].state != .lost { lostFrom += 1 }
    return lostFrom
  }

  // MARK: What arrives

  /// - Parameter least: the shortest round trip; a retransmission can't have been answered sooner.
  func take(_ acknowledgement: Acknowledgement, leastRoundTrip least: Interval, at now: Instant) -> Delivery {
    var delivery = Delivery()
    while oldest < acknowledgement.upTo, let segment = segments.popFirst() {
      if segment.state == .arrived {
        arrivedBeyond -= 1
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
    for index in 0..<SelectiveBlocks.limit {
      var number = max(blocks[index].lowerBound, oldest)
      let end = min(blocks[index].upperBound, self.end)
      while number < end {
        if let known = knownBlock(with: number) {
          number = known.upperBound
          continue
        }
        markArrived(number, into: &delivery, least: least, at: now)
        number += 1
      }
    }
    knownBlocks = blocks
  }

  private func knownBlock(with number: Int64) -> Range<Int64>? {
    for index in 0..<SelectiveBlocks.limit where knownBlocks[index].contains(number) { return knownBlocks[index] }
    return nil
  }

  private func markArrived(_ number: Int64, into delivery: inout Delivery, least: Interval, at now: Instant) {
    let segment = self[number]
    guard segment.state != .arrived else { return }
    count(segment, number: number, into: &delivery, least: least, at: now)
    if !segment.isRetransmitted {
      delivery.selectiveRoundTrip = max(delivery.selectiveRoundTrip ?? .zero, now - segment.sentAt)
    }
    self[number].state = .arrived
    arrivedBeyond += 1
  }

  private func count(
    _ segment: SentSegment, number: Int64, into delivery: inout Delivery, least: Interval, at now: Instant
  ) {
    if segment.state == .lost { lost -= 1 } else { flying -= 1 }
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
    delivered.count(segment, at: now)
  }

  // MARK: Loss

  func markLost(_ number: Int64) {
    guard self[number].state == .flying else { return }
    self[number].state = .lost
    flying -= 1
    lost += 1
    lostFrom = min(lostFrom, number)
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
    dropStaleRecords()
    while let record = log.first, detector.isNewer(than: record.transmission) {
      guard detector.remaining(record.sentAt, patience: patience, at: now) <= .zero else {
        losses.wait = longestWait(patience: patience, at: now)
        return losses
      }
      if self[record.number].isRetransmitted { losses.hasLostAgain = true }
      markLost(record.number)
      losses.count += 1
      dropStaleRecords()
    }
    return losses
  }

  private func longestWait(patience: Interval, at now: Instant) -> Interval? {
    var wait: Interval?
    for index in 0..<log.count where isCurrent(log[index]) {
      guard detector.isNewer(than: log[index].transmission) else { break }
      wait = detector.remaining(log[index].sentAt, patience: patience, at: now)
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
    for number in oldest..<end where self[number].state == .lost {
      self[number].state = .flying
      lost -= 1
      flying += 1
    }
    rewriteLog()
  }

  private func rewriteLog() {
    let all = (oldest..<end).map { number in
      Record(number: number, sentAt: self[number].sentAt, transmission: self[number].transmission)
    }
    log = Fifo()
    for record in all.filter(isCurrent).sorted(by: { $0.transmission < $1.transmission }) { log.append(record) }
  }

  private func isCurrent(_ record: Record) -> Bool {
    guard record.number >= oldest else { return false }
    let segment = self[record.number]
    return segment.state == .flying && segment.transmission == record.transmission
  }

  private func dropStaleRecords() {
    while let record = log.first, !isCurrent(record) { _ = log.popFirst() }
  }
}
