/// The receiving half of an end: what has arrived and what of it is in order.
struct TCPReceiver {
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
  private var manners = AcknowledgementManners()
  private var marks: UInt8 = 0
  /// What arrived a second time, counted back from `expected`; 0: nothing did.
  private var duplicateDistance: Int32 = 0

  /// Whether an acknowledgement has to leave at once, with data or alone.
  var owesAcknowledgement: Bool { manners.owes }
  /// When what has arrived is acknowledged at last; `distantFuture`: nothing waits for that.
  var acknowledgementDue: Instant { manners.due }

  /// Whether it has nothing on the heap.
  var holdsNothing: Bool { early == nil }

  /// - Parameter timeout: the retransmission time-out of this end.
  mutating func receive(_ header: TCPHeader, timeout: Interval, at now: Instant) -> Arrival {
    let hadGap = early != nil
    let isFresh = header.number >= expected && early?.contains(header.number) != true
    if header.number <= expected { echo = max(echo, header.sentAt) }
    var arrival = Arrival()
    if !isFresh {
      duplicateDistance = Int32(clamping: expected - header.number)
    } else if header.number == expected {
      arrival = advance(over: header)
    } else {
      addEarly(header)
    }
    if !isFresh || hadGap || early != nil {
      manners.somethingIsMissing(at: now)
    } else {
      manners.arrived(bytes: arrival.bytes, timeout: timeout, at: now)
    }
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

  mutating func timerIsDue(at now: Instant) { manners.timerIsDue(at: now) }

  /// What a packet that leaves now says; nothing is owed then.
  mutating func takeAcknowledgement(withData: Bool, at now: Instant) -> Acknowledgement {
    let acknowledgement = Acknowledgement(
      upTo: expected, blocks: early?.selective ?? SelectiveBlocks(),
      duplicate: duplicateDistance == 0 ? -1 : expected - Int64(duplicateDistance), echo: echo)
    duplicateDistance = 0
    manners.left(withData: withData, at: now)
    return acknowledgement
  }

  /// The answer to SYN has arrived, and is acknowledged at once.
  mutating func answer(_ header: TCPHeader) {
    echo = max(echo, header.sentAt)
    manners.oweAtOnce()
  }

  /// The direction has gone: nothing that arrives counts.
  mutating func close() {
    duplicateDistance = 0
    early = nil
    manners = AcknowledgementManners()
  }
}
