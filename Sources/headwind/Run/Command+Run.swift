import Reactor
import Settings

extension Command {
  /// Options of `serve` that mean nothing here: the daemon of `run` is nobody else's.
  private static let notOfRun: Set<String> = [
    "--control", "--allow-remote", "--allow-host", "--ready-file", "--profiles", "--drain-timeout", "--demo", "--loops",
    "--log-level",
  ]

  private static let daemonOptions: [OptionSpec] =
    serveOptions.filter { !notOfRun.contains($0.name) } + limitOptions + [
      OptionSpec(
        name: "--profiles-dir", value: "DIR", kind: .directory, isRepeatable: true,
        help: "Directory of profiles (*.json) that come before the built-in ones (default: $HEADWIND_PROFILES)."),
      OptionSpec(
        name: "--log-level", value: "LEVEL", kind: .word(LogLevel.names),
        help: "\(LogLevel.names.joined(separator: ", ")) (default: that of the config file, else error)."),
      OptionSpec(name: "--no-forward", help: "No HTTP and no SOCKS proxy: leave the command's proxy variables alone."),
    ]

  private static let runOptions: [OptionSpec] = [
    OptionSpec(
      name: "--profiles", value: "A,B,C", kind: .names(.profiles),
      help: "Run the command once under each of these profiles."),
    OptionSpec(name: "--repeat", value: "N", help: "Run it so many times under each profile (default: 1)."),
    OptionSpec(name: "--max-duration", value: "TIME", help: "End a run after this long; exit status 124."),
    OptionSpec(name: "--fail-fast", help: "Stop at the first run that fails."),
    OptionSpec(
      name: "--expect-traffic",
      help: """
        A run that sent nothing through a proxy has failed (the default with --profiles), but under a profile that refuses \
        everything.
        """),
    OptionSpec(name: "--no-expect-traffic", help: "It has not."),
    OptionSpec(
      name: "--report", value: "FILE", kind: .file, help: "Write all about the runs as JSON; - is standard output."),
    OptionSpec(
      name: "--junit", value: "FILE", kind: .file, help: "Write the results as JUnit XML; - is standard output."),
    OptionSpec(
      name: "--control", value: "URL",
      help: "Use the daemon that runs there, under a lease, instead of starting one; with --profile or --profiles."),
    OptionSpec(name: "--quiet", help: "Show no progress and no table."),
  ]

  static let run = Command(
    name: "run",
    summary: "Run a command whose traffic is conditioned, once or under several profiles.",
    operands: [.command],
    options: daemonOptions + runOptions,
    details: """
      A daemon of its own on free ports of 127.0.0.1 lives as long as this process. The command finds in its environment:
        HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY, in small letters too   the daemon's forward proxies
        HEADWIND_PROXY_<NAME>                                             HOST:PORT of each proxy
        HEADWIND_URL HEADWIND_PROFILE HEADWIND_SEED                       control API, profile, seed
      It has this process's standard streams and gets its signals. The exit status is the command's (128 + N when signal N
      ended it; 127: not found; 126: can't be executed; 124: --max-duration); of several runs that of the first that failed.
      What it leaves running is ended soon after it (on Linux), also when this process is killed.
      The seed is told at the end, with the command line that does the same again; a repetition has the next seed.

      Examples:
        headwind run --profile 3g -- npm test
        headwind run --proxy api=api.example.com:443 --profiles edge,3g,lte --repeat 3 --junit results.xml -- make check
      """,
    run: { arguments throws(CommandError) in
      let matrix = arguments.has("--control") ? try leasedRun(arguments) : try ownRun(arguments)
      ThisProcess.exit(try matrix.run())
    })

  private static func ownRun(_ arguments: Arguments) throws(CommandError) -> RunMatrix {
    let options = try ServeOptions(run: arguments)
    let names = try RunPlan.profileNames(arguments)
    var profiles: [String?] = []
    for name in names {
      profiles.append(try failing { () throws(UnknownProfile) in try options.catalogue.profile(named: name) }.name)
    }
    if profiles.isEmpty { profiles = [options.profile] }
    let plan = try RunPlan(arguments, profiles: profiles, seed: options.seed)
    return try RunMatrix(plan) { loop throws(CommandError) in OwnHost(loop: loop, options: options) }
  }

  private static func leasedRun(_ arguments: Arguments) throws(CommandError) -> RunMatrix {
    let common = ["--profile", OptionSpec.tokenFile.name]
    for option in daemonOptions where !common.contains(option.name) && arguments.has(option.name) {
      throw arguments.usage("\(option.name) is for a daemon of its own; with --control there is one already")
    }
    let names = try RunPlan.profileNames(arguments)
    guard !names.isEmpty else { throw arguments.usage("--control needs --profile or --profiles") }
    let client = try ControlClient(arguments)
    // None is to be found missing when half of the runs are done.
    for name in names { _ = try client.get("/profiles/\(percentEncoded(name))") }
    var plan = try RunPlan(arguments, profiles: names, seed: nil)
    // Only told; one that doesn't say it can be used all the same.
    let seed = (try? client.get("/healthz"))?["seed"]
    if case .unsigned(let number)? = seed { plan.daemonSeed = number }
    if case .integer(let number)? = seed { plan.daemonSeed = UInt64(exactly: number) }
    return try RunMatrix(plan) { loop throws(CommandError) in
      LeasedHost(
        loop: loop, client: client, proxies: [], command: "run", reason: ShellText.line(plan.command).excerptOfCommand)
    }
  }

  static let with = Command(
    name: "with",
    summary: "Run a command while a running daemon is under a profile.",
    operands: [.one("PROFILE", .name(.profiles)), .command],
    options: [
      .control, .tokenFile,
      OptionSpec(
        name: "--proxy", value: "NAME", kind: .name(.proxies), isRepeatable: true,
        help: "Only this proxy (default: all)."),
    ],
    details: """
      The daemon is under PROFILE by a lease that ends with this process, however that ends (if it is killed: within 15
      seconds); what lies below is in force again then. The command finds HEADWIND_URL, HEADWIND_PROFILE and
      HEADWIND_PROXY_<NAME> in its environment, and HTTP_PROXY and the like if the daemon has forward proxies. It has this
      process's standard streams and gets its signals; the exit status is the command's.

      curl and others leave out the hosts of NO_PROXY whole, not a port alone. A command that is to reach HEADWIND_URL with
      them past a forward proxy needs a daemon at an address of its own, as `run` has one: serve --control 127.0.0.2:8474.

      Example:
        headwind with offline --proxy api -- ./test-offline.sh
      """,
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      var plan = try RunPlan(arguments, profiles: [arguments.operands[0]], seed: nil)
      plan.watches = false
      let matrix = try RunMatrix(plan) { loop throws(CommandError) in
        LeasedHost(
          loop: loop, client: client, proxies: arguments.all("--proxy"), command: "with",
          reason: ShellText.line(plan.command).excerptOfCommand)
      }
      ThisProcess.exit(try matrix.run())
    })
}

extension String {
  /// As much of a command line as tells which it is; leases keep their reasons short.
  fileprivate var excerptOfCommand: String { count > 150 ? "\(prefix(150))…".printable : printable }
}
