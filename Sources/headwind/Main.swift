import Reactor

/// Finds the command and runs it: 0 for success, 1 for failure, 64 for a command line that can't be understood.
@main
enum Main {
  static func main() {
    FirstStep.takeIfAsked()
    ThisProcess.fillStandardStreams()
    ignoreBrokenPipes()
    let words = Array(CommandLine.arguments.dropFirst())
    let isServer = ToxiproxyServer.isName(of: CommandLine.arguments.first)
    ThisProcess.exit(isServer ? ToxiproxyServer.run(words) : run(words))
  }

  static func run(_ words: [String]) -> Int32 {
    do throws(CommandError) {
      guard let first = words.first else { throw .usage("a command is missing", command: nil) }
      switch first {
      case "--help", "-h", "help":
        StandardOutput.write(try help(Array(words.dropFirst())))
      case "--version", "-version", "version":
        StandardOutput.write("headwind \(VersionText.full)\n")
      default:
        let (command, rest) = try Command.find(words)
        try run(command, rest)
      }
      return 0
    } catch {
      let asJSON = words.prefix { $0 != "--" }.contains("--json")
      StandardError.write(error.text(asJSON: asJSON, forJournal: StandardError.isJournal))
      return error.exitCode
    }
  }

  private static func run(_ command: Command, _ words: [String]) throws(CommandError) {
    let arguments = try Arguments(words, for: command)
    if arguments.has("--help") { return StandardOutput.write(Help.text(for: command)) }
    if arguments.has("--version") { return StandardOutput.write("headwind \(VersionText.full)\n") }
    try command.run(arguments)
  }

  private static func help(_ words: [String]) throws(CommandError) -> String {
    let (command, rest) = try Command.find(words.filter { !$0.hasPrefix("-") })
    if let word = rest.first, !command.subcommands.isEmpty { throw command.unknownSubcommand(word) }
    return Help.text(for: command)
  }
}
