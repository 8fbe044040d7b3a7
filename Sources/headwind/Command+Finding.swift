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
        try command.requireKnownOptions(before: place, in: rest)
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

  /// In a group, an option may be one of any of its commands; they agree on what takes a value. Before the first word of
  /// a name it may be anybody's, and counts as those do that agree.
  private func takesValue(_ option: String) -> Bool {
    let owners = whole.compactMap { $0.option(of: option) }
    return !owners.isEmpty && owners.allSatisfy { $0.value != nil }
  }

  /// What looks like a command may be the value of an option that nobody has.
  private func requireKnownOptions(before place: Int, in words: [String]) throws(CommandError) {
    for word in words[..<place] where word.hasPrefix("-") {
      let option = String(word.prefix { $0 != "=" })
      if !whole.contains(where: { $0.option(of: option) != nil }) {
        throw .usage("unknown option \(option)", command: name)
      }
    }
  }

  /// This command and all below it.
  private var whole: [Command] { [self] + subcommands.flatMap(\.whole) }

  /// The commands that have an option of this name; of those of a group the group, if all do.
  private static func owners(of option: String) -> [Command] {
    root.subcommands.flatMap { command in
      let owners = command.whole.filter { owner in
        owner.option(of: option).map { found in !common.contains { $0.name == found.name } } ?? false
      }
      return owners.contains { $0.name == command.name } ? [command] : owners
    }
  }

  /// As they are called, the first of them; nil where nobody has it.
  static func ownersText(of option: String) -> String? {
    let owners = owners(of: option).map(\.invocation)
    guard !owners.isEmpty else { return nil }
    return owners.prefix(3).joined(separator: ", ") + (owners.count > 3 ? " and others" : "")
  }

  /// What is to be said where options stand alone.
  static func missing(behind arguments: Arguments) -> CommandError {
    let given = arguments.command.options.first { arguments.has($0.name) }?.name
    let whose = given.flatMap { option in ownersText(of: option).map { ": \(option) is an option of \($0)" } }
    return .usage("a command is missing\(whose ?? "")", command: nil)
  }

  func unknownSubcommand(_ word: String) -> CommandError {
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
