import Proxying
import Settings

// The classic API's proxies: toxiproxy 2.x's calls, answers and error texts.
extension API {
  /// The version whose contract is kept; clients compare it.
  package static let classicVersion = "2.12.0"

  var classicRoutes: [Route] {
    [
      Route("version", ["GET": { [unowned self] _, _ in .now(version()) }]),
      Route(
        "proxies",
        [
          "GET": { [unowned self] request, _ in .now(listProxies(request)) },
          "POST": { [unowned self] request, _ throws(APIError) in try createProxy(request) },
        ]),
      Route("populate", ["POST": { [unowned self] request, _ throws(APIError) in try populate(request) }]),
      Route("reset", ["POST": { [unowned self] _, _ in resetAll() }]),
      Route(
        "proxies/{}",
        [
          "GET": { [unowned self] request, names throws(APIError) in
            .now(.json(json(of: try proxy(names[0]), includingHidden: request.wantsAll)))
          },
          "POST": { [unowned self] request, names throws(APIError) in try updateProxy(request, names[0]) },
          "PATCH": { [unowned self] request, names throws(APIError) in try updateProxy(request, names[0]) },
          "DELETE": { [unowned self] _, names throws(APIError) in
            try refusing { () throws(RegistryError) in try registry.delete(names[0]) }
            return .now(.noContent)
          },
        ]),
    ] + toxicRoutes
  }

  private func version() -> APIResponse {
    // The space and the newline are the reference's.
    APIResponse(
      status: 200, headers: [("Content-Type", "application/json;charset=utf-8")],
      body: Array("{\"version\": \"\(API.classicVersion)\", \"headwind\": \"\(Version.current)\"}\n".utf8))
  }

  func proxy(_ name: String) throws(APIError) -> Proxy {
    try refusing { () throws(RegistryError) in try registry.proxy(named: name) }
  }

  private func listProxies(_ request: APIRequest) -> APIResponse {
    let wantsAll = request.wantsAll
    return .json(.object(registry.proxies.map { ($0.name, json(of: $0, includingHidden: wantsAll)) }))
  }

  // MARK: Create

  private func createProxy(_ request: APIRequest) throws(APIError) -> APIAnswer {
    let body = try reading { () throws(ClassicError) in try ProxySpec.classicCreate(body: request.body) }
    let spec = body.value
    try requireProfile(of: spec)
    // A duplicate is told before a bad address.
    guard (try? registry.proxy(named: spec.name)) == nil else { throw APIError(.proxyExists) }
    let listens = spec.isEnabled ? [spec.listen] : []
    return afterResolving(listens) { [self] bindings throws(APIError) in
      let proxy = try refusing { () throws(RegistryError) in
        try registry.create(spec, binding: try bindings.first?.get())
      }
      return APIResponse.json(json(of: proxy), status: 201).warning(body.warnings)
    }
  }

  /// Headwind's own key in a proxy: the profile that it is under from the start.
  private func requireProfile(of spec: ProxySpec) throws(APIError) {
    if let name = spec.profile { _ = try profile(named: name, status: 400) }
  }

  // MARK: Update

  private func updateProxy(_ request: APIRequest, _ name: String) throws(APIError) -> APIAnswer {
    let proxy = try proxy(name)
    let body = try reading { () throws(ClassicError) in try ProxyUpdate.classic(body: request.body) }
    let change = body.value
    let wantsEnabled = change.enabled ?? proxy.isEnabled
    // A stopped proxy keeps its text as given; only what is to be listened on is looked up.
    let listens = wantsEnabled ? [change.listen ?? proxy.listen] : []
    return afterResolving(listens) { [self] bindings throws(APIError) in
      let updated = try refusing { () throws(RegistryError) in
        try registry.update(
          name, listen: change.listen, upstream: change.upstream, mode: change.mode, isEnabled: change.enabled,
          binding: try bindings.first?.get())
      }
      return APIResponse.json(json(of: updated)).warning(body.warnings)
    }
  }

  // MARK: Populate and reset

  private func populate(_ request: APIRequest) throws(APIError) -> APIAnswer {
    let none: [(String, JSON?)] = [("proxies", [])]
    let read: ClassicBody<[ProxySpec]>
    do throws(APIError) {
      read = try reading { () throws(ClassicError) in try ProxySpec.classicPopulate(body: request.body) }
      for spec in read.value { try requireProfile(of: spec) }
    } catch {
      return .now(error.response(none, newline: false))
    }
    let specs = read.value
    return .later { [self] reply in
      registry.resolve(specs.map(\.listen)) { [self] bindings in
        do throws(RegistryError) {
          let proxies = try registry.populate(specs, bindings: bindings)
          let body = JSON.object([("proxies", .array(proxies.map { json(of: $0) }))])
          reply(APIResponse.json(body, status: 201).warning(read.warnings))
        } catch {
          reply(APIError(error).response(none, newline: false))
        }
      }
    }
  }

  private func resetAll() -> APIAnswer {
    let stopped = registry.proxies.filter { !$0.isEnabled }
    return afterResolving(stopped.map(\.listen)) { [self] bindings throws(APIError) in
      let byName = Dictionary(zip(stopped.map(\.name), bindings)) { first, _ in first }
      try refusing { () throws(RegistryError) in try registry.reset(bindings: byName) }
      return .noContent
    }
  }

  // MARK: Shapes

  func json(of proxy: Proxy, includingHidden: Bool = false) -> JSON {
    .object([
      ("name", .string(proxy.name)), ("listen", .string(proxy.listen)), ("upstream", .string(proxy.upstream)),
      ("mode", proxy.mode.isForward ? .string(proxy.mode.rawValue) : nil), ("enabled", .bool(proxy.isEnabled)),
      ("profile", proxy.ownProfile.current.map { .string($0.name) }),
      ("toxics", .array(proxy.listedToxics(includingHidden: includingHidden).map(\.json))),
    ])
  }

  func reading<T>(_ body: () throws(ClassicError) -> T) throws(APIError) -> T {
    do throws(ClassicError) {
      return try body()
    } catch {
      throw APIError(400, error.description)
    }
  }
}

extension APIRequest {
  /// `?all=true`: toxics of kinds that old clients don't know are listed too. (Those ignore the query.)
  var wantsAll: Bool { query("all") == "true" }
}
