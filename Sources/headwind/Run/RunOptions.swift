import Conditioning
import Proxying
import Reactor
import Settings

extension RunPlan {
  /// Options that say how the runs are made up and what is told of them; all others belong to each run.
  private static let ofAllRuns: Set<String> = [
    "--seed", "--profile", "--profiles", "--repeat", "--report", "--junit", "--fail-fast", "--quiet",
    "--expect-traffic", "--no-expect-traffic",
  ]

  private static let repetitionsMax: UInt64 = 10_000

  /// - Parameters:
  ///   - profiles: as they are to be run; nil for what the daemon is under anyway.
  ///   - seed: of the first run; each repetition has the next one, the same under every profile.
  init(_ arguments: Arguments, profiles: [String?], seed: UInt64?) throws(CommandError) {
    command = arguments.wordsBehindDashes
    let times = try arguments.wholeNumber("--repeat", in: 1...RunPlan.repetitionsMax) ?? 1
    self.seed = seed
    specs = profiles.flatMap { profile in
      (0..<times).map { place in RunSpec(profile: profile, index: Int(place) + 1, seed: seed.map { $0 &+ place }) }
    }
    maxNanoseconds = try arguments.duration("--max-duration").map { Interval($0).nanoseconds }
    isFailFast = arguments.has("--fail-fast")
    isQuiet = arguments.has("--quiet")
    guard !arguments.has("--expect-traffic") || !arguments.has("--no-expect-traffic") else {
      throw arguments.usage("--expect-traffic and --no-expect-traffic exclude each other")
    }
    expectsTraffic =
      arguments.has("--expect-traffic") || (arguments.has("--profiles") && !arguments.has("--no-expect-traffic"))
    reportFile = arguments.value("--report")
    junitFile = arguments.value("--junit")
    commonWords = arguments.command.options.filter { !RunPlan.ofAllRuns.contains($0.name) }.flatMap { option in
      guard arguments.has(option.name) else { return [String]() }
      guard option.value != nil else { return [option.name] }
      let values = arguments.all(option.name)
      let shown = option.name == OptionSpec.via.name ? values.map(RunPlan.withoutPassword) : values
      return shown.flatMap { [option.name, $0] }
    }
  }

  /// What is told and written is no place for one: `http://***@proxy:3128`.
  static func withoutPassword(_ via: String) -> String {
    guard let end = via.lastIndex(of: "@") else { return via }
    let scheme = via.firstRange(of: "://").map { via[..<$0.upperBound] } ?? ""
    return scheme + "***" + via[end...]
  }

  /// The names after `--profile` and `--profiles`; empty without these.
  static func profileNames(_ arguments: Arguments) throws(CommandError) -> [String] {
    guard let list = arguments.value("--profiles") else { return arguments.all("--profile") }
    guard !arguments.has("--profile") else {
      throw arguments.usage("--profile and --profiles exclude each other")
    }
    let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    var known: Set<String> = []
    for name in names {
      guard !name.isEmpty, known.insert(name).inserted else {
        let reason = name.isEmpty ? "an empty name" : "\(name) twice; --repeat runs each profile several times"
        throw arguments.usage("--profiles is \(quoted(list)): \(reason); allowed: names of profiles, such as 3g,edge")
      }
    }
    return names
  }
}

extension ServeOptions {
  /// Many programs read the hosts of `NO_PROXY` without their ports. So the control API has an address that nothing else
  /// has: left out as a whole, and all servers at 127.0.0.1 are still reached through the forward proxies. Not every
  /// system has more than one (macOS doesn't, unless told to).
  private static var controlHostOfRun: String {
    let own = SocketAddress(literal: "127.0.0.2", port: 0)
    return own.map(Listener.canBind) ?? false ? "127.0.0.2" : "127.0.0.1"
  }

  /// What `run` makes of what is given to it as to `serve`: a daemon that is in nobody's way.
  init(run arguments: Arguments) throws(CommandError) {
    try self.init(arguments)
    control = .tcp(Endpoint(host: ServeOptions.controlHostOfRun, service: "0"))
    // What is dropped and refused here is what is wanted: no lines in between those of the command.
    if !isLogLevelGiven, config.logLevel == nil { logLevel = .error }
    guard !arguments.has("--no-forward") else { return }
    let wanted = [ProxySpec.httpProxy(listen: "127.0.0.1:0"), .socks(listen: "127.0.0.1:0")]
    for proxy in wanted where !proxies.contains(where: { $0.mode == proxy.mode }) {
      guard !proxies.contains(where: { $0.name == proxy.name }) else {
        throw arguments.usage(
          "a proxy is named \(quoted(proxy.name)), as the forward proxy that run makes; --no-forward leaves that out")
      }
      proxies.append(proxy)
    }
  }
}
