import Reactor
package import Settings

// What holds for proxies whose clients name the upstream.
extension ProxyRegistry {
  /// Takes over what forward proxies share.
  package func adopt(_ settings: ForwardSettings) {
    guard settings != forward else { return }
    let hasNewRules = settings.rules != forward.rules
    forward = settings
    guard hasNewRules else { return }
    let count = JSON.integer(Int64(settings.rules.count))
    events.record("rules_changed", [("count", count)])
    log.info("rules changed", [("count", count)])
  }

  /// Live sessions follow at once: to each host applies what is said of it now.
  func forwardSettingsChanged() {
    inOnePass {
      for proxy in proxies where proxy.mode.isForward { refreshConditions(of: proxy) }
    }
  }

  /// The first rule that names a profile which there isn't.
  package static func unknownProfile(
    in rules: [HostRule], _ catalogue: ProfileCatalogue
  ) -> (index: Int, error: UnknownProfile)? {
    for (index, rule) in rules.enumerated() {
      guard let name = rule.profile else { continue }
      do throws(UnknownProfile) { _ = try catalogue.profile(named: name) } catch { return (index, error) }
    }
    return nil
  }

  // MARK: What is refused

  /// Holds what a proxy is to become against what it is.
  ///
  /// - Parameter binding: what it is to listen on, where that is known.
  /// - Throws: `notAllowed`.
  func check(_ spec: ProxySpec, of existing: Proxy?, isEnabled: Bool, binding: Binding?) throws(RegistryError) {
    let mode = existing?.mode ?? spec.mode ?? .tcp
    if let wanted = spec.mode, wanted != mode {
      throw .notAllowed(
        "mode of proxy \(JSON.string(spec.name).excerpt) is \"\(wanted.rawValue)\"; allowed: \"\(mode.rawValue)\", which it was made with"
      )
    }
    guard mode.isForward == (spec.upstream == ProxyMode.anyUpstream) else {
      let allowed =
        mode.isForward
        ? "\"\(ProxyMode.anyUpstream)\", because clients of mode \"\(mode.rawValue)\" name theirs"
        : "HOST:PORT, or for a new proxy mode \"http\" or \"socks\" beside it"
      throw .notAllowed(
        "upstream of proxy \(JSON.string(spec.name).excerpt) is \(JSON.string(spec.upstream).excerpt); allowed: \(allowed)"
      )
    }
    guard isEnabled else { return }
    try checkReach(of: spec.name, mode, binding: binding, address: existing?.localAddress)
  }

  /// What is to be said against a new proxy, before its socket is opened.
  ///
  /// - Parameter binding: what it is to listen on.
  /// - Throws: `notAllowed`.
  package func check(_ spec: ProxySpec, binding: Binding) throws(RegistryError) {
    try check(spec, of: nil, isEnabled: spec.isEnabled, binding: binding)
  }

  /// Never an open proxy: what other machines can reach must know its clients.
  ///
  /// - Parameters:
  ///   - binding: what is to be listened on; nil where it stays as it is.
  ///   - address: what is bound already.
  func checkReach(
    of name: String, _ mode: ProxyMode, binding: Binding?, address: SocketAddress?
  ) throws(RegistryError) {
    guard mode.isForward, forward.allowedClients.isEmpty, let bound = binding?.address ?? address, !bound.isLoopback
    else { return }
    throw .openProxy(name, mode, at: binding?.shown ?? bound.description)
  }

  /// What is to be said against these settings: a forward proxy, none of `changing`, would be open under them.
  package func openProxy(under settings: ForwardSettings, besides changing: [String]) -> RegistryError? {
    guard settings.allowedClients.isEmpty else { return nil }
    for proxy in proxies where proxy.mode.isForward && proxy.isEnabled && !changing.contains(proxy.name) {
      if let address = proxy.localAddress, !address.isLoopback {
        return .openProxy(proxy.name, proxy.mode, at: address.description)
      }
    }
    return nil
  }
}

extension RegistryError {
  fileprivate static func openProxy(_ name: String, _ mode: ProxyMode, at address: String) -> RegistryError {
    .notAllowed(
      "proxy \(JSON.string(name).excerpt) of mode \"\(mode.rawValue)\" would be an open proxy on \(address); "
        + "allowed: a loopback address, or --allow-client NETWORK (allow_clients in the config file)")
  }
}
