internal import CLibevent

/// The one reply to one request, now or later. Dropped without one, it replies 500.
///
/// Once the client has gone, replies go nowhere.
package final class HTTPResponder {
  private let connection: HTTPServerConnection
  private let serial: UInt64
  private var isAnswered = false

  init(_ connection: HTTPServerConnection) {
    self.connection = connection
    serial = connection.serial
  }

  deinit {
    if !isAnswered {
      answer(with: HTTPErrorPage(status: 500, message: "the request was dropped without a reply"))
    }
  }

  /// False when the client has gone; one that has reset its connection is forgotten by this.
  func isStillAwaited() -> Bool {
    guard connection.pendingRequest(serial) != nil else { return false }
    guard connection.isReset else { return true }
    connection.giveWay()
    return false
  }

  /// Sends the whole reply. Date and Content-Length are added, a body is left out where the status or HEAD forbids it, and the
  /// connection stays open unless the client or a `Connection: close` of yours says otherwise.
  ///
  /// - Parameter headers: without Content-Length and Transfer-Encoding; line breaks in values become spaces.
  package func reply(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    precondition(!isAnswered, "HTTPResponder: a second reply")
    isAnswered = true
    guard let request = connection.pendingRequest(serial) else { return }
    connection.prepare(request, headers: headers)
    if HTTPStatus.allowsBody(status) {
      HTTPFieldList.append("Content-Length", "\(body.count)", to: request.pointee.output_headers)
    }
    let isSent = HTTPStatus.allowsBody(status) && request.pointee.type != EVHTTP_REQ_HEAD
    let buffer = HTTPBuffer(isSent ? body : [])
    connection.emit(thenEnter: .writing) {
      evhttp_send_reply(request, Int32(status), HTTPStatus.reason(status), buffer.raw)
    }
  }

  /// Replies with an error of the server's own and ends the connection after it.
  func refuse(with page: HTTPErrorPage) {
    reply(
      status: page.status, headers: ["Content-Type": HTTPErrorPage.contentType, "Connection": "close"], body: page.body)
  }

  /// Replies like the server's own errors; the connection goes on.
  private func answer(with page: HTTPErrorPage) {
    reply(status: page.status, headers: ["Content-Type": HTTPErrorPage.contentType], body: page.body)
  }

  /// Sends the head now and the body bit by bit: chunked for HTTP/1.1, ended by the connection's end for HTTP/1.0.
  package func beginStream(status: Int, headers: HTTPHeaders = [:]) -> HTTPStream {
    precondition(!isAnswered, "HTTPResponder: a second reply")
    isAnswered = true
    guard let request = connection.pendingRequest(serial) else { return HTTPStream(nil, serial: 0) }
    let stream = HTTPStream(connection, serial: serial)
    connection.prepare(request, headers: headers)
    // With HTTP/1.0 keep-alive evhttp would announce an empty body.
    if request.pointee.minor == 0 { evhttp_remove_header(request.pointee.input_headers, "Connection") }
    connection.stream = stream
    connection.emit(thenEnter: .streaming) {
      evhttp_send_reply_start(request, Int32(status), HTTPStatus.reason(status))
    }
    return stream
  }
}

@available(*, unavailable)
extension HTTPResponder: Sendable {}

extension HTTPServerConnection {
  /// Sets the reply's header fields and asks to hear of its end.
  func prepare(_ request: UnsafeMutablePointer<evhttp_request>, headers: HTTPHeaders) {
    let list = request.pointee.output_headers
    for field in headers.fields { HTTPFieldList.append(field.name, field.value, to: list) }
    // evhttp adds it for HTTP/1.1 only.
    if headers["Date"] == nil { HTTPFieldList.append("Date", HTTPDate.now(), to: list) }
    if closesAfterReply, headers["Connection"] == nil { HTTPFieldList.append("Connection", "close", to: list) }
    evhttp_request_set_on_complete_cb(request, httpReplyComplete, Unmanaged.passUnretained(self).toOpaque())
  }
}
