import Conditioning
import Proxying
import Settings

/// What `serve` is to do: the config file with the command line over it.
struct ServeOptions {
  let configFile: String?
  let configForm: ConfigForm
  let config: Config
  let catalogue: ProfileCatalogue
  let profileDirectories: [String]
  var proxies: [ProxySpec]
  /// What the command line says about forward proxies.
  let forwarding: ForwardOptions
  let forward: ForwardSettings
  /// Names of proxies that the command line gives: a reload of the file leaves them alone.
  var givenProxies: Set<String> = []
  var isProfileGiven = false
  var isLogFormatGiven = false
  var isLogLevelGiven = false
  /// The name of the global profile; nil for none.
  var profile: String?
  var control: ControlAddress
  /// Whether command line or config file say where the control API is.
  var isControlGiven = false
  /// The file with the control API's token, as the command line gives it.
  var givenTokenFile: String?
  var seed: UInt64
  /// Event loops, 1 to ``Config/loopsRange``.
  var loops = 1
  /// What command line and config file say about limits.
  var givenLimits = LimitSettings()
  var limits = Limits()
  let logFormat: Log.Format
  var logLevel: Log.Level
  /// What holds where neither the command line nor the config file says anything.
  let defaultLogLevel: Log.Level
  var readyFile: String?
  let allowsRemote: Bool
  /// Whether the API takes names that may be public, when other machines can reach it.
  var takesAnyHostIfRemote = false
  var extraHosts: Set<String> = []
  var isDemo = false
  /// To be told when there is a log.
  let warnings: [String]

  /// Reads everything that can be wrong before anything is opened.
  init(_ arguments: Arguments) throws(CommandError) {
    try self.init(arguments, configFile: arguments.value("--config"))
  }

  init(_ arguments: Arguments, configFile: String?) throws(CommandError) {
    self.configFile = configFile
    configForm = .headwind
    config = try ServeOptions.config(configFile)
    profileDirectories = ServeOptions.directories(arguments)
    catalogue = try ServeOptions.catalogue(profileDirectories, config)
    isDemo = arguments.has("--demo")
    forwarding = try ForwardOptions(arguments)
    proxies = try forwarding.adding(to: ServeOptions.proxies(arguments, config), config, arguments)
    givenProxies = Set(arguments.all("--proxy").map { String($0.prefix { $0 != "=" }) })
      .union(forwarding.proxies.map(\.name))
    isProfileGiven = arguments.has("--profile")
    isLogFormatGiven = arguments.has("--log-format")
    isLogLevelGiven = arguments.has("--log-level")
    profile = arguments.value("--profile") ?? config.profile
    control = try ServeOptions.control(arguments, config)
    isControlGiven = ["--control", "--host", "--port"].contains(where: arguments.has) || config.control != nil
    givenTokenFile = arguments.value("--token-file")
    seed = try arguments.wholeNumber("--seed") ?? config.seed ?? .random(in: 0..<(1 << 53))
    let loopsRange = UInt64(Config.loopsRange.lowerBound)...UInt64(Config.loopsRange.upperBound)
    loops = try arguments.wholeNumber("--loops", in: loopsRange).map { Int($0) } ?? config.loops ?? 1
    givenLimits = try LimitSettings(arguments, config)
    limits = try ServeOptions.limits(arguments, config, givenLimits)
    logFormat = try ServeOptions.logFormat(arguments, config)
    let variable = LogLevelVariable.read()
    defaultLogLevel = variable.level ?? .info
    logLevel = try ServeOptions.logLevel(arguments, config) ?? defaultLogLevel
    let (forward, oddities) = try forwarding.settings(config, atMost: limits.rules)
    self.forward = forward
    warnings = variable.warnings + oddities
    readyFile = arguments.value("--ready-file")
    allowsRemote = arguments.has("--allow-remote")
    extraHosts = Set(arguments.all("--allow-host").map { $0.lowercased() })
    try ServeOptions.checkProfiles(of: config, from: configFile, catalogue)
    try forwarding.checkProfiles(catalogue)
    if let profile { try failing { () throws(UnknownProfile) in _ = try catalogue.profile(named: profile) } }
  }

  /// Every profile that the config file names must be there; otherwise file and field are told.
  static func checkProfiles(
    of config: Config, from path: String?, _ catalogue: ProfileCatalogue
  ) throws(CommandError) {
    let fields =
      [("profile", config.profile)]
      + config.proxies.enumerated().map { ("proxies[\($0.offset)].profile", $0.element.profile) }
      + config.rules.enumerated().map { ("rules[\($0.offset)].use", $0.element.profile) }
    for case (let field, let name?) in fields {
      do throws(UnknownProfile) {
        _ = try catalogue.profile(named: name)
      } catch {
        throw .failure("\(path ?? "config"): \(field): \(error)")
      }
    }
  }

  static func config(_ path: String?) throws(CommandError) -> Config {
    try ConfigForm.headwind.read(path).config
  }

  /// The profiles of the config file's directories, and over them those of the command line or the environment.
  func catalogue(_ config: Config) throws(CommandError) -> ProfileCatalogue {
    try ServeOptions.catalogue(profileDirectories, config)
  }

  static func catalogue(_ directories: [String], _ config: Config) throws(CommandError) -> ProfileCatalogue {
    try failing { () throws(SettingsError) in
      try ProfileCatalogue(directories: config.profileDirectories + directories)
    }
  }

  /// Directories from the command line, else from the environment (several are separated by colons).
  static func directories(_ arguments: Arguments) -> [String] {
    // Of `run` the option's first name is another one's.
    let given = arguments.all(arguments.command.option("--profiles-dir")?.name ?? "--profiles")
    return given.isEmpty ? Environment.profileDirectories : given
  }

  private static func proxies(_ arguments: Arguments, _ config: Config) throws(CommandError) -> [ProxySpec] {
    var proxies = config.proxies
    var given: Set<String> = []
    for text in arguments.all("--proxy") {
      let proxy = try proxy(text, arguments)
      guard given.insert(proxy.name).inserted else { throw arguments.usage("--proxy \(proxy.name) is given twice") }
      proxies.removeAll { $0.name == proxy.name }
      proxies.append(proxy)
    }
    return proxies
  }

  /// `NAME=LISTEN,UPSTREAM`, or `NAME=UPSTREAM` on a free port.
  private static func proxy(_ text: String, _ arguments: Arguments) throws(CommandError) -> ProxySpec {
    func wrong(_ reason: String) -> CommandError {
      arguments.usage(
        "--proxy is \"\(text.withoutAddressSecrets)\": \(reason); allowed: NAME=LISTEN,UPSTREAM, such as web=127.0.0.1:8080,example.com:80, or NAME=UPSTREAM"
      )
    }
    guard let sign = text.firstIndex(of: "="), sign != text.startIndex else { throw wrong("no name") }
    var addresses = text[text.index(after: sign)...].split(separator: ",", omittingEmptySubsequences: false)
    if addresses.count == 1 { addresses.insert("127.0.0.1:0", at: 0) }
    guard addresses.count == 2 else { throw wrong("more than two addresses behind the name") }
    let (listen, upstream) = (String(addresses[0]), String(addresses[1]))
    if let problem = Endpoint.problem(in: listen) { throw wrong(problem.reason) }
    guard !upstream.isEmpty else { throw wrong("no upstream") }
    if let problem = Endpoint.problem(in: upstream) { throw wrong(problem.reason) }
    return ProxySpec(name: String(text[..<sign]), listen: listen, upstream: upstream)
  }

  private static func limits(
    _ arguments: Arguments, _ config: Config, _ settings: LimitSettings
  ) throws(CommandError) -> Limits {
    var limits = Limits(settings)
    if let time = config.connectTimeoutMilliseconds { limits.connectTimeout = .milliseconds(Double(time)) }
    if let time = config.drainTimeoutMilliseconds { limits.drainTimeout = .milliseconds(Double(time)) }
    if let time = try arguments.duration("--connect-timeout") { limits.connectTimeout = Interval(time) }
    if let time = try arguments.duration("--drain-timeout") { limits.drainTimeout = Interval(time) }
    return limits
  }

  private static func logFormat(_ arguments: Arguments, _ config: Config) throws(CommandError) -> Log.Format {
    try arguments.choice("--log-format", of: LogFormat.self) ?? config.logFormat ?? .auto
  }

  /// Nil when neither says it.
  private static func logLevel(_ arguments: Arguments, _ config: Config) throws(CommandError) -> Log.Level? {
    guard let text = arguments.value("--log-level") else {
      return config.logLevel
    }
    guard let level = Log.Level(word: text) else {
      throw arguments.usage("--log-level is \"\(text)\"; allowed: \(LogLevel.allowed)")
    }
    return level
  }
}

/// Turns any error that says what is wrong into a failed command.
func failing<T, E: Error & CustomStringConvertible>(_ body: () throws(E) -> T) throws(CommandError) -> T {
  do throws(E) {
    return try body()
  } catch {
    throw .failure(error.description)
  }
}
