/// Help texts, made from the command table.
enum Help {
  static func text(for command: Command) -> String {
    var parts = [command.summary, usage(of: command)]
    if command.subcommands.isEmpty {
      parts.append("Options:\n" + list(options(of: command, areLimits: false), atMost: 30))
      let limits = options(of: command, areLimits: true)
      if !limits.isEmpty { parts.append("Limits (headwind limits tells their use):\n" + list(limits, atMost: 32)) }
      if command.options.contains(where: { $0.origin == .toxiproxy }) {
        parts.append(wrapped(serverFlags, first: "", indent: 0))
      }
      if !command.details.isEmpty { parts.append(command.details) }
    } else {
      parts.append(
        "Commands:\n" + list(command.subcommands.map { (synopsis($0, in: command), $0.summary) }, atMost: 48))
      parts.append(outlook(of: command))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func usage(of command: Command) -> String {
    if command.name.isEmpty { return "Usage: headwind COMMAND [options]" }
    if !command.subcommands.isEmpty { return "Usage: \(command.invocation) [COMMAND] [options] ..." }
    let operands = command.operands.map { " \($0.usage)" }.joined()
    return "Usage: \(command.invocation) [options]\(operands)"
  }

  /// A command in the list of those of a group; the overview has names alone.
  private static func synopsis(_ command: Command, in group: Command) -> String {
    group.name.isEmpty ? command.word : ([command.word] + command.operands.map(\.usage)).joined(separator: " ")
  }

  private static func outlook(of group: Command) -> String {
    if group.name.isEmpty {
      let statuses = ExitStatus.allCases.map { "\($0.rawValue) \($0.word)" }.joined(separator: ", ")
      return "`headwind COMMAND --help` tells more, `headwind man` prints all of it. Exit status: \(statuses)."
    }
    return "Without a command: \(group.subcommands[0].word). `\(group.invocation) COMMAND --help` tells more."
  }

  private static func options(of command: Command, areLimits: Bool) -> [(String, String)] {
    let all = command.options + Command.common
    return all.filter { $0.origin != .toxiproxy && $0.isLimit == areLimits }.map { option in
      let short = option.aliases.filter { $0.count == 2 }
      let names = (short + [option.name]).joined(separator: ", ")
      return (names + (option.value.map { " \($0)" } ?? "") + (option.isRepeatable ? " ..." : ""), option.help)
    }
  }

  /// A paragraph about them.
  static var serverFlags: String {
    let flags = Command.serverFlags.map { "-" + $0.name.drop { $0 == "-" } + ($0.value.map { " \($0)" } ?? "") }
    return """
      The flags of toxiproxy-server are taken too, with one dash or two: \(flags.joined(separator: ", ")). \
      -host and -port are the two halves of --control; metrics are always on. Started under the name \
      \(ToxiproxyServer.name), by a symbolic link for instance, headwind takes these alone and behaves as that does.
      """
  }

  /// What toxiproxy-server's -help shows.
  static var serverUsage: String {
    let names = Command.serverFlags.map { "-" + $0.name.drop { $0 == "-" } + ($0.value.map { " \($0)" } ?? "") }
    let flags = list(Array(zip(names, Command.serverFlags.map(\.help))), atMost: 30)
    return "Usage of \(ToxiproxyServer.name):\n" + flags + "\n"
  }

  // MARK: Layout

  private static func list(_ entries: [(name: String, text: String)], atMost limit: Int) -> String {
    let width = min(entries.map(\.name.count).max() ?? 0, limit)
    return entries.map { wrapped($0.text, first: "  \(padded($0.name, width))  ", indent: width + 4) }
      .joined(separator: "\n")
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Breaks a paragraph at 100 columns; what follows the first line is indented.
  private static func wrapped(_ text: String, first: String, indent: Int) -> String {
    var lines = [first]
    for word in text.split(separator: " ") {
      let isStart = lines[lines.count - 1].allSatisfy { $0 == " " } || lines[lines.count - 1] == first
      if lines[lines.count - 1].count + word.count + 1 > 100, !isStart {
        lines.append(String(repeating: " ", count: indent) + word)
      } else {
        lines[lines.count - 1] += isStart ? String(word) : " \(word)"
      }
    }
    return lines.joined(separator: "\n")
  }
}
