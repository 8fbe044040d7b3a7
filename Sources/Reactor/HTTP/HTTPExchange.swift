internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// One request under way on a loop, over evhttp's client. Dropping it cancels it, and nothing is called any more.
///
/// A name's addresses are tried one after another until one connects.
package final class HTTPExchange {
  package typealias Outcome = Result<HTTPClientResponse, HTTPClientError>

  /// Called when the reply's head is there, with an empty body.
  package var onHeaders: ((HTTPClientResponse) -> Void)?
  /// Takes the body as it comes instead of collecting it; there is no limit on its size then. Set it before the loop runs on.
  package var onChunk: (([UInt8]) -> Void)?

  private let loop: EventLoop
  private let request: HTTPClientRequest
  private var completion: ((Outcome) -> Void)?
  private var timer: LoopTimer?
  private var resolver: Resolver?
  private var lookup: Resolver.Request?
  private var addresses: ArraySlice<SocketAddress> = []
  private var connection: OpaquePointer?
  /// evhttp's, which frees it when it has told us the end.
  private var rawRequest: UnsafeMutablePointer<evhttp_request>?
  /// evhttp's own callback while ours listens to how connecting ends.
  private var connectCallback: bufferevent_event_cb?
  private var connectCode: Int32?
  private var failure: evhttp_request_error?
  private var response: HTTPClientResponse?

  /// - Parameter completion: called once, from a later loop iteration.
  package init(loop: EventLoop, request: HTTPClientRequest, completion: @escaping (Outcome) -> Void) {
    loop.assertOnThread("HTTPExchange")
    ignoreBrokenPipes()
    self.loop = loop
    self.request = request
    self.completion = completion
    if let limit = request.timeoutNanoseconds {
      timer = LoopTimer(loop: loop) { [weak self] in self?.finish(.failure(.timedOut)) }
      timer?.arm(at: loop.now + limit)
    }
    start()
  }

  deinit {
    disconnect()
  }

  private func start() {
    guard HTTPExchange.methods[request.method] != nil else {
      return finish(.failure(.unknownMethod(request.method)))
    }
    if let path = request.unixPath {
      return loop.later { [weak self] in self?.connect(toSocketAt: path) }
    }
    if let answer = AddressLookup.immediate(host: request.host, service: "\(request.port)") {
      // Later, so that the owner can set its callbacks first.
      return loop.later { [weak self] in self?.resolved(answer) }
    }
    do {
      let resolver = try Resolver(loop: loop)
      self.resolver = resolver
      lookup = resolver.resolve(host: request.host, service: "\(request.port)") { [weak self] in self?.resolved($0) }
    } catch {
      finish(.failure(.unresolvable(ResolveError(host: request.host, reason: "\(error)"))))
    }
  }

  private func resolved(_ answer: Result<[SocketAddress], ResolveError>) {
    switch answer {
    case .failure(let error): finish(.failure(.unresolvable(error)))
    case .success(let found):
      addresses = found[...]
      connect()
    }
  }

  private func finish(_ outcome: Outcome) {
    guard let completion else { return }
    self.completion = nil
    timer = nil
    lookup = nil
    disconnect()
    // Not from inside evhttp: the owner may drop us.
    loop.later { [weak self] in
      if self != nil { completion(outcome) }
    }
  }

  /// Lets go of evhttp's objects. Their callbacks may be on the stack, so they are freed later, deaf by then.
  private func disconnect() {
    rawRequest?.pointee.cb_arg = nil
    rawRequest = nil
    guard let connection else { return }
    self.connection = nil
    bufferevent_setcb(evhttp_connection_get_bufferevent(connection), nil, nil, nil, nil)
    loop.later { evhttp_connection_free(connection) }
  }

  // MARK: Sending

  private func connect() {
    guard completion != nil, let address = addresses.first, let method = HTTPExchange.methods[request.method] else {
      return
    }
    guard let connection = evhttp_connection_base_new(loop.base, nil, address.host, address.port),
      let raw = evhttp_request_new(httpReplyEnded, Unmanaged.passUnretained(self).toOpaque())
    else { fatalError("evhttp_connection_base_new: out of memory") }
    self.connection = connection
    rawRequest = raw
    configure(connection)
    fill(raw)
    evhttp_make_request(connection, raw, method, request.target)
    watchConnecting(connection)
  }

  /// libevent 2.1 connects to names and addresses only. So it is made to begin with a port that nothing is ever sent to, and
  /// before it has looked at that connection it is given one that stands: to the Unix socket.
  private func connect(toSocketAt path: String) {
    guard completion != nil else { return }
    do throws(LoopError) {
      guard let address = UnixSocketAddress(path) else { throw LoopError(call: "connect", code: ENAMETOOLONG) }
      let socket = try address.connect()
      let decoy = try Decoy()
      addresses = [decoy.address]
      connect()
      guard let connection, rawRequest != nil else { return finish(.failure(.noSocket(path: path, code: ENETUNREACH))) }
      let bufferevent = evhttp_connection_get_bufferevent(connection)
      let first = bufferevent_getfd(bufferevent)
      bufferevent_setfd(bufferevent, socket.take())
      if first >= 0 { SystemCall.close(first) }
      decoy.close()
    } catch {
      finish(.failure(.noSocket(path: path, code: error.code)))
    }
  }

  private func configure(_ connection: OpaquePointer) {
    // Our timer decides; evhttp's own, 45 s by default, must stay out of the way.
    var never = timeval()
    never.tv_sec = 366 * 86_400
    evhttp_connection_set_timeout_tv(connection, &never)
    evhttp_connection_set_max_headers_size(connection, 256 * 1024)
    evhttp_connection_set_max_body_size(connection, onChunk == nil ? request.bodyBytesMax : -1)
  }

  private func fill(_ raw: UnsafeMutablePointer<evhttp_request>) {
    evhttp_request_set_header_cb(raw, httpReplyHasHead)
    evhttp_request_set_chunked_cb(raw, httpReplyHasBytes)
    evhttp_request_set_error_cb(raw, httpReplyFailed)
    let list = raw.pointee.output_headers
    let host =
      SocketAddress(literal: request.host, port: request.port)?.description ?? "\(request.host):\(request.port)"
    if request.headers["Host"] == nil { HTTPFieldList.append("Host", host, to: list) }
    for field in request.headers.fields { HTTPFieldList.append(field.name, field.value, to: list) }
    HTTPFieldList.append("Connection", "close", to: list)
    if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
      HTTPFieldList.append("Content-Length", "\(request.body.count)", to: list)
    }
    if let output = raw.pointee.output_buffer { HTTPBuffer.append(request.body, to: output) }
  }

  /// evhttp doesn't say why it couldn't connect; errno is right only at the bufferevent's own callback, so ours goes first.
  private func watchConnecting(_ connection: OpaquePointer) {
    // Without a request evhttp has failed already, before any event.
    guard rawRequest != nil, let bufferevent = evhttp_connection_get_bufferevent(connection) else { return }
    bufferevent_getcb(bufferevent, nil, nil, &connectCallback, nil)
    bufferevent_setcb(bufferevent, nil, nil, httpConnectEnded, Unmanaged.passUnretained(self).toOpaque())
  }

  func connectEnded(_ bufferevent: OpaquePointer, _ what: Int16) {
    let code = errno
    let callback = connectCallback
    connectCallback = nil
    guard let connection else { return }
    if what & Int16(BEV_EVENT_CONNECTED) == 0 { connectCode = code == 0 ? ECONNREFUSED : code }
    bufferevent_setcb(bufferevent, nil, nil, callback, UnsafeMutableRawPointer(connection))
    errno = code
    callback?(bufferevent, what, UnsafeMutableRawPointer(connection))
  }

  // MARK: What evhttp tells of the reply

  func replyHasHead(_ raw: UnsafeMutablePointer<evhttp_request>) {
    // An interim reply; the real one follows.
    guard raw.pointee.response_code != 100 else { return }
    let head = HTTPClientResponse(
      status: Int(raw.pointee.response_code), reason: raw.pointee.response_code_line.map { String(cString: $0) } ?? "",
      headers: HTTPFieldList.read(raw.pointee.input_headers))
    response = head
    onHeaders?(head)
  }

  func replyHasBytes(_ raw: UnsafeMutablePointer<evhttp_request>) {
    let bytes = HTTPBuffer.take(from: raw.pointee.input_buffer)
    if let onChunk { onChunk(bytes) } else { response?.body += bytes }
  }

  /// evhttp has freed the request by now.
  func replyFailed(_ error: evhttp_request_error) {
    rawRequest = nil
    failure = error
  }

  /// - Parameter raw: nil when something failed after connecting.
  func replyEnded(_ raw: UnsafeMutablePointer<evhttp_request>?) {
    rawRequest = nil
    if raw != nil, let response { return finish(.success(response)) }
    if let connectCode { return tryNextAddress(code: connectCode) }
    // Failed in the call itself, as without a route; errno is long overwritten.
    if raw != nil { return tryNextAddress(code: ENETUNREACH) }
    finish(.failure(error))
  }

  private var error: HTTPClientError {
    switch failure {
    case EVREQ_HTTP_DATA_TOO_LONG: .tooLarge
    case EVREQ_HTTP_EOF, EVREQ_HTTP_TIMEOUT: response == nil ? .closedBeforeReply : .closedInReply
    default: .malformedReply
    }
  }

  private func tryNextAddress(code: Int32) {
    connectCode = nil
    failure = nil
    guard let address = addresses.popFirst() else { return }
    guard !addresses.isEmpty else { return finish(.failure(.notConnected(address, code: code))) }
    disconnect()
    loop.later { [weak self] in self?.connect() }
  }

  private static let methods: [String: evhttp_cmd_type] = [
    "GET": EVHTTP_REQ_GET, "POST": EVHTTP_REQ_POST, "HEAD": EVHTTP_REQ_HEAD, "PUT": EVHTTP_REQ_PUT,
    "DELETE": EVHTTP_REQ_DELETE, "OPTIONS": EVHTTP_REQ_OPTIONS, "TRACE": EVHTTP_REQ_TRACE, "PATCH": EVHTTP_REQ_PATCH,
  ]
}

@available(*, unavailable)
extension HTTPExchange: Sendable {}

/// A port of this machine that listens and never accepts; gone with this value.
private struct Decoy: ~Copyable {
  let address: SocketAddress
  private let socket: Descriptor

  init() throws(LoopError) {
    guard let wanted = SocketAddress(literal: "127.0.0.1", port: 0) else { preconditionFailure("a literal address") }
    let socket = try SystemCall.streamSocket(.ipv4)
    let raw = socket.raw()
    if wanted.withSockaddr({ bind(raw, $0, $1) }) != 0 { throw LoopError.last("bind") }
    if listen(raw, 1) != 0 { throw LoopError.last("listen") }
    address = SocketAddress.local(of: raw) ?? wanted
    self.socket = socket
  }

  consuming func close() {}
}
