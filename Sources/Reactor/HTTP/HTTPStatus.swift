/// Status codes: their reason phrases and which allow a body (RFC 9110 §15).
package enum HTTPStatus {
  /// The registered phrase, or the class's name for codes not in use here.
  package static func reason(_ status: Int) -> String {
    reasons[status] ?? classes[status / 100] ?? "Unknown"
  }

  /// Replies to HEAD have none either.
  package static func allowsBody(_ status: Int) -> Bool {
    status >= 200 && status != 204 && status != 304
  }

  private static let classes = [
    1: "Informational", 2: "Success", 3: "Redirection", 4: "Client Error", 5: "Server Error",
  ]

  private static let reasons = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 428: "Precondition Required",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
  ]
}
