import Settings

/// The answer to a control request.
package struct APIResponse: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  static func json(_ json: JSON, status: Int = 200, newline: Bool = false) -> APIResponse {
    var body = json.bytes
    if newline { body.append(UInt8(ascii: "\n")) }
    return APIResponse(status: status, headers: [("Content-Type", "application/json")], body: body)
  }

  static let noContent = APIResponse(status: 204)

  /// Adds what was odd about the request but was let pass (RFC 9111 §5.5: code 299, "miscellaneous persistent warning").
  func warning(_ texts: [String]) -> APIResponse {
    guard !texts.isEmpty else { return self }
    var copy = self
    copy.headers += texts.prefix(8).map { text in
      let quoted = text.unicodeScalars.map { scalar in
        scalar == "\"" || scalar == "\\" ? "'" : (scalar.value < 0x20 || scalar.value > 0x7E ? "?" : String(scalar))
      }
      return ("Warning", "299 headwind \"\(quoted.joined().prefix(200))\"")
    }
    return copy
  }
}

/// What a handler comes to: an answer now, an answer later, or a stream of events.
package enum APIAnswer {
  case now(APIResponse)
  case later((@escaping (APIResponse) -> Void) -> Void)
  /// `text/event-stream`, beginning behind the event with that identifier.
  case events(since: Int, EventFilter, headers: [(name: String, value: String)] = [])
}
