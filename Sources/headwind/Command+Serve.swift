import Settings

extension Command {
  /// What makes a daemon, here and in `run`.
  static let serveOptions: [OptionSpec] = [
    OptionSpec(
      name: "--config", value: "FILE", kind: .file, origin: .both,
      help: "Config file (JSON5): toxiproxy's array of proxies, or an object."),
    OptionSpec(
      name: "--proxy", value: "NAME=LISTEN,UPSTREAM", isRepeatable: true,
      help: """
        A proxy, such as web=127.0.0.1:8080,example.com:80. Port 0 takes a free one; :8080 is every interface. \
        NAME=UPSTREAM listens on a free port of 127.0.0.1.
        """),
    .httpProxy, .socks, .rule, .via, .allowClient,
    OptionSpec(
      name: "--profile", value: "NAME", kind: .name(.profiles), help: "Profile in force from the start (default: none)."
    ),
    .profileDirectories,
    OptionSpec(
      name: "--control", value: "HOST:PORT|unix:PATH",
      help: """
        Where the control API listens (default: 127.0.0.1:8474). A Unix socket is for the user alone that runs the daemon.
        """),
    .servedTokenFile,
    OptionSpec(
      name: "--allow-remote",
      help: "Let the control API listen on an address that other machines can reach, without a token."),
    OptionSpec(
      name: "--allow-host", value: "NAME", isRepeatable: true,
      help: "A public name under which the control API may be asked (it refuses others: DNS rebinding)."),
    OptionSpec(
      name: "--seed", value: "N", origin: .both,
      help: "Seed of every decision by chance; the same seed repeats them (default: random)."),
    OptionSpec(
      name: "--loops", value: "N",
      help: """
        Event loops, each with a thread of its own: proxies are shared out among them; those under a profile's network \
        stay together (default: 1).
        """),
    OptionSpec(name: "--connect-timeout", value: "TIME", help: "How long to try to reach an upstream (default: 10s)."),
    OptionSpec(
      name: "--drain-timeout", value: "TIME",
      help: "How long delayed bytes are still delivered after SIGTERM (default: 5s)."),
    OptionSpec(
      name: "--log-format", value: "FORM", kind: .word(of: LogFormat.self),
      help: """
        Form of the log on standard error: text, journal (text with the priorities of sd-daemon(3)), json, or auto, which \
        is journal under journald and text elsewhere (default: auto).
        """),
    OptionSpec(
      name: "--log-level", value: "LEVEL", kind: .word(LogLevel.names),
      help: "\(LogLevel.names.joined(separator: ", ")) (default: $LOG_LEVEL, else info)."),
    OptionSpec(name: "--ready-file", value: "FILE", kind: .file, help: "Also write the ready line to this file."),
    OptionSpec(
      name: "--demo", help: "Add a proxy named demo before a small HTTP server that answers /bytes/N."),
  ]

  static let serve = Command(
    name: "serve",
    summary: "Run the daemon: accept, condition, forward; and the control API.",
    options: serveOptions + limitOptions + serverFlags.filter { $0.origin == .toxiproxy },
    details: """
      Once every configured listener is bound, one JSON line with the real addresses goes to standard output:
        {"event":"ready","control":"127.0.0.1:8474","proxies":{"web":"127.0.0.1:8080"},…,"pid":4711}
      Options win over the config file. SIGTERM or SIGINT: no more connections, what is delayed is delivered for a
      bounded time, exit 0; a second one ends it at once. SIGHUP: config and profiles are read again; what is wrong
      is refused and changes nothing. Changes of these keys wait for a restart, which the log says:
      \(Config.keysOfTheStart.map(\.key).joined(separator: ", ")), and the limits (max_…).

      Examples:
        headwind serve --proxy web=127.0.0.1:8080,example.com:80 --profile 3g
        curl -X PUT http://127.0.0.1:8474/profile/edge
      """,
    run: { arguments throws(CommandError) in
      let daemon = try Daemon(ServeOptions(arguments))
      try daemon.run()
    })
}
