/// A pattern of path segments with the handlers of its methods.
struct Route {
  /// `{}` stands for any one segment that isn't empty.
  let pattern: [String]
  /// By method; a handler is given the segments that stand for `{}`, decoded.
  let handlers: [String: Handler]
  /// What takes every method that has no handler of its own, HEAD and OPTIONS too.
  var anyMethod: Handler?
  /// Whether a browser may ask, which the other routes refuse.
  var servesBrowsers = false

  typealias Handler = (APIRequest, [String]) throws(APIError) -> APIAnswer

  init(_ pattern: String, _ handlers: [String: Handler]) {
    self.pattern = pattern.split(separator: "/").map(String.init)
    self.handlers = handlers
  }

  /// Its pattern as a path: `/proxies/{}`.
  var path: String { "/" + pattern.joined(separator: "/") }

  func match(_ segments: [String]) -> [String]? {
    guard segments.count == pattern.count else { return nil }
    var parameters: [String] = []
    for (wanted, found) in zip(pattern, segments) {
      if wanted == "{}", !found.isEmpty {
        parameters.append(found)
      } else if wanted != found {
        return nil
      }
    }
    return parameters
  }
}

/// Finds what answers a request. Paths are split while still encoded, so that a name may hold a slash.
struct Router {
  enum Match {
    case handler(Route.Handler, [String])
    case options([String])
    case redirect(String)
    case refusal(APIError)
  }

  let routes: [Route]

  /// - Returns: what is to be done, and the route where there is one, whether or not it takes the method.
  func match(_ request: APIRequest) -> (match: Match, route: Route?) {
    let path = request.path
    guard path.hasPrefix("/") else { return (.refusal(APIError(400, "the path must begin with /")), nil) }
    if path.contains("//") { return (.redirect(Router.cleaned(path) + request.target.dropFirst(path.count)), nil) }
    var segments: [String] = []
    for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let decoded = percentDecoded(segment) else {
        return (.refusal(APIError(400, "the path holds a broken percent escape: \(path.prefix(200))")), nil)
      }
      segments.append(decoded)
    }
    for route in routes {
      guard let parameters = route.match(segments) else { continue }
      return (match(request.method, route, parameters), route)
    }
    return (.refusal(.notFound), nil)
  }

  private func match(_ method: String, _ route: Route, _ parameters: [String]) -> Match {
    if let handler = route.handlers[method] ?? route.anyMethod { return .handler(handler, parameters) }
    if method == "HEAD", let handler = route.handlers["GET"] { return .handler(handler, parameters) }
    let allowed = route.handlers.keys.sorted()
    return method == "OPTIONS" ? .options(allowed) : .refusal(.methodNotAllowed(allowed))
  }

  private static func cleaned(_ path: Substring) -> String {
    "/" + path.split(separator: "/").joined(separator: "/")
  }
}
