import Proxying
import Settings

/// What the command line says about forward proxies. It comes before what the config file says.
struct ForwardOptions {
  /// The proxies that `--http-proxy` and `--socks` make.
  var proxies: [ProxySpec] = []
  var rules: [HostRule] = []
  var via: ViaSource?
  var allowedClients: [IPNetwork] = []

  init() {}

  init(_ arguments: Arguments) throws(CommandError) {
    if let listen = try arguments.read("--http-proxy", ProxySpec.forwardListen).last {
      proxies.append(.httpProxy(listen: listen))
    }
    if let listen = try arguments.read("--socks", ProxySpec.forwardListen).last {
      proxies.append(.socks(listen: listen))
    }
    rules = try arguments.read("--rule", HostRule.init(parsing:))
    via = try arguments.read("--via", ViaSource.init(parsing:)).last
    allowedClients = try arguments.read("--allow-client", IPNetwork.init(parsing:))
  }

  /// All proxies that there are to be.
  ///
  /// - Parameter others: those of the config file's `proxies` and of `--proxy`.
  func adding(
    to others: [ProxySpec], _ config: Config, _ arguments: Arguments
  ) throws(CommandError) -> [ProxySpec] {
    let names = Set(proxies.map(\.name))
    let all = proxies + config.forwardProxies.filter { !names.contains($0.name) }
    for proxy in all where others.contains(where: { $0.name == proxy.name }) {
      let (option, key) = proxy.mode == .socks ? ("--socks", "socks") : ("--http-proxy", "http_proxy")
      throw arguments.usage(
        "another proxy is named \"\(proxy.name)\", as the one that \(names.contains(proxy.name) ? option : key) makes; "
          + "allowed: one proxy of a name")
    }
    return others + all
  }

  /// What holds for all forward proxies, with the config file behind the command line.
  ///
  /// - Returns: the settings, and what was odd about the environment.
  func settings(
    _ config: Config, atMost rulesMax: Int
  ) throws(CommandError) -> (ForwardSettings, warnings: [String]) {
    var settings = ForwardSettings()
    settings.rules = rules + config.rules
    guard settings.rules.count <= rulesMax else {
      throw .failure("\(settings.rules.count) rules in all; allowed: at most \(rulesMax) (\(Limit.rules.flag) sets it)")
    }
    settings.allowedClients = allowedClients + config.allowedClients
    guard let source = via ?? config.via else { return (settings, []) }
    let (via, warnings) = try failing { () throws(SettingsError) in try source.resolve(Environment.variable) }
    settings.via = via
    return (settings, warnings)
  }

  /// Every profile that a rule of the command line names must be there.
  func checkProfiles(_ catalogue: ProfileCatalogue) throws(CommandError) {
    guard let (index, error) = ProxyRegistry.unknownProfile(in: rules, catalogue) else { return }
    throw .failure("--rule \(rules[index]): \(error)")
  }
}

extension Arguments {
  /// The values of an option, each read by `reader`, whose complaint goes on behind the option's name.
  func read<T>(_ name: String, _ reader: (String) throws(SettingsError) -> T) throws(CommandError) -> [T] {
    var values: [T] = []
    for text in all(name) {
      do throws(SettingsError) { values.append(try reader(text)) } catch { throw usage("\(name) \(error.message)") }
    }
    return values
  }
}

extension OptionSpec {
  static let httpProxy = OptionSpec(
    name: "--http-proxy", value: "ADDR",
    help: "A proxy for HTTP clients (HTTPS_PROXY), named http-proxy: HOST:PORT, or PORT of 127.0.0.1, 0 for a free one."
  )
  static let socks = OptionSpec(
    name: "--socks", value: "ADDR", help: "A proxy for SOCKS 5, 4 and 4a clients, named socks; likewise.")
  static let rule = OptionSpec(
    name: "--rule", value: "PATTERN=USE", isRepeatable: true,
    help: """
      What happens to hosts that clients of forward proxies ask for: *.example.com=edge, 10.0.0.0/8=direct, *:25=deny. \
      USE is a profile, direct (no conditions) or deny. The first that matches counts; those of the config file come \
      behind.
      """)
  static let via = OptionSpec(
    name: "--via", value: "URL|env",
    help: """
      The next HTTP proxy on the way of forward proxies: http://[USER:PASSWORD@]HOST[:PORT], port 80 if none is given; \
      env: as HTTPS_PROXY or ALL_PROXY say, and NO_PROXY.
      """)
  static let allowClient = OptionSpec(
    name: "--allow-client", value: "NETWORK", isRepeatable: true,
    help: "Other machines that may use forward proxies, such as 10.0.0.0/8; without it they are on loopback only.")
}
