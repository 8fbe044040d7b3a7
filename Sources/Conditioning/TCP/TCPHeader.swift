/// What a packet says to the other end.
struct TCPHeader {
  enum Kind: UInt8 {
    case syn, synAck
    /// With payload or a mark.
    case data
    /// An acknowledgement alone.
    case ack
  }

  var kind = Kind.ack
  /// Which of the connection's handshakes it belongs to.
  var attempt: UInt8 = 0
  /// Marks (see ``TCPSender``) that have been sent up to and including this segment.
  var marks: UInt8 = 0
  /// Of the segment, counted in each direction.
  var number: Int64 = 0
  /// Bytes of the stream up to and including this segment.
  var endOffset: Int64 = 0
  /// The time stamp option.
  var sentAt = Instant.distantPast
  var acknowledgement = Acknowledgement()
}

/// What a receiver says that it has.
struct Acknowledgement {
  /// All segments before this one.
  var upTo: Int64 = 0
  /// And these, the newest first.
  var blocks = SelectiveBlocks()
  /// This segment arrived a second time (RFC 2883); -1: none did.
  var duplicate: Int64 = -1
  /// When the segment was sent that is answered (RFC 7323); `distantPast`: there was none yet.
  var echo = Instant.distantPast
}

/// Segments beyond a gap that have arrived: up to three blocks, as many as fit beside time stamps (RFC 2018).
struct SelectiveBlocks {
  /// Empty when there is none.
  private var first: Range<Int64> = 0..<0
  private var second: Range<Int64> = 0..<0
  private var third: Range<Int64> = 0..<0

  static let limit = 3

  var isEmpty: Bool { first.isEmpty }

  subscript(index: Int) -> Range<Int64> {
    get {
      switch index {
      case 0: first
      case 1: second
      default: third
      }
    }
    set {
      switch index {
      case 0: first = newValue
      case 1: second = newValue
      default: third = newValue
      }
    }
  }
}

/// Sizes on the wire, in bytes: IPv4 and TCP with time stamps over an MTU of 1,500.
enum SegmentSize {
  static let payload = 1448
  static let header = 52
  static let handshake = 60
}
