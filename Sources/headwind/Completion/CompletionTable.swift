/// What the completion scripts know: the tree of commands as rows of text, which each shell's script holds as `case`s in its
/// own grammar. All three find the command among the words in the same way, as ``Command/find(_:)`` does.
struct CompletionTable {
  /// A word of a group and the command that it leads to.
  struct Step {
    let group: String
    /// All its spellings, the one that is offered first.
    let words: [String]
    let command: String
    let summary: String
  }

  struct Row {
    let command: String
    let steps: [Step]
    let options: [Option]
    let operands: [OperandSpec]
    /// The options that have values. Before the words of a group are at their end, one of any of its commands may stand there.
    let valued: [Option]
  }

  struct Option {
    /// All spellings, the one that is offered first.
    let names: [String]
    /// Nil for a switch.
    let kind: ValueKind?
    let summary: String
  }

  /// `help` and `version` are words like commands, though none; behind `help` come the words of a command.
  static let help = Step(group: "", words: ["help"], command: "", summary: "Show the help of a command.")

  let rows: [Row]

  init(_ root: Command = .root) {
    rows = root.withAllBelow.map { command in
      Row(
        command: command.name,
        steps: command.subcommands.map { sub in
          Step(
            group: command.name, words: [sub.word] + sub.aliases, command: sub.name, summary: sub.summary.firstSentence)
        }, options: (command.options + Command.common).map(Option.init), operands: command.operands,
        valued: CompletionTable.valued(command))
    }
  }

  private static func valued(_ command: Command) -> [Option] {
    let below = command.name.isEmpty ? [] : command.subcommands.flatMap(\.options)
    var known: Set<String> = []
    return (command.options + below).map(Option.init).filter { $0.kind != nil && known.insert($0.names[0]).inserted }
  }
}

extension CompletionTable.Option {
  fileprivate init(_ option: OptionSpec) {
    let names = [option.name] + option.aliases
    // toxiproxy's flags may have one dash.
    self.names =
      names + (option.origin == .ours ? [] : names.filter { $0.hasPrefix("--") }.map { String($0.dropFirst()) })
    kind = option.value == nil ? nil : option.kind
    summary = option.help.firstSentence
  }
}

extension ValueKind {
  /// As the scripts have it: `word text json`, `name proxies`.
  var code: String {
    switch self {
    case .text: "text"
    case .file: "file"
    case .directory: "directory"
    case .command: "command"
    case .word(let words): "word " + words.joined(separator: " ")
    case .words(let words): "words " + words.joined(separator: " ")
    case .name(let kind): "name \(kind.rawValue)"
    case .names(let kind): "names \(kind.rawValue)"
    }
  }
}

extension Command {
  /// Itself first, then all commands below it in their order.
  var withAllBelow: [Command] { [self] + subcommands.flatMap(\.withAllBelow) }
}

extension String {
  /// What fits beside a word that is offered.
  fileprivate var firstSentence: String {
    let end = [". ", "; "].compactMap { firstRange(of: $0)?.lowerBound }.min()
    let sentence = String(self[..<(end ?? endIndex)])
    return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }

  /// As one word for any of the shells.
  var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
