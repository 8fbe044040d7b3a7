/// What a forward proxy says to an HTTP client itself.
package enum ProxyAnswer {
  /// The tunnel that CONNECT asked for is there.
  package static let established = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)

  /// A response with one readable line, and the reason for programs in `Proxy-Status` (RFC 9209).
  /// - Parameter isHead: the request was HEAD, so that no body follows.
  package static func answer(to refusal: Refusal, closes: Bool, isHead: Bool = false) -> [UInt8] {
    let status = refusal.status ?? status(refusal.kind)
    let reason = oneLine(refusal.reason)
    let lines = [
      "HTTP/1.1 \(status) \(phrase(status))",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Length: \(reason.utf8.count + 1)",
      "Proxy-Status: headwind; error=\(error(refusal.kind)); details=\(quoted(reason))",
    ]
    let head = (lines + (closes ? ["Connection: close"] : [])).joined(separator: "\r\n") + "\r\n\r\n"
    return Array((isHead ? head : head + reason + "\n").utf8)
  }

  package static func status(_ kind: Refusal.Kind) -> Int {
    switch kind {
    case .malformed: 400
    case .denied: 403
    case .tooSlow: 408
    case .tooLarge: 431
    case .unsupported: 501
    case .unresolvable, .refused, .hostUnreachable, .networkUnreachable, .offline, .badAnswer: 502
    case .timedOut: 504
    case .loop: 508
    }
  }

  /// RFC 9209 §2.3
  private static func error(_ kind: Refusal.Kind) -> String {
    switch kind {
    case .malformed, .tooLarge, .unsupported, .tooSlow: "http_request_error"
    case .denied: "http_request_denied"
    case .loop: "proxy_loop_detected"
    case .unresolvable: "dns_error"
    case .refused: "connection_refused"
    case .hostUnreachable, .networkUnreachable: "destination_ip_unroutable"
    case .timedOut: "connection_timeout"
    case .offline: "destination_unavailable"
    case .badAnswer: "http_protocol_error"
    }
  }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 408: "Request Timeout"
    case 414: "URI Too Long"
    case 431: "Request Header Fields Too Large"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 508: "Loop Detected"
    default: "Refused"
    }
  }

  /// Without line ends or other control characters, which could end the field or the head.
  private static func oneLine(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      line.unicodeScalars.append(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? " " : scalar)
    }
    return line
  }

  /// A string of RFC 8941 §3.3.3, which is ASCII.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(scalar.isASCII ? scalar : "?")
    }
    return quoted + "\""
  }
}
