/// Checks of a request that evhttp leaves out. Where its reading of a length and another's may differ, bytes of a body
/// could pass for a second request ("smuggling"), so such a request is refused and its connection closed (RFC 9112 §6.3, §11.2).
enum HTTPFraming {
  /// What to answer, or nil when the request is sound.
  ///
  /// - Parameter scanner: has seen all bytes of the request.
  static func fault(in request: HTTPRequest, _ scanner: HTTPRequestScanner) -> HTTPErrorPage? {
    // evhttp's texts end there, whatever comes behind.
    if scanner.hasNUL { return HTTPErrorPage(status: 400, message: "a zero byte in the head") }
    if scanner.hasMalformedChunk { return malformedChunk }
    if request.headers.fields.contains(where: { !isToken($0.name) }) {
      return HTTPErrorPage(status: 400, message: "malformed header name")
    }
    let codings = request.headers.all("Transfer-Encoding")
    let lengths = request.headers.all("Content-Length")
    if !codings.isEmpty {
      guard request.minorVersion > 0 else {
        return HTTPErrorPage(status: 400, message: "Transfer-Encoding is for HTTP/1.1")
      }
      guard codings.count == 1, HTTPHeaders.areEqual(codings[0], "chunked") else {
        return HTTPErrorPage(status: 501, message: "only the transfer encoding chunked is supported")
      }
      guard lengths.isEmpty else {
        return HTTPErrorPage(status: 400, message: "both Content-Length and Transfer-Encoding are given")
      }
    }
    let areSound = lengths.allSatisfy { $0 == lengths[0] && isDecimal($0) }
    return areSound ? nil : HTTPErrorPage(status: 400, message: "malformed Content-Length")
  }

  static let malformedChunk = HTTPErrorPage(status: 400, message: "malformed chunk size, or a chunk extension")

  /// Whether what comes next is a body that evhttp doesn't read, or meant for a tunnel.
  static func isFollowedByNoRequest(_ request: HTTPRequest) -> Bool {
    let hasBody = request.headers["Transfer-Encoding"] != nil || (request.headers["Content-Length"] ?? "0") != "0"
    return hasBody && ["HEAD", "TRACE", ""].contains(request.method) || request.method == "CONNECT"
  }

  private static func isDecimal(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
  }

  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

/// Follows a request's bytes as evhttp reads them, for what evhttp doesn't tell: how large the head is, and whether a chunked
/// body is malformed or too large. Lines end in CRLF or bare LF.
struct HTTPRequestScanner {
  private(set) var headBytes = 0
  private(set) var isHeadComplete = false
  private(set) var hasMalformedChunk = false
  /// In the head.
  private(set) var hasNUL = false

  private static let chunkedField = Array("transfer-encoding:".utf8)

  private var lineIsEmpty = false
  /// How much of ``chunkedField`` the line has so far; nil when it is another field.
  private var matched: Int? = 0
  private var isChunked = false
  private var chunk = ChunkLine()
  private var chunkBytesLeft = 0

  /// Takes the next bytes of the connection; ignores those after the request.
  mutating func scan(_ input: UnsafeRawBufferPointer) {
    for byte in input {
      if !isHeadComplete {
        scanHead(byte)
      } else if isChunked, !hasMalformedChunk {
        scanBody(byte)
      } else {
        return
      }
    }
  }

  private mutating func scanHead(_ byte: UInt8) {
    headBytes += 1
    if byte == 0 { hasNUL = true }
    if byte == UInt8(ascii: "\n") {
      isHeadComplete = lineIsEmpty
      lineIsEmpty = true
      matched = 0
      return
    }
    if byte != UInt8(ascii: "\r") { lineIsEmpty = false }
    guard let count = matched, !isChunked else { return }
    matched = byte | 0x20 == Self.chunkedField[count] | 0x20 ? count + 1 : nil
    isChunked = matched == Self.chunkedField.count
  }

  private mutating func scanBody(_ byte: UInt8) {
    guard chunkBytesLeft == 0 else { return chunkBytesLeft -= 1 }
    switch chunk.take(byte) {
    case .more: break
    case .size(0): isChunked = false
    case .size(let size): chunkBytesLeft = size
    case .malformed: hasMalformedChunk = true
    }
  }
}

/// The line before a chunk, its size in hexadecimal, with the end of the chunk before; all lines end in CRLF. evhttp takes more
/// (a sign, `0x`, a bare LF), which another reader may take for something else.
private struct ChunkLine {
  enum Outcome { case more, size(Int), malformed }

  private var size: Int?
  private var isOver = false
  private var hasCR = false
  /// Whether the chunk before it has still to end.
  private var isBehindChunk = false

  mutating func take(_ byte: UInt8) -> Outcome {
    if hasCR != (byte == UInt8(ascii: "\n")) { return .malformed }
    switch byte {
    case UInt8(ascii: "\n"):
      guard let size else {
        // Only behind a chunk is a line empty.
        guard isBehindChunk else { return .malformed }
        (isBehindChunk, hasCR) = (false, false)
        return .more
      }
      self = ChunkLine()
      isBehindChunk = true
      return .size(size)
    case UInt8(ascii: "\r"): hasCR = true
    case _ where isBehindChunk: return .malformed
    case UInt8(ascii: " ") where size != nil: isOver = true
    default:
      guard !isOver, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, size ?? 0 < Int.max >> 4 else {
        return .malformed
      }
      size = (size ?? 0) << 4 | digit
    }
    return .more
  }
}
