extension ProxySpec {
  static let keys = ["name", "listen", "upstream", "mode", "enabled", "profile", "toxics"]

  /// In one text; the daemon may be told to hold fewer.
  package static let maximumCount = Limit.proxies.mostEver

  /// Reads the strict form of config files.
  static func native(_ value: JSON, source: String, path: String) throws(SettingsError) -> ProxySpec {
    let fields = try Fields(value, source: source, path: path)
    try fields.refuseUnknownKeys(keys)
    let listen = try fields.string("listen") ?? ""
    if let problem = Endpoint.problem(in: listen) {
      throw SettingsError(source: source, field: fields.pathOf("listen"), message: "is wrong: \(problem)")
    }
    let toxics = try ToxicSpec.nativeList(fields, atMost: ToxicSpec.maximumOfProxy, absentStream: .classic)
    let name = try fields.nonEmpty("name")
    let mode = try fields.choice("mode", of: ProxyMode.self)
    return ProxySpec(
      name: name, listen: listen, upstream: try fields.upstream(of: mode ?? .tcp), mode: mode,
      enabled: try fields.bool("enabled"), profile: try fields.profileName("profile"),
      toxics: toxics?.map(\.hiddenFromOldClients))
  }

  static func nativeList(_ elements: [JSON], source: String, path: String) throws(SettingsError) -> [ProxySpec] {
    var proxies: [ProxySpec] = []
    var names: Set<String> = []
    for (index, element) in elements.enumerated() {
      let proxy = try native(element, source: source, path: "\(path)[\(index)]")
      guard names.insert(proxy.name).inserted else {
        throw SettingsError(
          source: source, field: "\(path)[\(index)].name",
          message: "is \(JSON.string(proxy.name).excerpt); allowed: a name that no other proxy here has")
      }
      proxies.append(proxy)
    }
    return proxies
  }
}

extension Fields {
  fileprivate func nonEmpty(_ key: String) throws(SettingsError) -> String {
    guard let text = try string(key), !text.isEmpty else { throw refusal(key, allowed: "a string that is not empty") }
    return text
  }

  /// A config file names its upstream in full: without a port every connection would fail.
  fileprivate func upstream(of mode: ProxyMode) throws(SettingsError) -> String {
    if mode.isForward { return try forwardUpstream(of: mode) }
    if value("upstream") == .string(ProxyMode.anyUpstream) {
      throw refusal("upstream", allowed: "HOST:PORT, or mode \"http\" or \"socks\" beside it")
    }
    let text = try nonEmpty("upstream")
    if let problem = Endpoint.problem(in: text) {
      throw SettingsError(source: source, field: pathOf("upstream"), message: "is wrong: \(problem)")
    }
    return text
  }

  /// What stands for the upstream of a forward proxy: left out, or said to be any.
  func forwardUpstream(of mode: ProxyMode) throws(SettingsError) -> String {
    let text = try string("upstream") ?? ""
    guard ["", ProxyMode.anyUpstream].contains(text) else {
      throw refusal(
        "upstream",
        allowed: "\"\(ProxyMode.anyUpstream)\" or nothing, because clients of mode \"\(mode.rawValue)\" name theirs")
    }
    return ProxyMode.anyUpstream
  }

  /// The name of a profile, which need not exist yet.
  func profileName(_ key: String) throws(SettingsError) -> String? {
    guard let name = try string(key) else { return nil }
    guard Profile.isName(name.lowercased()) else { throw refusal(key, allowed: "the name of a profile") }
    return name
  }
}

extension ToxicSpec {
  /// Hidden where an old client that lists the toxics would stop at this one: toxics of config files.
  var hiddenFromOldClients: ToxicSpec {
    var copy = self
    copy.isHidden = !type.isClassic
    return copy
  }
}
