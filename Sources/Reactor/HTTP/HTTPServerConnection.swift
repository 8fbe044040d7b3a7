internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// One accepted connection. evhttp reads, parses and writes; this keeps the limits that evhttp 2.1 lacks, and puts JSON where
/// evhttp would send a page of HTML.
///
/// It hangs on libevent's own seams: callbacks on the bufferevent's two evbuffers (bytes came, bytes left), the connection's
/// close callback and each request's completion callback. A filtering bufferevent in between would be the obvious way but
/// isn't sound: evhttp takes "moved into the filter" for "sent" and closes before the socket has the bytes.
final class HTTPServerConnection {
  enum Phase {
    /// No byte of a request yet.
    case idle
    case reading
    /// The handler has the request; evhttp doesn't read.
    case handling
    case writing
    case streaming
    /// Our error page is on its way; the connection ends with it.
    case failing
    case closed
  }

  let loop: EventLoop
  let limits: HTTPLimits
  let bufferevent: OpaquePointer
  private(set) var phase = Phase.idle
  /// Since when it has been in its phase.
  private(set) var phaseBegan: Int64
  /// When its client last took a part of a reply, or there was none waiting.
  private(set) var lastTaken: Int64
  private(set) var peer: SocketAddress?
  /// Counts requests, so that a responder can tell whether its request is still the current one.
  private(set) var serial: UInt64 = 0
  /// evhttp's request between its arrival and the end of our reply. evhttp owns it, see ``connectionClosed()``.
  private(set) var request: UnsafeMutablePointer<evhttp_request>?
  weak var stream: HTTPStream?
  /// Set when what follows the request can't be told apart from a new one.
  var closesAfterReply = false

  private(set) weak var server: HTTPServer?
  private var connection: OpaquePointer?
  private var timer: LoopTimer?
  private(set) var scanner = HTTPRequestScanner()
  /// What the output must hold in place of evhttp's page.
  private var replacement: [UInt8] = []
  private var isWriting = false
  private var lingers = false
  private var isReadingOn = false
  /// What the server counts of this connection.
  private var countedBytes = 0

  init(server: HTTPServer, loop: EventLoop, limits: HTTPLimits) {
    let options = Int32(BEV_OPT_CLOSE_ON_FREE.rawValue)
    guard let bufferevent = bufferevent_socket_new(loop.base, -1, options) else {
      fatalError("bufferevent_socket_new: out of memory")
    }
    self.server = server
    self.loop = loop
    self.limits = limits
    self.bufferevent = bufferevent
    phaseBegan = loop.now
    lastTaken = phaseBegan
    timer = LoopTimer(loop: loop) { [weak self] in self?.timeIsUp() }
    // Bounds what a client can make us hold by sending on while we don't read requests.
    bufferevent_setwatermark(bufferevent, Int16(EV_READ), 0, inputBytesMax)
    // libevent's own 16 KiB would spread a list of a thousand over many turns of a busy loop.
    bufferevent_set_max_single_write(bufferevent, inputBytesMax)
    let context = Unmanaged.passUnretained(self).toOpaque()
    evbuffer_add_cb(bufferevent_get_input(bufferevent), httpInputChanged, context)
    evbuffer_add_cb(bufferevent_get_output(bufferevent), httpOutputChanged, context)
    // Ours until attach(): evhttp might drop the connection before we could hear of it.
    bufferevent_incref(bufferevent)
  }

  private var inputBytesMax: Int { limits.headerBytesMax + limits.bodyBytesMax + 64 * 1024 }

  /// Unsent bytes in user space.
  var bufferedBytes: Int {
    phase == .closed ? 0 : evbuffer_get_length(bufferevent_get_output(bufferevent))
  }

  /// Finds evhttp's connection object once there is one and asks to hear of its end. Called when the accepting callback is
  /// over and on the first event, whichever comes first.
  func attach() {
    guard connection == nil, phase != .closed else { return }
    // evhttp makes its connection object the argument of the bufferevent's callbacks, and clears them when it frees it.
    var argument: UnsafeMutableRawPointer?
    bufferevent_getcb(bufferevent, nil, nil, nil, &argument)
    defer { bufferevent_decref(bufferevent) }
    guard let argument else { return connectionClosed() }
    connection = OpaquePointer(argument)
    evhttp_connection_set_closecb(connection, httpConnectionClosed, Unmanaged.passUnretained(self).toOpaque())
    let descriptor = bufferevent_getfd(bufferevent)
    SystemCall.setStreamOptions(descriptor)
    SystemCall.keepAlive(descriptor)
    peer = SocketAddress.peer(of: descriptor)
    if phase == .idle { enter(.idle) }
  }

  /// The callback that accepted it is over.
  func accepted() {
    attach()
    tellIfIdle()
  }

  /// The server may be waiting for a place to give away, and looks only when it is told.
  private func tellIfIdle() {
    if phase == .idle { server?.connectionBecameIdle() }
  }

  private func enter(_ phase: Phase) {
    self.phase = phase
    phaseBegan = loop.now
    switch phase {
    case .idle: arm(limits.idleTimeoutNanoseconds)
    case .reading: arm(limits.requestTimeoutNanoseconds)
    case .writing, .failing: arm(limits.writeTimeoutNanoseconds)
    case .handling, .streaming: timer?.cancel()
    case .closed: timer = nil
    }
  }

  private func arm(_ nanoseconds: Int64) {
    timer?.arm(at: loop.now + nanoseconds)
  }

  private func timeIsUp() {
    lingers = false
    if phase == .reading {
      let part = scanner.isHeadComplete ? "body" : "head"
      let milliseconds = limits.requestTimeoutNanoseconds / 1_000_000
      let page = HTTPErrorPage(status: 408, message: "the request's \(part) was not complete after \(milliseconds) ms")
      // Straight to the socket: evhttp expects no output while it reads, and there is none, since it answers in order.
      if bufferedBytes == 0 {
        let bytes = page.wireBytes
        lingers = send(bufferevent_getfd(bufferevent), bytes, bytes.count, 0) == bytes.count
      }
    }
    drop()
  }

  /// Whether nothing is lost when it ends: no request is under way, nor waits in the socket.
  var isIdle: Bool {
    guard phase == .idle, connection != nil else { return false }
    return SystemCall.unreadBytes(bufferevent_getfd(bufferevent)) == 0
  }

  /// Whether its client has reset it, which nobody else notices while evhttp doesn't read. Like getsockopt(SO_ERROR).
  var isReset: Bool {
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(bufferevent_getfd(bufferevent), SOL_SOCKET, SO_ERROR, &error, &length)
    return error != 0
  }

  /// Ends a connection to make room for another one.
  func giveWay() {
    lingers = false
    drop()
  }

  /// Ends the connection now, whatever is unsent. Not to be called from inside evhttp's callbacks.
  func drop() {
    guard phase != .closed, let connection else { return }
    evhttp_connection_free(connection)
  }

  // MARK: What evhttp's seams tell

  func inputChanged(_ info: evbuffer_cb_info) {
    guard info.n_added > 0 else { return }
    attach()
    lingers = false
    if phase == .idle { beginReading() } else if phase == .reading { scan(from: info.orig_size) }
    readOn()
    tellIfIdle()
  }

  /// libevent reads 4 KiB and lets the loop go round: with a thousand busy sessions a list of as many entries took 40 turns to
  /// come in. So what is there of a request is read at once, from inside its own read, which is where its buffer may grow.
  private func readOn() {
    guard phase == .reading, !isReadingOn, let input = bufferevent_get_input(bufferevent) else { return }
    isReadingOn = true
    let descriptor = bufferevent_getfd(bufferevent)
    while phase == .reading, evbuffer_get_length(input) < inputBytesMax, evbuffer_read(input, descriptor, -1) > 0 {}
    isReadingOn = false
  }

  /// Starts the request's clock if a byte of one is there. Empty lines before a request are none (RFC 9112 §2.2).
  private func beginReading() {
    guard let input = bufferevent_get_input(bufferevent) else { return }
    while let byte = HTTPBuffer.copy(1, from: 0, of: input).first, byte == 0x0D || byte == 0x0A {
      evbuffer_drain(input, 1)
    }
    guard evbuffer_get_length(input) > 0 else { return }
    enter(.reading)
    scan(from: 0)
  }

  func outputChanged(_ info: evbuffer_cb_info) {
    if info.n_deleted > 0 || info.orig_size == 0 { lastTaken = loop.now }
    countUnsent(bufferedBytes)
    if info.n_deleted > 0, phase == .writing || phase == .failing { arm(limits.writeTimeoutNanoseconds) }
    if info.n_added > 0, !isWriting { evhttpWrote(at: info.orig_size) }
  }

  /// A reply lies in one piece, whose memory is back only when the last byte has gone.
  private func countUnsent(_ bytes: Int) {
    let held = bytes == 0 ? 0 : max(bytes, countedBytes)
    server?.unsentBytes += held - countedBytes
    countedBytes = held
  }

  func replyIsComplete() {
    request = nil
    stream = nil
    // If evhttp closes now, the client gets time to read all before a RST could overtake it.
    lingers = true
    scanner = HTTPRequestScanner()
    enter(.idle)
    beginReading()
    tellIfIdle()
  }

  /// evhttp is freeing the connection; its socket is still open.
  func connectionClosed() {
    guard phase != .closed else { return }
    enter(.closed)
    countUnsent(0)
    let context = Unmanaged.passUnretained(self).toOpaque()
    evbuffer_remove_cb(bufferevent_get_input(bufferevent), httpInputChanged, context)
    evbuffer_remove_cb(bufferevent_get_output(bufferevent), httpOutputChanged, context)
    // A request without a finished reply was cut loose for its user, us, to free; any other goes with the connection.
    if let request, request.pointee.evcon == nil { evhttp_request_free(request) }
    request = nil
    serial += 1
    let descriptor = lingers ? fcntl(bufferevent_getfd(bufferevent), F_DUPFD_CLOEXEC, 0) : -1
    server?.connectionEnded(self, lingeringDescriptor: descriptor)
    stream?.connectionClosed()
  }

  private func scan(from offset: Int) {
    guard let input = bufferevent_get_input(bufferevent) else { return }
    HTTPBuffer.forEachPiece(from: offset, of: input) { scanner.scan($0) }
  }

  /// evhttp added output of its own: an interim "100 Continue", which may pass, or an error page piece by piece, which is
  /// replaced as it comes. Bytes before `offset` are older and stay.
  private func evhttpWrote(at offset: Int) {
    guard let output = bufferevent_get_output(bufferevent) else { return }
    if phase != .failing {
      let line = HTTPBuffer.copy(12, from: offset, of: output)
      guard let status = Int(String(decoding: line.suffix(3), as: UTF8.self)), status >= 400 else { return }
      replacement = HTTPBuffer.copy(offset, from: 0, of: output) + page(for: status).wireBytes
      lingers = true
      enter(.failing)
    }
    isWriting = true
    HTTPBuffer.replaceOutput(output, with: replacement)
    isWriting = false
    countUnsent(bufferedBytes)
  }

  // MARK: Replies

  /// A request is complete and waits for its reply.
  func begin(_ request: UnsafeMutablePointer<evhttp_request>) {
    attach()
    // evhttp would end the connection, unannounced, after any request in absolute form.
    request.pointee.flags &= ~EVHTTP_PROXY_REQUEST
    self.request = request
    closesAfterReply = false
    serial += 1
    enter(.handling)
  }

  /// The request to answer, or nil when the client has gone since.
  func pendingRequest(_ serial: UInt64) -> UnsafeMutablePointer<evhttp_request>? {
    serial == self.serial && phase == .handling ? request : nil
  }

  /// Runs `body`, in which evhttp's output is ours, then goes on in `phase` unless the connection ended in `body`.
  func emit(thenEnter phase: Phase, _ body: () -> Void) {
    isWriting = true
    body()
    isWriting = false
    guard self.phase == .handling || self.phase == .streaming else { return }
    if phase == .writing {
      // evhttp would watch for the client's end and then drop the reply; a client may well end its side after asking.
      bufferevent_disable(bufferevent, Int16(EV_READ))
    }
    if self.phase != phase { enter(phase) }
  }
}

@available(*, unavailable)
extension HTTPServerConnection: Sendable {}
