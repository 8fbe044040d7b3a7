package import Reactor
import Proxying
import Settings

/// Puts the API on a port: the adapter between evhttp's requests and the pure ones.
package final class ControlServer {
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
      ControlServer.serve(request, responder, api, feed)
    }
    api.server = server
    api.eventFeed = feed
  }

  package var localAddress: SocketAddress { server.localAddress }

  package func close() { server.close() }

  private static func serve(_ request: HTTPRequest, _ responder: HTTPResponder, _ api: API, _ feed: EventFeed) {
    let apiRequest = APIRequest(
      method: request.method, target: request.target,
      headers: request.headers.fields.map { ($0.name, $0.value) }, body: request.body,
      mustNameHost: request.minorVersion > 0)
    switch api.answer(apiRequest) {
    case .now(let response): responder.reply(response)
    case .later(let work): work { responder.reply($0) }
    case .events(let since, let headers): feed.open(responder, since: since, headers: headers)
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
