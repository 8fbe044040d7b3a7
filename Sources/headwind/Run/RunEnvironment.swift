import Reactor
import Settings

/// What a command is told about the daemon by its environment.
struct RunEnvironment {
  private(set) var child = ChildEnvironment()

  /// - Parameters:
  ///   - proxies: the answer to `GET /proxies`.
  ///   - url: of the control API: `http://HOST:PORT` or `unix:PATH`.
  init(
    proxies: JSON, url: String, token: RunToken = .none, profile: String, seed: UInt64?
  ) throws(CommandError) {
    child.removedPrefixes = ["HEADWIND_PROXY_"]
    child.removed = Set(["HEADWIND_SEED"] + ServiceNotifier.variables)
    child.values["HEADWIND_URL"] = url
    child.values["HEADWIND_PROFILE"] = profile
    if let seed { child.values["HEADWIND_SEED"] = "\(seed)" }
    if token != .inherited { child.removed.formUnion([EnvironmentVariable.token, .tokenFile].map(\.rawValue)) }
    if case .file(let path) = token { child.values[EnvironmentVariable.tokenFile.rawValue] = path }
    // Of a Unix socket none: no proxy is on the way to it.
    let control = url.hasPrefix("http://") ? String(url.dropFirst("http://".count)) : nil
    let host = control.flatMap { try? Endpoint(parsing: $0) }?.host ?? "127.0.0.1"
    let enabled = proxies.members.filter { $0.1["enabled"]?.bool ?? true }
    let addresses = enabled.map { RunEnvironment.address($0.1, at: host) }
    try setAddresses(zip(enabled.map(\.0), addresses))
    let modes = enabled.map { RunEnvironment.mode($0.0, $0.1) }
    let http = zip(modes, addresses).first { $0.0 == .http }?.1
    let socks = zip(modes, addresses).first { $0.0 == .socks }?.1
    setForwardProxies(http: http, socks: socks)
    let fixed = zip(modes, addresses).filter { $0.0 == .tcp }.map(\.1)
    let own = RunEnvironment.isOfItsOwn(host) ? [host] : []
    exempt((control.map { own + [$0] } ?? []) + fixed)
  }

  /// Whether nothing but the daemon is to be expected at a host: an address of loopback that isn't the usual one.
  private static func isOfItsOwn(_ host: String) -> Bool {
    guard let address = SocketAddress(literal: host, port: 0), address.isLoopback else { return false }
    return !["127.0.0.1", "::1"].contains(address.host)
  }

  /// `HEADWIND_PROXY_MY_API` for `my-api`.
  static func variable(for proxy: String) -> String {
    let letters = proxy.unicodeScalars.map { scalar -> String in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal)
      return isPlain ? String(scalar).uppercased() : "_"
    }
    return "HEADWIND_PROXY_" + letters.joined()
  }

  private mutating func setAddresses(_ proxies: some Sequence<(String, String)>) throws(CommandError) {
    var owners: [String: String] = [:]
    for (name, address) in proxies {
      let variable = RunEnvironment.variable(for: name)
      if let other = owners[variable] {
        throw .failure(
          "the proxies \(quoted(other)) and \(quoted(name)) would both be \(variable); give one of them another name")
      }
      owners[variable] = name
      child.values[variable] = address
    }
  }

  /// Where it is reached from here: one that listens on every interface, at the daemon's own address.
  private static func address(_ proxy: JSON, at host: String) -> String {
    let text = proxy["listen"]?.string ?? ""
    guard var endpoint = try? Endpoint(parsing: text) else { return text }
    if ["", "0.0.0.0", "::"].contains(endpoint.host) { endpoint.host = host }
    return endpoint.description
  }

  private static func mode(_ name: String, _ proxy: JSON) -> ProxyMode {
    proxy["mode"]?.string.flatMap(ProxyMode.init) ?? .tcp
  }

  // MARK: The variables that other programs know

  /// Both spellings: curl reads `http_proxy` in small letters alone, others prefer capitals.
  private mutating func set(_ name: String, _ value: String) {
    child.values[name] = value
    child.values[name.lowercased()] = value
  }

  /// What the caller had set would lead past the daemon.
  private mutating func setForwardProxies(http: String?, socks: String?) {
    guard http != nil || socks != nil else { return }
    for name in ["HTTP_PROXY", "HTTPS_PROXY"] {
      if let http { set(name, "http://\(http)") } else { child.removed.formUnion([name, name.lowercased()]) }
    }
    // Names are looked up by the daemon ("h"), which charges the profile's delay for it.
    if let socks { set("ALL_PROXY", "socks5h://\(socks)") } else if let http { set("ALL_PROXY", "http://\(http)") }
  }

  /// Only these: what else is on this machine is to be conditioned like all the rest.
  private mutating func exempt(_ addresses: [String]) {
    let before = ["NO_PROXY", "no_proxy"].compactMap(ThisProcess.environment)
      .flatMap { $0.split(separator: ",").map { String($0.drop { $0 == " " }) } }
    var known: Set<String> = []
    set("NO_PROXY", (before + addresses).filter { known.insert($0).inserted }.joined(separator: ","))
  }
}
