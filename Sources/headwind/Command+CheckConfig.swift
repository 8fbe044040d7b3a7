import Reactor
import Settings

extension Command {
  /// What says nothing of whether the daemon can start.
  private static let startOnlyOptions = ["--ready-file", "--demo"]

  static let checkConfig = Command(
    name: "check-config",
    summary: "Check a config file and the profiles, without starting anything.",
    operands: [.optional("FILE", .file)],
    options: (serveOptions + limitOptions).filter { !startOnlyOptions.contains($0.name) } + [.json],
    details: """
      Says ok or what `headwind serve --config FILE` would refuse, which needs the same options as that: with
      --allow-remote, say, a control address that other machines can reach is right. The token file is read, and names to
      listen on are looked up; whether their ports are free shows at the start.
      """,
    run: { arguments throws(CommandError) in
      if let file = arguments.operands.first, arguments.has("--config") {
        throw arguments.usage("FILE \(quoted(file)) and --config exclude each other")
      }
      let options = try ServeOptions(arguments, configFile: arguments.operands.first ?? arguments.value("--config"))
      try Daemon(options).check()
      let (config, catalogue) = (options.config, options.catalogue)
      let counts = [
        ("proxies", JSON.integer(Int64(config.proxies.count))), ("profiles", .integer(Int64(catalogue.profiles.count))),
      ]
      if arguments.has("--json") {
        return StandardOutput.write(JSON.object([("ok", true)] + counts).text + "\n")
      }
      let proxies = config.allProxies.count
      StandardOutput.write(
        "ok: \(proxies) \(proxies == 1 ? "proxy" : "proxies"), profile \(config.profile ?? "none"), "
          + "\(catalogue.profiles.count) profiles known\n")
    })
}
