package import Reactor
import Proxying
import Settings

/// Puts the API on a port: the adapter between evhttp's requests and the pure ones.
package final class ControlServer {
  /// From a request to its answer, 25 ms. A thousand stalled sessions may need longer: then the answer comes first, and the
  /// last of them, deaf already, are closed in the next moments.
  private static let closingWaitNanoseconds: Int64 = 25_000_000

  /// What a long answer was made from is some times its size, and is of no use behind it.
  private static let longAnswerBytes = 64 << 10
  private static let heapBytesPerByte = 4

  private let api: API
  private let server: HTTPServer
  /// Of a Unix socket, where it is.
  private let path: String?
  /// Set where it is to be taken out of the file system in the end.
  private var file: UnixSocketFile?

  /// - Parameter dualStack: for `::`, whether to take IPv4 as well.
  /// - Throws: the failed call, such as "bind: Address already in use".
  package init(
    loop: EventLoop, address: SocketAddress, dualStack: Bool = false, api: API
  ) throws(LoopError) {
    (self.api, path) = (api, nil)
    let handler = ControlServer.handler(loop, api)
    server = try HTTPServer(
      loop: loop, address: address, dualStack: dualStack, limits: api.registry.limits.control,
      handler: handler)
    adopt()
  }

  /// Serves a Unix socket, and removes its file in the end.
  package init(loop: EventLoop, file: UnixSocketFile, api: API) throws(LoopError) {
    (self.api, path, self.file) = (api, file.path, file)
    server = try HTTPServer(
      loop: loop, listeningDescriptor: file.takeDescriptor(), limits: api.registry.limits.control,
      handler: ControlServer.handler(loop, api))
    adopt()
  }

  /// Serves a socket that whoever started this process has opened, and will open again.
  package init(loop: EventLoop, socket: ActivatedSocket, api: API) throws(LoopError) {
    self.api = api
    path = if case .unix(let path, _) = socket.place { path } else { nil }
    server = try HTTPServer(
      loop: loop, listeningDescriptor: socket.descriptor, limits: api.registry.limits.control,
      handler: ControlServer.handler(loop, api))
    adopt()
  }

  private func adopt() {
    api.server = server
    server.onLimit = { [registry = api.registry] bound in registry.met(Limit(bound)) }
    api.eventFeed?.hasRoom = { [weak server] bytes in server?.makeRoom(for: bytes) ?? true }
    // Proxies lead to addresses, never to a Unix socket.
    api.registry.controlAddress = path == nil ? server.localAddress : nil
  }

  package var localAddress: SocketAddress { server.localAddress }

  /// `127.0.0.1:8474`, or `unix:/run/headwind.sock`.
  package var place: String { path.map { "unix:\($0)" } ?? server.localAddress.description }

  /// What commands take for `--control`.
  package var url: String { path == nil ? "http://\(place)" : place }

  package func close() {
    // While the socket is open: its file can't be another one's yet.
    file?.remove()
    file = nil
    server.close()
  }

  private static func handler(_ loop: EventLoop, _ api: API) -> HTTPServer.Handler {
    let feed = EventFeed(loop: loop, events: api.registry.events, readersMax: api.registry.limits.eventStreams)
    feed.onFull = { [registry = api.registry] in registry.met(.eventStreams) }
    api.eventFeed = feed
    return { request, responder in ControlServer.serve(request, responder, api, feed, loop) }
  }

  private static func serve(
    _ request: HTTPRequest, _ responder: HTTPResponder, _ api: API, _ feed: EventFeed, _ loop: EventLoop
  ) {
    let apiRequest = APIRequest(
      method: request.method, target: request.target,
      headers: request.headers.fields.map { ($0.name, $0.value) }, body: request.body,
      mustNameHost: request.minorVersion > 0)
    let registry = api.registry
    // What a call says has happened: its answer waits for the sessions that it ends to be closed, within bounds.
    let deadline = loop.now + closingWaitNanoseconds
    registry.callComes()
    func reply(_ answer: APIResponse) {
      let response = api.bounded(answer)
      if response.body.count >= longAnswerBytes { loop.noteHeapFreed(response.body.count * heapBytesPerByte) }
      guard registry.callLeftConnectionsToClose else { return responder.reply(response) }
      registry.whenClosed(before: deadline) { responder.reply(response) }
    }
    switch api.answer(apiRequest) {
    case .now(let response): reply(response)
    case .later(let work): work { reply($0) }
    case .events(let since, let filter, let headers): feed.open(responder, since: since, filter, headers: headers)
    }
  }
}

@available(*, unavailable)
extension ControlServer: Sendable {}

extension API {
  /// The answer, or why there is no room for it beside those that other clients don't take.
  fileprivate func bounded(_ response: APIResponse) -> APIResponse {
    guard let server, !server.makeRoom(for: response.body.count) else { return response }
    let limit = Limit.controlOutputBytes
    let message = """
      the answer has \(response.body.count) bytes, and other clients have yet to take \(server.unsentBytes); allowed: \
      \(registry.value(of: limit)) bytes in all (\(limit.flag) sets it)
      """
    var refusal = APIError(503, message).response()
    refusal.headers += response.headers.filter { $0.name != "Content-Type" }
    return refusal
  }
}

extension Limit {
  fileprivate init(_ bound: HTTPLimits.Bound) {
    switch bound {
    case .connections: self = .controlConnections
    case .headerBytes: self = .controlHeadBytes
    case .bodyBytes: self = .controlBodyBytes
    case .unsentBytes: self = .controlOutputBytes
    }
  }
}

extension HTTPResponder {
  func reply(_ response: APIResponse) {
    var headers = HTTPHeaders()
    for (name, value) in response.headers { headers.append(name, value) }
    reply(status: response.status, headers: headers, body: response.body)
  }
}
