/// How a message says where its body ends (RFC 9112 §6).
enum Framing: Hashable, Sendable {
  case none
  case counted(bytes: Int)
  case chunked
  /// Responses only.
  case untilClose
}

extension MessageHead {
  /// Far beyond any body, and safe to count with.
  static let bodyBytesLimit = 1 << 62

  /// What the fields say; nil if they say nothing. Everything that two readers could read in two ways is refused.
  func framing(isHTTP10: Bool) throws(Refusal) -> Framing? {
    let lengths = values(of: "content-length")
    let codings = values(of: "transfer-encoding")
    if let coding = codings.first {
      guard lengths.isEmpty else { throw Refusal(.malformed, "both Content-Length and Transfer-Encoding are there") }
      guard !isHTTP10 else { throw Refusal(.malformed, "HTTP/1.0 knows no Transfer-Encoding") }
      guard codings.count == 1 else { throw Refusal(.malformed, "several Transfer-Encoding fields") }
      guard coding.isWord("chunked") else {
        let isChunked = coding.listElements.last?.isWord("chunked") == true
        throw Refusal(
          isChunked ? .unsupported : .malformed, "Transfer-Encoding is \(coding.excerpt); allowed: exactly 'chunked'")
      }
      return .chunked
    }
    guard let text = lengths.first else { return nil }
    guard lengths.count == 1 else { throw Refusal(.malformed, "several Content-Length fields") }
    guard let length = text.decimal(upTo: Self.bodyBytesLimit) else {
      throw Refusal(.malformed, "Content-Length is \(text.excerpt); allowed: a decimal number up to 2^62")
    }
    return length == 0 ? Framing.none : .counted(bytes: length)
  }
}

/// Follows a body to its end by count; it has no look at its bytes.
struct BodyReader: Hashable, Sendable {
  private enum State: Hashable {
    case counted(left: Int)
    case chunked(ChunkedBody)
    case untilClose
  }

  private var state: State
  private var fault: Refusal?

  init(_ framing: Framing) {
    switch framing {
    case .none: state = .counted(left: 0)
    case .counted(let bytes): state = .counted(left: bytes)
    case .chunked: state = .chunked(ChunkedBody())
    case .untilClose: state = .untilClose
    }
  }

  var isOver: Bool {
    switch state {
    case .counted(let left): left == 0
    case .chunked(let body): body.isOver
    case .untilClose: false
    }
  }

  var endsWithConnection: Bool { state == .untilClose }

  /// How many bytes of the body are next. What is good before a fault passes; the fault is thrown when asked again, so that
  /// cuts in the input make no difference.
  mutating func pass(_ bytes: RawSpan, from offset: Int) throws(Refusal) -> Int {
    let offered = bytes.byteCount - offset
    if let fault { throw fault }
    switch state {
    case .untilClose: return offered
    case .counted(let left):
      let passed = min(left, offered)
      state = .counted(left: left - passed)
      return passed
    case .chunked(var body):
      state = .untilClose  // leaves the chunks' reader to one owner
      defer { state = .chunked(body) }
      var end = offset
      do throws(Refusal) {
        try body.pass(bytes, at: &end)
      } catch {
        guard end > offset else { throw error }
        fault = error
      }
      return end - offset
    }
  }
}
