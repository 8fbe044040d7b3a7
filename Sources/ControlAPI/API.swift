package import Proxying
import Settings

/// Everything the control port answers: a request goes in, an answer comes out, nothing else is touched but the registry.
package final class API {
  let registry: ProxyRegistry
  private let gatekeeper: Gatekeeper
  private let requestIDs = RequestIDs()
  /// True once every configured listener is bound.
  package var isReady = false

  private lazy var router = Router(routes: classicRoutes + nativeRoutes)

  /// - Parameter extraHosts: names besides the ordinary ones under which the control port is reached, in lower case.
  package init(registry: ProxyRegistry, extraHosts: Set<String> = []) {
    self.registry = registry
    gatekeeper = Gatekeeper(extraHosts: extraHosts)
  }

  package func answer(_ request: APIRequest) -> APIAnswer {
    if let refusal = gatekeeper.refusal(of: request) { return .now(refusal.response()) }
    switch router.match(request) {
    case .redirect(let path):
      return .now(APIResponse(status: 301, headers: [("Location", path)]))
    case .refusal(let error):
      return .now(error.response())
    case .options(let methods):
      return .now(APIResponse(status: 204, headers: [("Allow", methods.joined(separator: ", "))]))
    case .handler(let handler, let parameters):
      return identified(run(handler, request, parameters))
    }
  }

  private func run(_ handler: Route.Handler, _ request: APIRequest, _ parameters: [String]) -> APIAnswer {
    if gatekeeper.refusesBrowser(request) { return .now(APIError(403, "User agent not allowed").response()) }
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
    case .events: return answer
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
