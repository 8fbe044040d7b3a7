package import Proxying
import Reactor
package import Settings

/// Everything the control port answers: a request goes in, an answer comes out, nothing else is touched but the registry.
package final class API {
  let registry: ProxyRegistry
  private var gatekeeper: Gatekeeper
  private let requestIDs = RequestIDs()
  /// True once every configured listener is bound.
  package var isReady = false

  private(set) lazy var router = Router(
    routes: classicRoutes + nativeRoutes + forwardingRoutes + leaseRoutes + [metricsRoute, limitsRoute])
  /// Of all routes, which don't change.
  private(set) lazy var description = APIResponse.json(OpenAPI.document(of: router.routes))

  // For the metrics.
  private(set) var requests = RequestCounters()
  let heartbeat: LoopHeartbeat
  /// Where it is reached, if it is.
  weak var server: HTTPServer?
  /// Who reads events as they happen there.
  weak var eventFeed: EventFeed?

  /// - Parameter extraHosts: names besides the ordinary ones under which the control port is reached, in lower case.
  package init(registry: ProxyRegistry, extraHosts: Set<String> = []) {
    self.registry = registry
    gatekeeper = Gatekeeper(extraHosts: extraHosts)
    heartbeat = LoopHeartbeat(loop: registry.loop)
  }

  /// See ``Gatekeeper/takesAnyHost``.
  package func takeAnyHost() { gatekeeper.takesAnyHost = true }

  /// What requests have to show; nil for nothing.
  package var token: AccessToken? {
    get { gatekeeper.token }
    set { gatekeeper.token = newValue }
  }

  /// - Parameter isOurs: asked by this process itself, which needs no token.
  package func answer(_ request: APIRequest, isOurs: Bool = false) -> APIAnswer {
    let began = registry.loop.now
    var request = request
    request.isTrusted = isOurs || gatekeeper.isTrusted(request)
    if let refusal = gatekeeper.refusal(of: request) ?? gatekeeper.tokenRefusal(of: request) {
      return counted(.now(refusal.response()), request, nil, since: began)
    }
    let (match, route) = router.match(request)
    return counted(answer(request, match, route), request, route, since: began)
  }

  private func answer(_ request: APIRequest, _ match: Router.Match, _ route: Route?) -> APIAnswer {
    switch match {
    case .redirect(let path):
      return .now(APIResponse(status: 301, headers: [("Location", path)]))
    case .refusal(let error):
      return .now(error.response())
    case .options(let methods):
      return .now(APIResponse(status: 204, headers: [("Allow", methods.joined(separator: ", "))]))
    case .handler(let handler, let parameters):
      let isWelcome = route?.servesBrowsers == true || !gatekeeper.refusesBrowser(request)
      return identified(
        isWelcome ? run(handler, request, parameters) : .now(APIError(403, "User agent not allowed").response()))
    }
  }

  /// Counts the answer when it is there.
  private func counted(
    _ answer: APIAnswer, _ request: APIRequest, _ route: Route?, since began: Int64
  ) -> APIAnswer {
    let (method, path) = (request.method, route?.path)
    func note(_ response: APIResponse) {
      requests.note(method, path, status: response.status, nanoseconds: registry.loop.now - began)
    }
    switch answer {
    case .now(let response):
      note(response)
      return answer
    case .later(let work):
      return .later { reply in
        work { response in
          note(response)
          reply(response)
        }
      }
    case .events:
      // A stream has no end to measure.
      requests.note(method, path, status: 200, nanoseconds: nil)
      return answer
    }
  }

  private func run(_ handler: Route.Handler, _ request: APIRequest, _ parameters: [String]) -> APIAnswer {
    registry.beginCall()
    do throws(APIError) {
      return try handler(request, parameters)
    } catch {
      return .now(error.response())
    }
  }

  /// Adds the identifier that the classic server gives every answer of a known route.
  private func identified(_ answer: APIAnswer) -> APIAnswer {
    let header = ("X-Toxiproxy-Request-Id", requestIDs.next())
    func add(_ response: APIResponse) -> APIResponse {
      var copy = response
      copy.headers.append(header)
      return copy
    }
    switch answer {
    case .now(let response): return .now(add(response))
    case .later(let work): return .later { reply in work { reply(add($0)) } }
    case .events(let since, let filter, let headers): return .events(since: since, filter, headers: headers + [header])
    }
  }
}

@available(*, unavailable)
extension API: Sendable {}

extension API {
  /// Runs what may refuse, with refusals as the API words them.
  func refusing<T>(_ body: () throws(RegistryError) -> T) throws(APIError) -> T {
    do throws(RegistryError) {
      return try body()
    } catch {
      throw APIError(error)
    }
  }

  /// Looks listen texts up, then goes on; a refusal becomes the answer.
  func afterResolving(
    _ listens: [String],
    _ body: @escaping ([Result<Binding, RegistryError>]) throws(APIError) -> APIResponse
  ) -> APIAnswer {
    .later { [registry] reply in
      registry.resolve(listens) { bindings in
        do throws(APIError) {
          reply(try body(bindings))
        } catch {
          reply(error.response())
        }
      }
    }
  }
}
