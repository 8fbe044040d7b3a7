import Reactor

/// Help texts, made from the command table.
enum Help {
  static var overview: String {
    let width = Command.all.map(\.name.count).max() ?? 0
    let commands = Command.all.map { "  \(padded($0.name, width))  \($0.summary)" }
    return """
      headwind: a proxy that makes TCP connections as bad as a mobile network

      Usage: headwind COMMAND [options]

      Commands:
      \(commands.joined(separator: "\n"))

      `headwind COMMAND --help` tells more. Exit status: 0 success, 1 failure, 64 usage.

      """
  }

  static func text(for command: Command) -> String {
    let options = command.options + Command.common
    let names = options.map { $0.name + ($0.value.map { " \($0)" } ?? "") + ($0.isRepeatable ? " ..." : "") }
    let width = min(names.map(\.count).max() ?? 0, 30)
    let lines = zip(names, options).map { name, option in
      wrapped(option.help, first: "  \(padded(name, width))  ", indent: width + 4)
    }
    let operands = command.operands.isEmpty ? "" : " \(command.operands)"
    var text = "\(command.summary)\n\nUsage: headwind \(command.name) [options]\(operands)\n\nOptions:\n"
    text += lines.joined(separator: "\n") + "\n"
    if !command.details.isEmpty { text += "\n\(command.details)\n" }
    return text
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
