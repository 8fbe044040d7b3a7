internal import CLibevent

/// The replies that the server makes itself, for requests that never reach the handler.
struct HTTPErrorPage: Equatable {
  let status: Int
  /// Plain ASCII without quotes, backslashes or controls: it goes into JSON as it is.
  let message: String

  static let contentType = "application/json"

  var body: [UInt8] {
    Array("{\"error\":\"\(message)\",\"status\":\(status)}\n".utf8)
  }

  /// The whole reply as it goes onto the wire, announcing that the connection ends with it.
  var wireBytes: [UInt8] {
    let body = body
    let lines = [
      "HTTP/1.1 \(status) \(HTTPStatus.reason(status))",
      "Date: \(HTTPDate.now())",
      "Content-Type: \(HTTPErrorPage.contentType)",
      "Content-Length: \(body.count)",
      "Connection: close",
      "\r\n",
    ]
    return Array(lines.joined(separator: "\r\n").utf8) + body
  }
}

enum HTTPDate {
  /// The time as in "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 §5.6.7).
  static func now() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      text.initialize(repeating: 0)
      evutil_date_rfc1123(text.baseAddress, text.count, nil)
      return String(cString: text.baseAddress!)
    }
  }
}
