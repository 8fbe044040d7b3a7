/// A segment that has been sent, until it is acknowledged with all before it.
struct SentSegment {
  enum State: UInt8 {
    case flying
    /// The receiver has it, beyond a gap.
    case arrived
    /// It is to be sent again.
    case lost
  }

  /// When it left, the last time.
  var sentAt: Instant
  /// Counts all that is sent in a flight, to tell what was sent earlier at the same time.
  var transmission: Int64 = 0
  /// Bytes of the stream up to and including this segment.
  let endOffset: Int64
  /// What had been delivered, and when the last of it, when this one left; see ``RateSample``.
  var deliveredBefore: Int64 = 0
  var deliveredAt = Instant.distantPast
  /// When the first segment of that sampling interval left.
  var intervalBegan = Instant.distantPast
  let payloadBytes: UInt16
  /// Marks that have been sent up to and including this segment.
  let marks: UInt8
  var state = State.flying
  var isRetransmitted = false
  var isApplicationLimited = false
}

/// What an acknowledgement has brought.
struct Delivery {
  /// Segments that are known to have arrived now and weren't before.
  var segments = 0
  /// Bytes that are acknowledged with all before them now.
  var acknowledgedBytes = 0
  /// Whether the oldest segment was acknowledged.
  var isAdvanced = false
  /// Round trips of segments that were sent once: the first one reported, and the newest.
  var firstRoundTrip: Interval?
  var newestRoundTrip: Interval?
  /// The longest of those that arrived beyond a gap.
  var selectiveRoundTrip: Interval?
  /// Whether a segment arrived that was sent once, before the time-out (RFC 5682).
  var showsOriginal = false
  /// Of those that have arrived, the one that was sent last.
  var newest: SentSegment?
}

/// The segments of a flight, in order. The first one lies here by itself: in a conversation most flights are one segment,
/// and need no array.
struct SentSegments {
  private(set) var first: SentSegment?
  private var rest = Fifo<SentSegment>()

  var isEmpty: Bool { first == nil }
  var count: Int { first == nil ? 0 : 1 + rest.count }

  subscript(position: Int) -> SentSegment {
    get {
      guard position == 0 else { return rest[position - 1] }
      guard let first else { preconditionFailure("nothing is under way") }
      return first
    }
    set {
      if position == 0 { first = newValue } else { rest[position - 1] = newValue }
    }
  }

  mutating func append(_ segment: SentSegment) {
    if first == nil { first = segment } else { rest.append(segment) }
  }

  mutating func popFirst() -> SentSegment? {
    guard let segment = first else { return nil }
    first = rest.popFirst()
    return segment
  }
}
