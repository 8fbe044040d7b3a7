/// An option of a command, as the parser and the help text know it.
struct OptionSpec: Sendable {
  /// With its dashes: `--profile`.
  let name: String
  /// What its value is called in the help; nil for a switch.
  var value: String?
  var isRepeatable = false
  let help: String
}

/// One command of the binary: the table of these is all there is to know about the command line.
struct Command: Sendable {
  let name: String
  let summary: String
  /// What stands behind the options, for the usage line.
  var operands = ""
  var operandCount: ClosedRange<Int> = 0...0
  var options: [OptionSpec] = []
  /// Longer explanation, below the options.
  var details = ""
  let run: @Sendable (Arguments) throws(CommandError) -> Void

  static let all: [Command] = [serve, use, status, profiles, wait, checkConfig, demo]

  /// Known by every command.
  static let common: [OptionSpec] = [
    OptionSpec(name: "--help", help: "Show this help."),
    OptionSpec(name: "--version", help: "Show the version."),
  ]

  static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  func option(_ name: String) -> OptionSpec? { (options + Command.common).first { $0.name == name } }
}

extension OptionSpec {
  static let control = OptionSpec(
    name: "--control", value: "URL",
    help: "Control address of the daemon, such as http://127.0.0.1:8474 (default: $HEADWIND_URL, else that).")
  static let json = OptionSpec(name: "--json", help: "Print JSON.")
  static let profileDirectories = OptionSpec(
    name: "--profiles", value: "DIR", isRepeatable: true,
    help: "Directory of profiles (*.json) that come before the built-in ones (default: $HEADWIND_PROFILES).")
}
