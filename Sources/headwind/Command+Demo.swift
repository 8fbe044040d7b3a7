import Settings

extension Command {
  /// Those that everybody knows, and what is shown where nobody says: all profiles there are would take many minutes.
  static let demonstrated = ["edge", "3g", "lte", "flaky", "offline"]

  static let demo = Command(
    name: "demo",
    summary: "Fetch 100 kB through some profiles, and show what was expected and what was measured.",
    operands: [.any("PROFILE", .name(.profiles))],
    options: [
      .profileDirectories,
      OptionSpec(name: "--bytes", value: "N", help: "Size of the response, up to 50000000 (default: 100000)."),
      OptionSpec(name: "--seed", value: "N", help: "Seed of every decision by chance (default: random)."),
      .json,
    ],
    details: """
      Daemon, HTTP server and client all run in this one process, on free ports of 127.0.0.1. Profiles without a name
      given: \(demonstrated.joined(separator: ", ")), one after another. A profile that fails by chance is tried 20 times.
      """,
    run: { arguments throws(CommandError) in
      let catalogue = try ServeOptions.catalogue(ServeOptions.directories(arguments), Config())
      let bytes = try arguments.wholeNumber("--bytes") ?? 100_000
      guard bytes <= 50_000_000 else {
        throw arguments.usage("--bytes is \(bytes); allowed: a whole number from 0 to 50000000")
      }
      var profiles: [Profile] = []
      for name in arguments.operands.isEmpty ? demonstrated : arguments.operands {
        profiles.append(try failing { () throws(UnknownProfile) in try catalogue.profile(named: name) })
      }
      let seed = try arguments.wholeNumber("--seed") ?? .random(in: 0..<(1 << 53))
      let demo = try DemoRun(
        profiles: profiles, bytes: Int(bytes), catalogue: catalogue, seed: seed, asJSON: arguments.has("--json"))
      try demo.run()
    })
}
