internal import CLibevent
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An HTTP/1.1 and 1.0 server on one listening socket, over libevent's evhttp.
///
/// The handler is called on the loop for every complete request. What never becomes a request is answered here, in JSON:
/// `{"error":"…","status":N}` with 400, 408, 413, 417, 431, 500 or 501. SIGPIPE is ignored from the first server on.
package final class HTTPServer {
  package typealias Handler = (HTTPRequest, HTTPResponder) -> Void

  /// Where it listens, with the real port; "0.0.0.0:0" for a Unix socket.
  package let localAddress: SocketAddress
  /// How often accept(2) failed, as when descriptors ran out. Accepting is tried again after 100 ms.
  package private(set) var acceptFailures = 0

  /// Told each time that a client meets a limit.
  package var onLimit: (HTTPLimits.Bound) -> Void = { _ in }

  /// Bytes of replies that clients have yet to take, each whole until the last byte has gone.
  package internal(set) var unsentBytes = 0

  let loop: EventLoop
  let limits: HTTPLimits
  private let handler: Handler
  private var http: OpaquePointer?
  private var listener: OpaquePointer?
  private(set) var connections: [OpaquePointer: HTTPServerConnection] = [:]
  private var lingering: [ObjectIdentifier: HTTPLingeringClose] = [:]
  private var acceptTimer: LoopTimer?
  private var requestsInHandler = 0
  private lazy var queue = HTTPRequestQueue(loop: loop) { [unowned self] in handle($0, $1) }
  private var isWaitingForRoom = false

  /// Binds and listens.
  ///
  /// - Parameter dualStack: for `::`, whether to take IPv4 as well.
  /// - Throws: the failed call, such as "bind: Address already in use".
  package convenience init(
    loop: EventLoop, address: SocketAddress, dualStack: Bool = false, limits: HTTPLimits = HTTPLimits(),
    handler: @escaping Handler
  ) throws(LoopError) {
    let descriptor = try listeningSocket(on: address, dualStack: dualStack)
    try self.init(loop: loop, listeningDescriptor: descriptor, limits: limits, handler: handler)
  }

  /// Serves a socket that is already bound and listening, TCP or Unix, and owns it from here on.
  package init(
    loop: EventLoop, listeningDescriptor: Int32, limits: HTTPLimits = HTTPLimits(), handler: @escaping Handler
  ) throws(LoopError) {
    let unix = UnixSocketAddress.local(of: listeningDescriptor).map { _ in SocketAddress.unknown }
    guard let address = SocketAddress.local(of: listeningDescriptor) ?? unix else {
      let error = LoopError.last("getsockname")
      SystemCall.close(listeningDescriptor)
      throw error
    }
    ignoreBrokenPipes()
    SystemCall.setNonBlockingAndCloseOnExec(listeningDescriptor)
    localAddress = address
    self.loop = loop
    self.limits = limits
    self.handler = handler
    acceptTimer = LoopTimer(loop: loop) { [weak self] in self?.adjustAccepting() }
    start(listeningDescriptor)
  }

  deinit {
    closeNow()
  }

  /// Whether a Unix socket can be served. libevent asks getnameinfo(3) for the name of every client; outside of Linux that
  /// has none for a client of a Unix socket, and up to version 2.1 libevent ends the process then.
  package static var canServeUnixSockets: Bool {
    #if os(Linux)
      true
    #else
      event_get_version_number() >= 0x0202_0000
    #endif
  }

  /// Clients connected, with those whose last reply was sent but who haven't ended yet.
  package var connectionCount: Int { connections.count + lingering.count }

  /// Stops listening and ends every connection at once. Called from inside the handler it waits for this loop iteration's end.
  package func close() {
    loop.assertOnThread("HTTPServer")
    if requestsInHandler == 0 { closeNow() } else { loop.later { self.closeNow() } }
  }

  private func closeNow() {
    guard let http else { return }
    self.http = nil
    acceptTimer = nil
    if let listener { HTTPServer.forget(listener) }
    listener = nil
    evhttp_free(http)
    connections = [:]
    lingering = [:]
  }

  private func start(_ descriptor: Int32) {
    guard let http = evhttp_new(loop.base), let bound = evhttp_accept_socket_with_handle(http, descriptor) else {
      fatalError("evhttp_new: out of memory")
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    let listener = evhttp_bound_socket_get_listener(bound)
    evconnlistener_set_error_cb(listener, httpAcceptFailed)
    evhttp_set_bevcb(http, httpMakeBufferevent, context)
    evhttp_set_gencb(http, httpRequestArrived, context)
    // Every method, even an unknown one, reaches us: evhttp's own 501 would leave the rest of the request in the stream.
    evhttp_set_allowed_methods(http, .max)
    evhttp_set_default_content_type(http, nil)
    evhttp_set_max_headers_size(http, limits.headerBytesMax)
    evhttp_set_max_body_size(http, limits.bodyBytesMax)
    (self.http, self.listener) = (http, listener)
    if let listener { HTTPServer.remember(listener, owner: self) }
  }

  // MARK: Connections

  func makeConnection() -> OpaquePointer {
    let connection = HTTPServerConnection(server: self, loop: loop, limits: limits)
    connections[connection.bufferevent] = connection
    adjustAccepting()
    loop.later { connection.accepted() }
    return connection.bufferevent
  }

  func connectionEnded(_ connection: HTTPServerConnection, lingeringDescriptor: Int32) {
    connections[connection.bufferevent] = nil
    if lingeringDescriptor >= 0 { linger(lingeringDescriptor) }
    adjustAccepting()
  }

  private func linger(_ descriptor: Int32) {
    var key: ObjectIdentifier?
    let closing = HTTPLingeringClose(
      loop: loop, descriptor: descriptor, limitNanoseconds: limits.requestTimeoutNanoseconds
    ) { [weak self] in
      guard let self, let key else { return }
      lingering[key] = nil
      adjustAccepting()
    }
    key = ObjectIdentifier(closing)
    lingering[ObjectIdentifier(closing)] = closing
  }

  /// When all places are taken, one that is idle is given to the next connection: silent clients can't fill the port.
  private func adjustAccepting() {
    guard let listener else { return }
    if connectionCount > limits.connectionsMax { makeRoom() }
    let hasRoom =
      connectionCount < limits.connectionsMax
      || connectionCount - connections.values.count { $0.isIdle } < limits.connectionsMax
    if hasRoom, acceptTimer?.isArmed != true {
      evconnlistener_enable(listener)
      isWaitingForRoom = false
    } else {
      evconnlistener_disable(listener)
      if !hasRoom, !isWaitingForRoom { onLimit(.connections) }
      isWaitingForRoom = !hasRoom
    }
  }

  func connectionBecameIdle() {
    if isWaitingForRoom { adjustAccepting() }
  }

  /// Later, because evhttp is in the middle of accepting.
  private func makeRoom() {
    loop.later { [weak self] in
      guard let self, connectionCount > limits.connectionsMax else { return }
      guard let idle = connections.values.filter(\.isIdle).min(by: { $0.phaseBegan < $1.phaseBegan }) else { return }
      onLimit(.connections)
      idle.giveWay()
    }
  }

  func acceptFailed() {
    acceptFailures += 1
    acceptTimer?.arm(at: loop.now + 100_000_000)
    adjustAccepting()
  }

  // MARK: Requests

  func requestArrived(_ raw: UnsafeMutablePointer<evhttp_request>) {
    guard let bufferevent = evhttp_connection_get_bufferevent(raw.pointee.evcon),
      let connection = connections[bufferevent]
    else { return }
    connection.begin(raw)
    let responder = HTTPResponder(connection)
    let method = HTTPServer.methods[raw.pointee.type.rawValue] ?? ""
    let request = HTTPRequest(raw, method: method, peer: connection.peer)
    if let fault = HTTPFraming.fault(in: request, connection.scanner) { return responder.refuse(with: fault) }
    connection.closesAfterReply = HTTPFraming.isFollowedByNoRequest(request)
    // evhttp would keep the connection even so.
    if method == "CONNECT" { raw.pointee.type = EVHTTP_REQ_GET }
    queue.append(request, responder)
  }

  private func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    requestsInHandler += 1
    handler(request, responder)
    requestsInHandler -= 1
  }

  private static let methods: [UInt32: String] = [
    EVHTTP_REQ_GET.rawValue: "GET", EVHTTP_REQ_POST.rawValue: "POST", EVHTTP_REQ_HEAD.rawValue: "HEAD",
    EVHTTP_REQ_PUT.rawValue: "PUT", EVHTTP_REQ_DELETE.rawValue: "DELETE", EVHTTP_REQ_OPTIONS.rawValue: "OPTIONS",
    EVHTTP_REQ_TRACE.rawValue: "TRACE", EVHTTP_REQ_CONNECT.rawValue: "CONNECT", EVHTTP_REQ_PATCH.rawValue: "PATCH",
  ]
}

@available(*, unavailable)
extension HTTPServer: Sendable {}

private func listeningSocket(on address: SocketAddress, dualStack: Bool) throws(LoopError) -> Int32 {
  let socket = try SystemCall.streamSocket(address.family)
  let descriptor = socket.raw()
  try SystemCall.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
  if address.family == .ipv6 {
    try SystemCall.setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, dualStack ? 0 : 1)
  }
  if address.withSockaddr({ bind(descriptor, $0, $1) }) != 0 { throw LoopError.last("bind") }
  if listen(descriptor, 128) != 0 { throw LoopError.last("listen") }
  return socket.take()
}

extension HTTPRequest {
  fileprivate init(_ raw: UnsafeMutablePointer<evhttp_request>, method: String, peer: SocketAddress?) {
    self.init(
      method: method, target: raw.pointee.uri.map { String(cString: $0) } ?? "",
      headers: HTTPFieldList.read(raw.pointee.input_headers), body: HTTPBuffer.take(from: raw.pointee.input_buffer),
      peer: peer, minorVersion: Int(raw.pointee.minor))
  }
}

// evhttp makes itself a listener's argument, so a failed accept(2) reaches us without one of ours: here is the way back.
extension HTTPServer {
  /// Listener to server, as addresses. The lock is there because servers may live on several loops; an entry is only ever
  /// followed on its server's own loop, and leaves before the server does.
  private static let owners = Mutex<[UInt: UInt]>([:])

  private static func remember(_ listener: OpaquePointer, owner: HTTPServer) {
    let address = UInt(bitPattern: Unmanaged.passUnretained(owner).toOpaque())
    owners.withLock { $0[UInt(bitPattern: listener)] = address }
  }

  private static func forget(_ listener: OpaquePointer) {
    owners.withLock { $0[UInt(bitPattern: listener)] = nil }
  }

  static func withOwner(of listener: OpaquePointer, _ body: (HTTPServer) -> Void) {
    let address = owners.withLock { $0[UInt(bitPattern: listener)] }
    guard let pointer = UnsafeRawPointer(bitPattern: address ?? 0) else { return }
    body(Unmanaged<HTTPServer>.fromOpaque(pointer).takeUnretainedValue())
  }
}
