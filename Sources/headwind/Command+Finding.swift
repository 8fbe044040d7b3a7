import Settings

extension Command {
  /// The command that the words name, and the words that are left for it. Options may stand before and between the words
  /// of the name: `--json proxies create web` is `proxies create` with `--json web`.
  static func find(_ words: [String]) throws(CommandError) -> (command: Command, rest: [String]) {
    var (command, rest) = (root, words)
    while let place = command.operandPlaces(in: rest).first, !command.subcommands.isEmpty {
      if let next = command.subcommand(rest[place]) {
        command = next
        rest.remove(at: place)
      } else if command.operandPlaces(in: rest).count > command.operandCount.upperBound {
        throw command.unknownSubcommand(rest[place])
      } else {
        break
      }
    }
    return (command, rest)
  }

  func subcommand(_ word: String) -> Command? {
    subcommands.first { $0.word == word || $0.aliases.contains(word) }
  }

  /// Where words stand that are neither options nor values of options, as far as that can be told before the command is
  /// known: behind `--` nothing is looked at.
  private func operandPlaces(in words: [String]) -> [Int] {
    var places: [Int] = []
    var isValue = false
    for (place, word) in words.enumerated() {
      if isValue {
        isValue = false
      } else if word == "--" {
        break
      } else if word.hasPrefix("-"), word != "-" {
        isValue = !word.contains("=") && takesValue(word)
      } else {
        places.append(place)
      }
    }
    return places
  }

  /// In a group, an option may be one of any of its commands; they agree on what takes a value.
  private func takesValue(_ option: String) -> Bool {
    let options = name.isEmpty ? options : options + subcommands.flatMap(\.options)
    return options.contains { $0.value != nil && ($0.name == option || $0.aliases.contains(option)) }
  }

  private func unknownSubcommand(_ word: String) -> CommandError {
    let full = name.isEmpty ? word : "\(name) \(word)"
    let names = subcommands.map(\.word)
    var hint = name.isEmpty ? "" : "; known: \(names.joined(separator: ", "))"
    if let near = nearest(to: word, among: names).flatMap(subcommand) {
      hint = "; did you mean \"\(near.name)\"?"
    } else if let below = subcommands.lazy.compactMap({ $0.subcommand(word) }).first {
      hint = "; did you mean \"\(below.name)\"?"
    }
    return .usage("unknown command \"\(full)\"\(hint)", command: name)
  }
}
