import Settings

extension Command {
  static let demo = Command(
    name: "demo",
    summary: "Fetch 100 kB through each profile, and show what was expected and what was measured.",
    operands: [.any("PROFILE")],
    options: [
      .profileDirectories,
      OptionSpec(name: "--bytes", value: "N", help: "Size of the response, up to 50000000 (default: 100000)."),
      OptionSpec(name: "--seed", value: "N", help: "Seed of every decision by chance (default: random)."),
      .json,
    ],
    details: """
      Daemon, HTTP server and client all run in this one process, on free ports of 127.0.0.1. Profiles without a name
      given: all of them, one after another. A profile that fails by chance is tried 20 times.
      """,
    run: { arguments throws(CommandError) in
      let catalogue = try ServeOptions.catalogue(ServeOptions.directories(arguments), Config())
      let bytes = try arguments.wholeNumber("--bytes") ?? 100_000
      guard bytes <= 50_000_000 else {
        throw arguments.usage("--bytes is \(bytes); allowed: a whole number from 0 to 50000000")
      }
      var profiles: [Profile] = []
      for name in arguments.operands {
        profiles.append(try failing { () throws(UnknownProfile) in try catalogue.profile(named: name) })
      }
      if profiles.isEmpty { profiles = catalogue.profiles }
      let seed = try arguments.wholeNumber("--seed") ?? .random(in: 0..<(1 << 53))
      let demo = try DemoRun(
        profiles: profiles, bytes: Int(bytes), catalogue: catalogue, seed: seed, asJSON: arguments.has("--json"))
      try demo.run()
    })
}
