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

  /// - Parameter dualStack: for `::`, whether to take IPv4 as well.
  /// - Throws: the failed call, such as "bind: Address already in use".
  package init(
    loop: EventLoop, address: SocketAddress, dualStack: Bool = false, api: API, limits: HTTPLimits = HTTPLimits()
  ) throws(LoopError) {
    self.api = api
    let feed = EventFeed(loop: loop, events: api.registry.events)
    server = try HTTPServer(loop: loop, address: address, dualStack: dualStack, limits: limits) { request, responder in
      ControlServer.serve(request, responder, api, feed, loop)
    }
    api.server = server
    api.registry.controlAddress = server.localAddress
    api.eventFeed = feed
  }

  package var localAddress: SocketAddress { server.localAddress }

  package func close() { server.close() }

  private static func serve(
    _ request: HTTPRequest, _ responder: HTTPResponder, _ api: API, _ feed: EventFeed, _ loop: EventLoop
  ) {
    let apiRequest = APIRequest(
      method: request.method, target: request.target,
      headers: request.headers.fields.map { ($0.name, $0.value) }, body: request.body,
      mustNameHost: request.minorVersion > 0)
    let closings = loop.closings
    // What a call says has happened: its answer waits for the sessions that it ends to be closed, within bounds.
    let (deferrals, deadline) = (closings.deferrals, loop.now + closingWaitNanoseconds)
    func reply(_ response: APIResponse) {
      if response.body.count >= longAnswerBytes { loop.noteHeapFreed(response.body.count * heapBytesPerByte) }
      guard closings.deferrals != deferrals else { return responder.reply(response) }
      closings.whenEmpty(before: deadline) { responder.reply(response) }
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

extension HTTPResponder {
  func reply(_ response: APIResponse) {
    var headers = HTTPHeaders()
    for (name, value) in response.headers { headers.append(name, value) }
    reply(status: response.status, headers: headers, body: response.body)
  }
}
