/// What a config file says; nil where it is silent. The command line wins over it.
package struct Config: Hashable, Sendable {
  package var proxies: [ProxySpec] = []
  /// Where a proxy for HTTP clients and one for SOCKS clients listen; they are no part of `proxies`.
  package var httpProxy: String?
  package var socks: String?
  package var rules: [HostRule] = []
  package var via: ViaSource?
  package var allowedClients: [IPNetwork] = []
  /// The global profile.
  package var profile: String?
  /// Directories of profiles, later ones over earlier ones.
  package var profileDirectories: [String] = []
  /// Where the control API listens.
  package var control: ControlAddress?
  /// The file with the token that the control API asks for.
  package var tokenFile: String?
  package var seed: UInt64?
  /// Event loops.
  package var loops: Int?
  package var logFormat: LogFormat?
  package var logLevel: LogLevel?
  package var connectTimeoutMilliseconds: Int64?
  /// How long a stop may go on delivering what is delayed.
  package var drainTimeoutMilliseconds: Int64?
  /// Those whose keys it has.
  package var limits = LimitSettings()

  /// How many event loops there may be.
  package static let loopsRange: ClosedRange<Int> = 1...64

  package init() {}
}

extension Config {
  private static let keys =
    [
      "proxies", "http_proxy", "socks", "rules", "via", "allow_clients", "profile", "profiles", "control",
      "token_file", "seed", "loops", "log_format", "log_level", "connect_timeout_ms", "drain_timeout_ms",
    ] + limitKeys

  /// Reads a config file; directories and files in it are relative to the file.
  package static func load(path: String) throws(SettingsError) -> Config {
    var config = try Config(text: SettingsFile.read(path), source: path)
    let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    config.profileDirectories = config.profileDirectories.map { $0.hasPrefix("/") ? $0 : directory + $0 }
    config.tokenFile = config.tokenFile.map { $0.hasPrefix("/") ? $0 : directory + $0 }
    if !directory.isEmpty { config.control = config.control?.relative(to: String(directory)) }
    return config
  }

  /// Reads JSON5 text: toxiproxy's array of proxies, or an object.
  package init(text: some Sequence<UInt8>, source: String) throws(SettingsError) {
    let value = try JSON.settings(text, source: source)
    if case .array(let elements) = value {
      try self.init(Fields(.object(["proxies": .array(elements)]), source: source), proxiesPath: "proxies")
    } else {
      try self.init(Fields(value, source: source), proxiesPath: "proxies")
    }
  }

  private init(_ fields: Fields, proxiesPath: String) throws(SettingsError) {
    try fields.refuseUnknownKeys(Self.keys)
    let entries = try fields.array("proxies", atMost: ProxySpec.maximumCount, of: "proxies") ?? []
    proxies = try ProxySpec.nativeList(entries, source: fields.source, path: proxiesPath)
    try readForwarding(fields)
    profile = try fields.profileName("profile")
    profileDirectories = try fields.directories("profiles")
    control = try fields.controlAddress("control")
    tokenFile = try fields.path("token_file")
    try refuseSharedAddresses(fields.source)
    seed = try fields.seed("seed")
    loops = try fields.integer("loops", in: Int64(Config.loopsRange.lowerBound)...Int64(Config.loopsRange.upperBound))
      .map { Int($0) }
    logFormat = try fields.choice("log_format", of: LogFormat.self)
    logLevel = try fields.logLevel("log_level")
    connectTimeoutMilliseconds = try fields.integer("connect_timeout_ms", in: 1...3_600_000)
    drainTimeoutMilliseconds = try fields.integer("drain_timeout_ms", in: 0...3_600_000)
    try readLimits(fields)
  }
}

extension Config {
  /// What two of them are to listen on only one of them can have.
  private func refuseSharedAddresses(_ source: String) throws(SettingsError) {
    var listens: [(field: String, text: String)] = [("control", control?.description ?? "")]
    for (index, proxy) in proxies.enumerated() where proxy.enabled != false {
      listens.append(("proxies[\(index)].listen", proxy.listen))
    }
    listens += [("http_proxy", httpProxy ?? ""), ("socks", socks ?? "")]
    var fields: [String: String] = [:]
    for (field, text) in listens {
      guard let endpoint = try? Endpoint(parsing: text), endpoint.port != 0 else { continue }
      if let other = fields.updateValue(field, forKey: endpoint.description) {
        throw SettingsError(
          source: source, field: field,
          message: "is \(JSON.string(text).excerpt); allowed: an address that \(other) doesn't have")
      }
    }
  }
}

extension Fields {
  fileprivate func directories(_ key: String) throws(SettingsError) -> [String] {
    if case .string(let one) = value(key) { return [one] }
    guard let found = value(key) else { return [] }
    guard case .array = found else { throw refusal(key, .shape, allowed: "a directory or an array of directories") }
    return try strings(key, atMost: 64) ?? []
  }

  fileprivate func controlAddress(_ key: String) throws(SettingsError) -> ControlAddress? {
    guard let text = try string(key) else { return nil }
    do {
      return try ControlAddress(parsing: text)
    } catch {
      throw SettingsError(
        source: source, field: pathOf(key), message: "is wrong: \(error); allowed: \(ControlAddress.allowed)")
    }
  }

  fileprivate func path(_ key: String) throws(SettingsError) -> String? {
    guard let text = try string(key) else { return nil }
    guard !text.isEmpty, !text.contains("\0") else { throw refusal(key, allowed: "the path of a file") }
    return text
  }

  fileprivate func seed(_ key: String) throws(SettingsError) -> UInt64? {
    switch value(key) {
    case nil: return nil
    case .integer(let value) where value >= 0: return UInt64(value)
    case .unsigned(let value): return value
    default: throw refusal(key, .shape, allowed: "a whole number from 0 to \(UInt64.max)")
    }
  }
}
