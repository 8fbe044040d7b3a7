/// Checks of a request's head that evhttp leaves out. Where its reading of a length and another's may differ, bytes of a body
/// could pass for a second request ("smuggling"), so such a request is refused and its connection closed (RFC 9112 §6.3, §11.2).
enum HTTPFraming {
  /// What to answer, or nil when the request is sound.
  static func fault(in request: HTTPRequest) -> HTTPErrorPage? {
    if request.headers.fields.contains(where: { !isToken($0.name) }) {
      return HTTPErrorPage(status: 400, message: "malformed header name")
    }
    let codings = request.headers.all("Transfer-Encoding")
    let lengths = request.headers.all("Content-Length")
    if !codings.isEmpty {
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

  /// Whether a body was announced that evhttp doesn't read, so that what follows the head is no request.
  static func leavesBodyUnread(_ request: HTTPRequest) -> Bool {
    let hasBody = request.headers["Transfer-Encoding"] != nil || (request.headers["Content-Length"] ?? "0") != "0"
    return hasBody && (request.method == "HEAD" || request.method == "TRACE")
  }

  private static func isDecimal(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
  }

  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

/// Counts a request head's bytes up to the empty line that ends it. Lines end in CRLF or bare LF.
struct HTTPHeadScanner {
  private(set) var bytes = 0
  private(set) var isComplete = false
  private var lineIsEmpty = false

  /// Takes the next bytes of the connection; ignores those after the head.
  mutating func scan(_ input: UnsafeRawBufferPointer) {
    for byte in input {
      if isComplete { return }
      bytes += 1
      if byte == UInt8(ascii: "\n") {
        isComplete = lineIsEmpty
        lineIsEmpty = true
      } else if byte != UInt8(ascii: "\r") {
        lineIsEmpty = false
      }
    }
  }
}
