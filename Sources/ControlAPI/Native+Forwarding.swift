import Proxying
import Reactor
import Settings

// Headwind's own calls about forward proxies: the rules by host, and the file that makes browsers use them.
extension API {
  var forwardingRoutes: [Route] {
    var pac = Route("proxy.pac", ["GET": { [unowned self] request, _ throws(APIError) in .now(try pacFile(request)) }])
    // Browsers fetch it, for that it is there; and it tells no more than where they are to go.
    pac.servesBrowsers = true
    return [
      Route(
        "rules",
        [
          "GET": { [unowned self] _, _ in .now(listRules()) },
          "PUT": { [unowned self] request, _ throws(APIError) in .now(try replaceRules(request)) },
          "POST": { [unowned self] request, _ throws(APIError) in .now(try addRule(request)) },
          "DELETE": { [unowned self] _, _ throws(APIError) in .now(try set([])) },
        ]),
      pac,
    ]
  }

  // MARK: Rules

  private func listRules() -> APIResponse {
    .json(.object([("rules", .array(registry.forward.rules.map(\.json)))]))
  }

  private func replaceRules(_ request: APIRequest) throws(APIError) -> APIResponse {
    try set(reading { () throws(SettingsError) in try HostRule.list(body: request.body) })
  }

  private func addRule(_ request: APIRequest) throws(APIError) -> APIResponse {
    try request.refuseUnknownQuery(["at"])
    let rule = try reading { () throws(SettingsError) in try HostRule(body: request.body) }
    if let (_, error) = ProxyRegistry.unknownProfile(in: [rule], registry.catalogue) {
      throw APIError(400, "use: \(error)")
    }
    var rules = registry.forward.rules
    switch request.query("at") {
    case nil, "last": rules.append(rule)
    case "first": rules.insert(rule, at: 0)
    case let text?: throw APIError(400, "at is \(JSON.string(text).excerpt); allowed: first, last")
    }
    return try set(rules, status: 201)
  }

  private func set(_ rules: [HostRule], status: Int = 200) throws(APIError) -> APIResponse {
    try refusing { () throws(RegistryError) in try registry.require(.rules, rules.count) }
    if let (index, error) = ProxyRegistry.unknownProfile(in: rules, registry.catalogue) {
      throw APIError(400, "rules[\(index)].use: \(error)")
    }
    var settings = registry.forward
    settings.rules = rules
    registry.adopt(settings)
    var response = listRules()
    response.status = status
    return response
  }

  private func reading<T>(_ body: () throws(SettingsError) -> T) throws(APIError) -> T {
    do throws(SettingsError) { return try body() } catch { throw APIError(400, error.description) }
  }

  /// The first rule that needs this profile.
  func rule(naming profile: Profile) -> HostRule? {
    registry.forward.rules.first { $0.profile.flatMap { registry.catalogue[$0]?.name } == profile.name }
  }

  // MARK: Proxy auto-configuration

  private func pacFile(_ request: APIRequest) throws(APIError) -> APIResponse {
    try request.refuseUnknownQuery([])
    var listeners: [PACFile.Listener] = []
    for mode in [ProxyMode.http, .socks] {
      guard let proxy = firstProxy(mode, reachableFrom: request) else { continue }
      listeners.append(PACFile.Listener(mode: mode, address: try address(of: proxy, for: request)))
    }
    guard !listeners.isEmpty else {
      throw APIError(
        404,
        "no forward proxy that is enabled can be reached from there; start the daemon with --http-proxy or --socks, "
          + "or make one by POST /proxies with \"mode\": \"http\"")
    }
    // Where there is a next proxy, even what isn't conditioned has to go through it, and only this daemon knows the way. Names
    // of hosts are for those who have the token; what they would send past the proxy comes to the same behind it.
    let rules = registry.forward.via == nil && request.isTrusted ? registry.forward.rules : []
    // "nosniff" keeps web pages elsewhere from running it as a script, to read the names of hosts in it.
    return APIResponse(
      status: 200,
      headers: [("Content-Type", "application/x-ns-proxy-autoconfig"), ("X-Content-Type-Options", "nosniff")],
      body: Array(PACFile.text(listeners, rules: rules).utf8))
  }

  /// Of several the one that the command line or the config file made, then by name.
  private func firstProxy(_ mode: ProxyMode, reachableFrom request: APIRequest) -> Proxy? {
    let isElsewhere = isFromElsewhere(request)
    let proxies = registry.proxies.filter { proxy in
      guard proxy.mode == mode, proxy.isEnabled, let address = proxy.localAddress else { return false }
      return !(isElsewhere && address.isLoopback)
    }
    let usual = mode == .socks ? ProxySpec.socksName : ProxySpec.httpProxyName
    return proxies.first { $0.name == usual } ?? proxies.first
  }

  /// To another machine a loopback address is its own.
  private func isFromElsewhere(_ request: APIRequest) -> Bool {
    guard let host = request.header("Host").flatMap(PACFile.host(ofHeader:)) else { return false }
    return SocketAddress(literal: host, port: 0).map { !$0.isLoopback } ?? false
  }

  /// One that listens on any address is where the browser has just reached this daemon.
  private func address(of proxy: Proxy, for request: APIRequest) throws(APIError) -> String {
    guard let address = proxy.localAddress, address.isUnspecified else { return proxy.listen }
    guard let host = request.header("Host").flatMap(PACFile.host(ofHeader:)) else {
      throw APIError(
        400, "the header Host says no host; proxy \(JSON.string(proxy.name).excerpt) listens on any address")
    }
    return "\(host):\(address.port)"
  }
}
