/// Marks where exchanges ("requests") begin in one session, without parsing HTTP.
///
/// Plain protocols: the first byte that the client sends after the server last spoke, and the first of the session, opens
/// an exchange. TLS, told by a first client byte of 0x16: only records of application data (0x17) count, so handshakes,
/// change-cipher-spec and alerts open nothing, and "30 % of requests" is true over HTTPS with keep-alive too.
///
/// TLS 1.3 hides the client's Finished in a 0x17 record. It is known by the server having sent a 0x17 record (its own hidden
/// handshake) before the client's first one, which TLS 1.2 can't do: then that first record does not count and the request
/// behind it does, in the same flight or later. With early data (0-RTT, 0x17 from the client before the server said
/// anything) the request is the early data, and the two records that close the handshake don't count.
///
/// A server that speaks while the client is in the middle of a record (session tickets, an early answer) does not open a
/// new exchange: an upload is one.
///
/// What this means: with HTTP/2 an exchange is a flight of requests, not each of them, since streams share a connection. With
/// `Expect: 100-continue` head and body are two exchanges. A pipelined batch is one. Not told apart: a client certificate
/// in TLS 1.3, when its messages come as several records, and the first command to a server that speaks first over TLS 1.2.
package struct ExchangeTracker: Sendable {
  private enum Wire {
    case unknown, plain, tls
  }

  private var wire = Wire.unknown
  /// Whether the server has spoken since the last exchange began; true before the first.
  private var serverSpoke = true
  private var clientRecords = TLSRecordReader()
  private var serverRecords = TLSRecordReader()
  private var serverSentRecord = false
  private var serverSentData = false
  private var clientSentData = false
  /// 0x17 records of the client's hidden handshake that are still to come, once the server's has been seen.
  private var hiddenRecords: UInt8 = 1

  package init() {}

  /// The client sent `bytes`. The offset in them where a new exchange opens; nil if none does.
  package mutating func client(_ bytes: RawSpan) -> Int? {
    guard bytes.byteCount > 0 else { return nil }
    if wire == .unknown { wire = bytes.byte(at: 0) == TLSRecordReader.handshake ? .tls : .plain }
    guard wire == .tls else { return open(at: 0) }
    var opening: Int?
    var offset = 0
    while let record = clientRecords.next(in: bytes, from: &offset) {
      switch record {
      case .malformed:
        wire = .plain
        return opening ?? open(at: 0)
      case .begins(let type, let offset):
        if type == TLSRecordReader.applicationData, isCounted() { opening = opening ?? open(at: offset) }
      }
    }
    return opening
  }

  /// The server sent `bytes`.
  package mutating func server(_ bytes: RawSpan) {
    guard bytes.byteCount > 0 else { return }
    guard wire == .tls else {
      serverSpoke = true
      return
    }
    serverSentRecord = true
    var sentData = serverRecords.isInside(TLSRecordReader.applicationData)
    var offset = 0
    while let record = serverRecords.next(in: bytes, from: &offset) {
      if record == .malformed {
        wire = .plain
        serverSpoke = true
        return
      }
      sentData = sentData || record.type == TLSRecordReader.applicationData
    }
    serverSentData = serverSentData || sentData
    if sentData && !clientRecords.isInside(TLSRecordReader.applicationData) { serverSpoke = true }
  }

  private mutating func open(at offset: Int) -> Int? {
    guard serverSpoke else { return nil }
    serverSpoke = false
    return offset
  }

  /// Whether a 0x17 record of the client is more than its hidden handshake.
  private mutating func isCounted() -> Bool {
    if !serverSentRecord { hiddenRecords = 2 }
    let isHidden = serverSentData && hiddenRecords > 0
    if isHidden {
      hiddenRecords -= 1
    } else if !clientSentData && serverSentRecord {
      // The client spoke first after the handshake: this is TLS 1.2, nothing is hidden.
      hiddenRecords = 0
    }
    clientSentData = true
    return !isHidden
  }
}

/// Follows the headers of TLS records (RFC 8446, 5.1), which may be split over inputs; payloads are skipped.
struct TLSRecordReader: Sendable {
  static let changeCipherSpec: UInt8 = 0x14
  static let handshake: UInt8 = 0x16
  static let applicationData: UInt8 = 0x17
  private static let heartbeat: UInt8 = 0x18
  private static let headerBytes: UInt8 = 5
  /// 2¹⁴ and the 2,048 bytes that TLS 1.2 lets a cipher add.
  private static let payloadBytesLimit: UInt16 = 16_384 + 2_048

  private var type: UInt8 = 0
  // Small types: every idle session carries two of these.
  private var headerBytesRead: UInt8 = 0
  private var payloadBytesLeft: UInt16 = 0

  /// Whether the input so far ends within a record of this type.
  func isInside(_ type: UInt8) -> Bool {
    headerBytesRead > 0 && self.type == type
  }

  enum Record: Equatable {
    case begins(type: UInt8, offset: Int)
    case malformed

    var type: UInt8? {
      if case .begins(let type, _) = self { type } else { nil }
    }
  }

  /// Reads on from `offset` to the next record that begins in `bytes`; nil when the input is used up.
  mutating func next(in bytes: RawSpan, from offset: inout Int) -> Record? {
    while offset < bytes.byteCount {
      if headerBytesRead == Self.headerBytes {
        let skipped = min(Int(payloadBytesLeft), bytes.byteCount - offset)
        payloadBytesLeft -= UInt16(skipped)
        offset += skipped
        if payloadBytesLeft == 0 { headerBytesRead = 0 }
        continue
      }
      guard readHeader(bytes.byte(at: offset)) else { return .malformed }
      offset += 1
      if headerBytesRead == 1 { return .begins(type: type, offset: offset - 1) }
      if headerBytesRead == Self.headerBytes && payloadBytesLeft == 0 { headerBytesRead = 0 }
    }
    return nil
  }

  private mutating func readHeader(_ byte: UInt8) -> Bool {
    headerBytesRead += 1
    switch headerBytesRead {
    case 1:
      type = byte
      return (Self.changeCipherSpec...Self.heartbeat).contains(byte)
    case 2: return byte == 3
    case 3: return byte <= 4
    case 4: payloadBytesLeft = UInt16(byte) << 8
    default: payloadBytesLeft |= UInt16(byte)
    }
    return payloadBytesLeft <= Self.payloadBytesLimit
  }
}

extension RawSpan {
  fileprivate func byte(at offset: Int) -> UInt8 {
    // The one unsafe word of the module, and only by its name: the offset is checked, and any byte is a UInt8.
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
