/// An option of a command, as the parser and the help text know it.
struct OptionSpec: Sendable {
  /// toxiproxy-server's flags are taken as it takes them: with one dash or two, `=true` behind a switch, and of several
  /// the last counts. Those that are its alone stand in a paragraph of the help and not in the list.
  enum Origin: Sendable { case ours, both, toxiproxy }

  /// With its dashes: `--profile`.
  let name: String
  /// Other spellings, with their dashes. The help shows those of one letter.
  var aliases: [String] = []
  /// What its value is called in the help; nil for a switch.
  var value: String?
  /// What its value is.
  var kind = ValueKind.text
  var isRepeatable = false
  var origin = Origin.ours
  /// In the help limits stand behind all else.
  var isLimit = false
  let help: String
}

/// What a command takes besides options, at one place or from there on.
struct OperandSpec: Sendable {
  /// In capitals: `PROXY`.
  let name: String
  var isOptional = false
  /// Only the last one can be.
  var isRepeatable = false
  var kind = ValueKind.text

  static func one(_ name: String, _ kind: ValueKind = .text) -> OperandSpec { OperandSpec(name: name, kind: kind) }
  static func optional(_ name: String, _ kind: ValueKind = .text) -> OperandSpec {
    OperandSpec(name: name, isOptional: true, kind: kind)
  }
  /// At least one.
  static func several(_ name: String, _ kind: ValueKind = .text) -> OperandSpec {
    OperandSpec(name: name, isRepeatable: true, kind: kind)
  }
  /// None, or several.
  static func any(_ name: String, _ kind: ValueKind = .text) -> OperandSpec {
    OperandSpec(name: name, isOptional: true, isRepeatable: true, kind: kind)
  }

  /// The command line of another program, which stands behind `--` and is taken as it is.
  static let command = OperandSpec(name: "-- COMMAND", isRepeatable: true, kind: .command)

  /// As it stands in a usage line: `[FILE]`, `NAME...`.
  var usage: String {
    let text = isRepeatable ? "\(name)..." : name
    return isOptional ? "[\(text)]" : text
  }
}

/// One command of the binary: the tree of these is all there is to know about the command line.
struct Command: Sendable {
  /// All words of it: `proxies create`. Empty for the root.
  let name: String
  /// Other spellings of its last word.
  var aliases: [String] = []
  let summary: String
  var operands: [OperandSpec] = []
  var options: [OptionSpec] = []
  /// Longer explanation, below the options.
  var details = ""
  var subcommands: [Command] = []
  let run: @Sendable (Arguments) throws(CommandError) -> Void

  /// What `headwind` is without a command.
  static let root = Command(
    name: "", summary: "headwind: a proxy that makes TCP connections as bad as a mobile network",
    options: [.control, .tokenFile, .json],
    subcommands: [
      serve, run, with, use, leases, status, proxies, toxics, rules, sessions, events, limits, assert, reset, populate,
      profiles, wait, checkConfig, demo, selfTest, man, completions,
    ],
    run: { arguments throws(CommandError) in throw missing(behind: arguments) })

  /// A command of several. Without the name of one of them it is the first.
  static func group(name: String, aliases: [String] = [], summary: String, of subcommands: [Command]) -> Command {
    let first = subcommands[0]
    return Command(
      name: name, aliases: aliases, summary: summary, operands: first.operands, options: first.options,
      subcommands: subcommands, run: first.run)
  }

  /// Known by every command.
  static let common: [OptionSpec] = [
    OptionSpec(name: "--help", aliases: ["-h"], origin: .both, help: "Show this help."),
    OptionSpec(name: "--version", origin: .both, help: "Show the version."),
  ]

  func option(_ name: String) -> OptionSpec? {
    (options + Command.common).first { $0.name == name || $0.aliases.contains(name) }
  }

  /// The option that a word of the command line is: toxiproxy-server's may have one dash.
  func option(of word: String) -> OptionSpec? {
    option(word) ?? option("-" + word).flatMap { $0.origin == .ours ? nil : $0 }
  }

  var operandCount: ClosedRange<Int> {
    let isOpen = operands.last?.isRepeatable ?? false
    return operands.count { !$0.isOptional }...(isOpen ? .max : operands.count)
  }

  /// What is typed to call it.
  var invocation: String { name.isEmpty ? "headwind" : "headwind \(name)" }

  /// The last word of the name.
  var word: String { name.split(separator: " ").last.map(String.init) ?? "" }
}

extension OptionSpec {
  static let control = OptionSpec(
    name: "--control", value: "URL",
    help: """
      Control address of the daemon, such as http://127.0.0.1:8474, or unix:PATH (default: $HEADWIND_URL, else the former).
      """)
  static let json = OptionSpec(name: "--json", help: "Print JSON; errors, too, on standard error.")
  static let profileDirectories = OptionSpec(
    name: "--profiles", aliases: ["--profiles-dir"], value: "DIR", kind: .directory, isRepeatable: true,
    help: "Directory of profiles (*.json) that come before the built-in ones (default: $HEADWIND_PROFILES).")
}
