/// The receiving half of an end: what has arrived, what of it is in order, and when that is acknowledged.
///
/// Acknowledged is every second segment, or after 40 ms; at once are the first sixteen, and all while there is a gap, as
/// Linux does (RFC 1122 §4.2.3.2, RFC 5681 §4.2).
struct TCPReceiver {
  private static let delay = Interval.milliseconds(40)

  /// What has come in order.
  struct Arrival: Equatable {
    var bytes = 0
    var marks = 0
  }

  /// The next segment in order.
  private var expected: Int64 = 0
  private var endOffset: Int64 = 0
  private var early: EarlySegments?
  private var echo = Instant.distantPast
  private var duplicate: Int64 = -1
  /// When what has arrived is acknowledged at last; `distantFuture`: nothing waits for that.
  private(set) var acknowledgementDue = Instant.distantFuture
  private var marks: UInt8 = 0
  private var unacknowledged: UInt8 = 0
  private var quickOnes: UInt8 = 16
  /// Whether an acknowledgement has to leave at once, with data or alone.
  private(set) var owesAcknowledgement = false

  mutating func receive(_ header: TCPHeader, at now: Instant) -> Arrival {
    let hadGap = early != nil
    let isFresh = header.number >= expected && early?.contains(header.number) != true
    if header.number <= expected { echo = max(echo, header.sentAt) }
    var arrival = Arrival()
    if !isFresh {
      duplicate = header.number
    } else if header.number == expected {
      arrival = advance(over: header)
    } else {
      addEarly(header)
    }
    let isPlain = isFresh && !hadGap && early == nil
    planAcknowledgement(isPlain: isPlain, at: now)
    return arrival
  }

  private mutating func addEarly(_ header: TCPHeader) {
    let early = early ?? EarlySegments()
    early.insert(header.number, endOffset: header.endOffset, marks: header.marks)
    self.early = early
  }

  private mutating func advance(over header: TCPHeader) -> Arrival {
    let before = (endOffset, marks)
    (expected, endOffset, marks) = (header.number + 1, header.endOffset, header.marks)
    if let block = early?.take(from: expected) {
      (expected, endOffset, marks) = (block.numbers.upperBound, block.endOffset, block.marks)
      if early?.isEmpty == true { early = nil }
    }
    return Arrival(bytes: Int(endOffset - before.0), marks: Int(marks - before.1))
  }

  private mutating func planAcknowledgement(isPlain: Bool, at now: Instant) {
    unacknowledged = min(unacknowledged + 1, 2)
    if !isPlain || unacknowledged >= 2 {
      owesAcknowledgement = true
    } else if quickOnes > 0 {
      quickOnes -= 1
      owesAcknowledgement = true
    } else {
      acknowledgementDue = min(acknowledgementDue, KernelTimer.fires(after: Self.delay, at: now))
    }
  }

  mutating func timerIsDue(at now: Instant) {
    guard acknowledgementDue <= now else { return }
    acknowledgementDue = .distantFuture
    owesAcknowledgement = true
  }

  /// What a packet that leaves now says; nothing is owed then.
  mutating func takeAcknowledgement() -> Acknowledgement {
    defer { settle() }
    return Acknowledgement(
      upTo: expected, blocks: early?.selective ?? SelectiveBlocks(), duplicate: duplicate, echo: echo)
  }

  private mutating func settle() {
    duplicate = -1
    unacknowledged = 0
    owesAcknowledgement = false
    acknowledgementDue = .distantFuture
  }

  /// The answer to SYN has arrived, and is acknowledged at once.
  mutating func answer(_ header: TCPHeader) {
    echo = max(echo, header.sentAt)
    owesAcknowledgement = true
  }

  /// The direction has gone: nothing that arrives counts.
  mutating func close() {
    settle()
    early = nil
  }
}
