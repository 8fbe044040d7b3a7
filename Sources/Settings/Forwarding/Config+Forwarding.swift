// What a config file says about forward proxies.
extension Config {
  mutating func readForwarding(_ fields: Fields) throws(SettingsError) {
    httpProxy = try fields.forwardListener("http_proxy", named: ProxySpec.httpProxyName, besides: proxies)
    socks = try fields.forwardListener("socks", named: ProxySpec.socksName, besides: proxies)
    rules = try fields.rules("rules")
    via = try fields.via("via")
    allowedClients = try fields.networks("allow_clients")
  }

  /// The proxies that `http_proxy` and `socks` make.
  package var forwardProxies: [ProxySpec] {
    [httpProxy.map { .httpProxy(listen: $0) }, socks.map { .socks(listen: $0) }].compactMap { $0 }
  }

  /// All proxies that the file makes.
  package var allProxies: [ProxySpec] { proxies + forwardProxies }
}

extension ProxySpec {
  /// The names of the proxies that the short ways to a forward proxy make.
  package static let httpProxyName = "http-proxy"
  package static let socksName = "socks"

  package static func httpProxy(listen: String) -> ProxySpec {
    ProxySpec(name: httpProxyName, listen: listen, upstream: ProxyMode.anyUpstream, mode: .http)
  }

  package static func socks(listen: String) -> ProxySpec {
    ProxySpec(name: socksName, listen: listen, upstream: ProxyMode.anyUpstream, mode: .socks)
  }

  package static let forwardListenAllowed = "HOST:PORT, or PORT alone for one of 127.0.0.1"

  /// Reads where a forward proxy is to listen: a port without a host is one of this machine's alone.
  ///
  /// - Throws: `is "x": missing port in address; allowed: …`
  package static func forwardListen(parsing text: String) throws(SettingsError) -> String {
    let isPort = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let listen = isPort ? "127.0.0.1:\(text)" : text
    let reason = text.isEmpty ? "no address" : Endpoint.problem(in: listen)?.reason
    guard let reason else { return listen }
    throw TextProblem(reason).refusal(of: text, allowed: forwardListenAllowed)
  }
}

extension Fields {
  fileprivate func forwardListener(
    _ key: String, named name: String, besides proxies: [ProxySpec]
  ) throws(SettingsError) -> String? {
    // A port is most often written as a number.
    let text: String?
    if case .integer(let port)? = value(key) { text = "\(port)" } else { text = try string(key) }
    guard let text else { return nil }
    if let index = proxies.firstIndex(where: { $0.name == name }) {
      throw SettingsError(
        source: source, field: "proxies[\(index)].name",
        message: "is \"\(name)\"; allowed: another name, because \(key) makes a proxy of this one")
    }
    do { return try ProxySpec.forwardListen(parsing: text) } catch { throw error.at(pathOf(key), in: source) }
  }

  fileprivate func via(_ key: String) throws(SettingsError) -> ViaSource? {
    guard let text = try string(key) else { return nil }
    do { return try ViaSource(parsing: text) } catch { throw error.at(pathOf(key), in: source) }
  }

  fileprivate func networks(_ key: String) throws(SettingsError) -> [IPNetwork] {
    var networks: [IPNetwork] = []
    for (index, text) in (try strings(key, atMost: IPNetwork.maximumCount) ?? []).enumerated() {
      do {
        networks.append(try IPNetwork(parsing: text))
      } catch {
        throw error.at("\(pathOf(key))[\(index)]", in: source)
      }
    }
    return networks
  }
}
