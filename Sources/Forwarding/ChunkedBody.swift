/// Follows the chunks of a body that passes as it is (RFC 9112 §7.1).
struct ChunkedBody: Hashable, Sendable {
  private enum State: Hashable {
    /// So many digits of the size so far.
    case size(digits: Int)
    case `extension`(bytes: Int)
    case sizeEnd
    case data
    case dataReturn
    case dataEnd
    case trailers
    case over
  }

  private static let digitsLimit = 16
  private static let extensionBytesLimit = 1 << 10

  private var state = State.size(digits: 0)
  /// The size of the chunk, then what is left of it.
  private var bytesLeft = 0
  private var trailers = HeadReader(.trailers)

  var isOver: Bool { state == .over }

  /// Goes on to the end of the body or of what was offered. The offset stops at the byte that is refused.
  mutating func pass(_ bytes: RawSpan, at offset: inout Int) throws(Refusal) {
    while offset < bytes.byteCount, state != .over {
      switch state {
      case .data:
        let skipped = min(bytesLeft, bytes.byteCount - offset)
        bytesLeft -= skipped
        offset += skipped
        if bytesLeft == 0 { state = .dataReturn }
      case .trailers:
        if try trailers.take(bytes, at: &offset) != nil { end() }
      default:
        try take(bytes.byte(at: offset))
        offset += 1
      }
    }
  }

  private mutating func end() {
    state = .over
    trailers = HeadReader(.trailers)
  }

  private mutating func take(_ byte: UInt8) throws(Refusal) {
    switch state {
    case .size(let digits): try takeSize(byte, digits)
    case .extension(let count): try takeExtension(byte, count)
    case .sizeEnd:
      try expect(byte, .lineFeed, "a chunk's size")
      state = bytesLeft == 0 ? .trailers : .data
    case .dataReturn:
      try expect(byte, .carriageReturn, "a chunk")
      state = .dataEnd
    case .dataEnd:
      try expect(byte, .lineFeed, "a chunk")
      state = .size(digits: 0)
    case .data, .trailers, .over: break
    }
  }

  private mutating func takeSize(_ byte: UInt8, _ digits: Int) throws(Refusal) {
    if let digit = byte.hexDigit {
      guard digits < Self.digitsLimit, bytesLeft <= (MessageHead.bodyBytesLimit - Int(digit)) >> 4 else {
        throw Refusal(.malformed, "a chunk's size is beyond 2^62 or has more than \(Self.digitsLimit) digits")
      }
      bytesLeft = bytesLeft << 4 | Int(digit)
      state = .size(digits: digits + 1)
    } else if digits > 0, byte == .carriageReturn {
      state = .sizeEnd
    } else if digits > 0, byte == UInt8(ascii: ";") {
      state = .extension(bytes: 1)
    } else {
      throw Refusal(.malformed, "\([byte][...].excerpt) in a chunk's size; allowed: hexadecimal digits")
    }
  }

  private mutating func takeExtension(_ byte: UInt8, _ count: Int) throws(Refusal) {
    guard byte != .carriageReturn else { return state = .sizeEnd }
    guard byte.isBlank || byte.isVisible || byte >= 0x80 else {
      throw Refusal(.malformed, "\([byte][...].excerpt) in a chunk's extension")
    }
    guard count < Self.extensionBytesLimit else {
      throw Refusal(.tooLarge, "a chunk's extension has more than \(Self.extensionBytesLimit) bytes")
    }
    state = .extension(bytes: count + 1)
  }

  private func expect(_ byte: UInt8, _ expected: UInt8, _ what: String) throws(Refusal) {
    guard byte == expected else {
      throw Refusal(.malformed, "\([byte][...].excerpt) behind \(what) instead of its end")
    }
  }
}
