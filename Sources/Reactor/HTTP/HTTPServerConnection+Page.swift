extension HTTPServerConnection {
  /// What is said in place of evhttp's page: evhttp names the status alone, and one for what are several faults.
  func page(for status: Int) -> HTTPErrorPage {
    switch status {
    case 400 where scanner.headBytes > limits.headerBytesMax:
      server?.onLimit(.headerBytes)
      let message = "the request's head is larger than \(limits.headerBytesMax) bytes\(limits.headerBytesHint)"
      return HTTPErrorPage(status: 431, message: message)
    case 400:
      return HTTPErrorPage(status: 400, message: "malformed request")
    case 413 where scanner.hasMalformedChunk:
      // evhttp says the same of both. It takes no chunk extensions.
      return HTTPFraming.malformedChunk
    case 413:
      server?.onLimit(.bodyBytes)
      let message = "the request's body is larger than \(limits.bodyBytesMax) bytes\(limits.bodyBytesHint)"
      return HTTPErrorPage(status: 413, message: message)
    case 417:
      return HTTPErrorPage(status: 417, message: "the only supported expectation is 100-continue")
    default:
      return HTTPErrorPage(status: status, message: HTTPStatus.reason(status))
    }
  }
}
