/// The sending half of an end: what has been written and isn't acknowledged, and when it leaves.
///
/// A pure machine: it is told what was written, acknowledged and due, and asked for the next segment until there is none.
/// Segments are counted, and so are marks: an end, a close or a reset is a mark behind the data, which leaves with its last
/// segment or in one of its own.
struct TCPSender {
  /// What the receiver's buffer takes: half of Linux' 6 MB (`tcp_rmem`, ip-sysctl), the rest being for overhead.
  static let receiveWindow = 3_000_000
  private static let leastBuffer = 64 << 10
  /// `tcp_wmem`.
  private static let mostBuffer = 4 << 20
  /// More than this isn't read at once: a reader's buffer holds no more.
  private static let mostRoom = 181 * SegmentSize.payload

  /// What leaves: a segment for the first time or again.
  struct Outgoing {
    let number: Int64
    let endOffset: Int64
    let payloadBytes: Int
    let marks: UInt8
  }

  // In this order for size: every idle session carries two of these.
  /// Something is under way.
  var flight: Flight?
  private(set) var next: Int64 = 0
  /// Bytes of the stream that have been sent.
  private var sentOffset: Int64 = 0
  private(set) var lastSentAt = Instant.distantPast
  var congestion: Congestion
  var roundTrips = RoundTripEstimator()
  private(set) var unsentBytes: UInt32 = 0
  private(set) var outstandingBytes: UInt32 = 0
  /// It stays when nothing is under way: what is sent next shows whether it repaired a loss.
  var probe = TailLossProbe()
  private var unsentMarks: UInt8 = 0
  private var sentMarks: UInt8 = 0
  /// Since the last look: something new has left, the oldest segment was sent again.
  private var hasSentNew = false
  private var hasSentOldest = false
  /// The writer was told that there is no room, and waits for some.
  private var isStarved = false

  init(_ control: CongestionControl) {
    congestion = Congestion(control)
  }

  /// When the timer fires; `distantFuture`: it isn't set, as ever while nothing is under way.
  var timerDue: Instant { flight?.timer.due ?? .distantFuture }
  /// The oldest segment that isn't acknowledged.
  var oldest: Int64 { flight?.oldest ?? next }
  var hasUnsent: Bool { unsentBytes > 0 || unsentMarks > 0 }

  // MARK: Writing

  mutating func write(bytes: Int, at now: Instant) {
    if unsentBytes == 0 { writeToNothing(at: now) }
    unsentBytes += UInt32(bytes)
  }

  mutating func writeMark() { unsentMarks += 1 }

  /// There was nothing to send until now.
  private mutating func writeToNothing(at now: Instant) {
    guard let flight else { return resume(at: now) }
    let isLimited = flight.flying < congestion.window && flight.lost == 0
    if isLimited { flight.delivered.nothingToSend(flying: flight.flying) }
  }

  private mutating func resume(at now: Instant) {
    let pause = now - lastSentAt
    guard lastSentAt != .distantPast, pause > roundTrips.timeout else { return }
    congestion.resumed(after: pause, timeout: roundTrips.timeout)
  }

  /// What the send buffer has room for: whole segments, so that a reader who fills it leaves no short one. Where there was
  /// none, there is again when a third is free, as in Linux: else each segment that arrives would cost a read.
  mutating func room() -> Int {
    let free = freeBytes
    guard free >= (isStarved ? bufferBytes / 3 : SegmentSize.payload) else {
      isStarved = true
      return 0
    }
    isStarved = false
    return min(free - (Int(unsentBytes) + free) % SegmentSize.payload, Self.mostRoom)
  }

  private var bufferBytes: Int {
    min(Self.mostBuffer, max(Self.leastBuffer, 2 * congestion.window * SegmentSize.payload))
  }
  private var freeBytes: Int { bufferBytes - Int(unsentBytes) - Int(outstandingBytes) }

  /// Whether a writer who was told that there is no room is to be told that there is: a third of the buffer, as Linux does.
  mutating func endsStarvation() -> Bool {
    guard isStarved, freeBytes >= bufferBytes / 3 else { return false }
    isStarved = false
    return true
  }

  // MARK: Sending

  /// - Parameter mayBegin: whether the connection is there; without, only what is lost is sent again.
  mutating func nextSegment(mayBegin: Bool, at now: Instant) -> Outgoing? {
    if let flight, flight.phase != .open, let number = flight.firstLost(), !triesNewData(flight, mayBegin) {
      guard flight.flying < congestion.window, congestion.mayLeave(at: now) else { return nil }
      flight.mistake.sentAgain(at: now)
      return sendAgain(number, at: now)
    }
    guard mayBegin, hasUnsent, congestion.mayLeave(at: now) else { return nil }
    let payload = min(Int(unsentBytes), SegmentSize.payload)
    let isLast = payload == Int(unsentBytes) && unsentMarks > 0
    if let flight {
      // The last one of all doesn't wait for the window, as Linux has it for a FIN.
      guard flight.flying < congestion.window || isLast else { return nil }
      guard Int(outstandingBytes) + payload <= Self.receiveWindow else { return nil }
    }
    return sendNew(at: now)
  }

  /// Whether new data takes the place of what is lost; see ``SpuriousTimeout``.
  private func triesNewData(_ flight: Flight, _ mayBegin: Bool) -> Bool {
    guard flight.mistake.trial == .sendsNew else { return false }
    if next > flight.recoveryEnd { return true }
    if mayBegin && hasUnsent && Int(outstandingBytes) < Self.receiveWindow - SegmentSize.payload { return true }
    flight.mistake.trial = .none
    return false
  }

  mutating func sendNew(at now: Instant) -> Outgoing {
    let payload = min(Int(unsentBytes), SegmentSize.payload)
    unsentBytes -= UInt32(payload)
    outstandingBytes += UInt32(payload)
    sentOffset += Int64(payload)
    if unsentBytes == 0 {
      sentMarks += unsentMarks
      unsentMarks = 0
    }
    let isFirst = self.flight == nil
    let flight = self.flight ?? Flight(first: next, at: now)
    self.flight = flight
    flight.append(
      SentSegment(sentAt: now, endOffset: sentOffset, payloadBytes: UInt16(payload), marks: sentMarks))
    next += 1
    hasSentNew = true
    return leave(next - 1, isFirst: isFirst, at: now)
  }

  mutating func sendAgain(_ number: Int64, at now: Instant) -> Outgoing {
    flight?.sendAgain(number, at: now)
    if number == oldest { hasSentOldest = true }
    return leave(number, isFirst: false, at: now)
  }

  private mutating func leave(_ number: Int64, isFirst: Bool, at now: Instant) -> Outgoing {
    guard let segment = flight?[number] else { preconditionFailure("what leaves is under way") }
    congestion.sent(
      payloadBytes: Int(segment.payloadBytes), isFirst: isFirst, lastSentAt: lastSentAt, at: now)
    lastSentAt = now
    return Outgoing(
      number: number, endOffset: segment.endOffset, payloadBytes: Int(segment.payloadBytes), marks: segment.marks)
  }

  /// When pacing lets go on; nil: it isn't what holds anything up.
  func pacingDeadline(mayBegin: Bool, at now: Instant) -> Instant? {
    guard congestion.pacedUntil > now, flight?.flying ?? 0 < congestion.window else { return nil }
    let hasLost = flight.map { $0.lost > 0 && $0.phase != .open } ?? false
    return hasLost || (mayBegin && hasUnsent) ? congestion.pacedUntil : nil
  }

  /// After the last segment of a turn.
  mutating func endTurn(at now: Instant) {
    guard let flight else { return }
    let isLimited = flight.flying >= congestion.window
    if hasSentNew || isLimited {
      flight.usage.validate(isLimited: isLimited, underWay: flight.count, oldest: flight.oldest, next: next)
      if flight.phase == .open {
        congestion.used(flight.count, flight.usage, timeout: roundTrips.timeout, at: now)
      }
    }
    if hasSentNew { newDataLeft(flight, at: now) }
    if hasSentOldest && flight.timer.kind != .reordering {
      flight.timer.set(.retransmission, after: roundTrips.timeout, at: now)
    }
    hasSentNew = false
    hasSentOldest = false
  }

  private mutating func newDataLeft(_ flight: Flight, at now: Instant) {
    if flight.timer.kind == .none || flight.timer.kind == .probe { restartTimeout(flight, at: now) }
    _ = scheduleProbe(flight, isAdvanced: false, at: now)
  }

  // MARK: Ends

  /// Acknowledgements have emptied the flight, or it is given up.
  mutating func land() {
    flight = nil
  }

  mutating func acknowledged(bytes: Int) { outstandingBytes -= UInt32(bytes) }

  /// The direction has gone: nothing is sent any more.
  mutating func close() {
    land()
    (unsentBytes, outstandingBytes, unsentMarks) = (0, 0, 0)
    isStarved = false
  }

  /// The way leads elsewhere now: everything that was learned of it is forgotten.
  mutating func beginAnew(_ control: CongestionControl) {
    congestion = Congestion(control)
    roundTrips = RoundTripEstimator()
  }
}
