import Reactor
import Settings

extension Command {
  static let selfTest = Command(
    name: "selftest",
    summary: "Measure on this machine what a profile promises, and say whether it is kept.",
    operands: [.optional("PROFILE", .name(.profiles))],
    options: [
      .profileDirectories,
      OptionSpec(
        name: "--seconds", value: "N",
        help: "How long to measure, about: 2 to 600 (default: 30). A slow profile takes longer than a small number."),
      OptionSpec(name: "--quick", help: "As short as it can be: --seconds 5, and fewer runs of the model."),
      OptionSpec(name: "--seed", value: "N", help: "Seed of every decision by chance (default: random)."),
      OptionSpec(
        name: "--svg", value: "FILE", kind: .file,
        help: "Draw how the bytes of new connections arrived, over what the model says; - is standard output."),
      .json,
    ],
    details: """
      Server, proxy and clients all run in this one process, over real sockets of 127.0.0.1. PROFILE is 3g if none is
      given. Measured are the round trip and how it varies, new connections, the rate down and up, and what four
      connections share; of a profile whose toxics drop connections how many requests fail, and how. What is promised
      comes from the profile's numbers: by a formula where one is exact, else by the model of its path in virtual time,
      over many seeds. Each step of a timeline is tested as a path of its own, which stays.

      The exit status is 0 when all passed and 1 when something failed; 130 when Control-C ended it.

      Examples:
        headwind selftest lte --svg lte.svg
        headwind selftest edge --quick --json
      """,
    run: { arguments throws(CommandError) in
      let options = try SelfTestOptions(arguments)
      ThisProcess.exit(try options.run())
    })
}
