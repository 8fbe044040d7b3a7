import Settings

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

  /// Whether it is `other` with one more name behind it.
  func isBelow(_ other: Route) -> Bool { pattern == other.pattern + ["{}"] }

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
    return (.refusal(notFound(segments)), nil)
  }

  /// Where somebody may have wanted to go: a first word mistyped, or one slash too many.
  private func notFound(_ segments: [String]) -> APIError {
    let firsts = Set(routes.compactMap(\.pattern.first))
    let first = segments.first ?? ""
    let meant =
      if let near = nearest(to: first, among: firsts.sorted()) {
        ([near] + segments.dropFirst().dropLast(segments.last == "" ? 1 : 0)).joined(separator: "/")
      } else {
        ""
      }
    let isKnown = !meant.isEmpty && routes.contains { $0.match(meant.split(separator: "/").map(String.init)) != nil }
    let hint = isKnown ? "; did you mean \(JSON.string("/" + meant).excerpt)?" : ""
    return APIError(404, "not found; GET /openapi.json describes every call\(hint)")
  }

  private func match(_ method: String, _ route: Route, _ parameters: [String]) -> Match {
    if let handler = route.handlers[method] ?? route.anyMethod { return .handler(handler, parameters) }
    if method == "HEAD", let handler = route.handlers["GET"] { return .handler(handler, parameters) }
    let allowed = route.handlers.keys.sorted()
    if method == "OPTIONS" { return .options(allowed) }
    var error = APIError.methodNotAllowed(allowed)
    // `PUT /profile` with the name in the body is what one who has read of `PUT /profile/NAME` may try.
    if let below = routes.first(where: { $0.isBelow(route) && $0.handlers[method] != nil }) {
      error.message += "; \(method) is for \(below.path.replacing("{}", with: "NAME"))"
    }
    return .refusal(error)
  }

  private static func cleaned(_ path: Substring) -> String {
    "/" + path.split(separator: "/").joined(separator: "/")
  }
}
