import Testing

@testable import headwind

/// The completion scripts have the whole tree; what they make of it, scripts/check-manual tries in the shells.
struct CompletionTests {
  private static let scripts = Shell.allCases.map { ($0, $0.script) }

  @Test(arguments: CommandTreeTests.all)
  func everyCommandAndOptionIsInEachScript(command: Command) throws {
    for (shell, script) in Self.scripts {
      let (words, options, values) = try Self.parts(of: script, shell, command.name)
      for sub in command.subcommands {
        #expect(words.contains(sub.word), "\(shell) \(sub.name)")
        for word in [sub.word] + sub.aliases {
          #expect(script.contains("'\(command.name) \(word)'"), "\(shell) \(command.name) \(word)")
        }
      }
      #expect(options == (command.options + Command.common).map(\.name), "\(shell) \(command.name)")
      let taking = command.options.filter { $0.value != nil }.flatMap { [$0.name] + $0.aliases }
      #expect(Set(taking).isSubset(of: values), "\(shell) \(command.name)")
      let switches = (command.options + Command.common).filter { $0.value == nil }
      #expect(values.isDisjoint(with: switches.map(\.name)), "\(shell) \(command.name)")
    }
  }

  /// What a script says of one command: the words and options that it offers, and which options have a value.
  private static func parts(
    of script: String, _ shell: Shell, _ name: String
  ) throws -> (words: [String], options: [String], values: Set<String>) {
    switch shell {
    case .bash:
      let row = try #require(try match(script, "\n    '\(name)') steps='", "\n"))
      let halves = row.split(separator: "' options='", omittingEmptySubsequences: false)
      return (words(halves[0]), words(halves[1].prefix { $0 != "'" }), posixValues(script, name))
    case .zsh:
      let row = try #require(try match(script, "\n    '\(name)')\n      steps=(", ";;"))
      let halves = row.split(separator: "options=(")
      return (entries(halves[0]), entries(halves[1]), posixValues(script, name))
    case .fish:
      let words = try #require(try match(script, "case 'words \(name)'\n", "case"))
      let options = try #require(try match(script, "case 'options \(name)'\n", "case"))
      let values = script.matches(of: /'([^']*) (-[^ ']+)'/).filter { String($0.1) == name }.map { String($0.2) }
      return (pairs(words), pairs(options), Set(values))
    }
  }

  private static func match(_ text: String, _ start: String, _ end: String) throws -> Substring? {
    guard let found = text.firstRange(of: start) else { return nil }
    let rest = text[found.upperBound...]
    return rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)]
  }

  private static func posixValues(_ script: String, _ name: String) -> Set<String> {
    guard let rows = try? match(script, "\n    '\(name)') case $2 in\n", "*) return") else { return [] }
    let patterns = rows.split(separator: "\n").flatMap { $0.prefix { $0 != ")" }.split(separator: "|") }
    return Set(patterns.map { $0.filter { $0 != " " } })
  }

  private static func words(_ text: Substring) -> [String] { text.split(separator: Character(" ")).map(String.init) }

  private static func entries(_ text: Substring) -> [String] {
    text.split(separator: "\n").compactMap { line in
      line.contains("'") ? String(line.drop { $0 != "'" }.dropFirst().prefix { $0 != ":" }) : nil
    }
  }

  private static func pairs(_ text: Substring) -> [String] {
    text.split(separator: "\n").compactMap { line in
      line.contains(" '") ? String(line.drop { $0 != "'" }.dropFirst().prefix { $0 != "'" }) : nil
    }.filter { !$0.hasPrefix("%") }
  }

  // MARK: Kinds

  static let kinds: [String: Set<ValueKind>] = [
    "FILE": [.file], "PATH": [.file], "DIR": [.directory], "PROFILE": [.name(.profiles)], "PROXY": [.name(.proxies)],
    "TOXIC": [.name(.toxics)], "KEY=VALUE": [.name(.attributes)], "A,B,C": [.names(.profiles)],
    "ID": [.name(.leases), .name(.sessions)],
  ]

  /// What is called the same is the same.
  @Test(arguments: CommandTreeTests.all)
  func aValueIsWhatItIsCalled(command: Command) {
    let values = command.options.map { ($0.value ?? "", $0.kind) } + command.operands.map { ($0.name, $0.kind) }
    for (name, kind) in values {
      if let expected = Self.kinds[name] { #expect(expected.contains(kind), "\(command.name) \(name)") }
    }
    for option in command.options where option.value == nil { #expect(option.kind == .text, "\(option.name)") }
  }

  /// A word that is offered is taken.
  @Test(arguments: CommandTreeTests.all)
  func wordsAreSuchAsACaseOfTheScriptsCanHold(command: Command) {
    let kinds = command.options.map(\.kind) + command.operands.map(\.kind)
    for case .word(let words) in kinds {
      #expect(!words.isEmpty && words.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "_-".contains($0) } })
    }
  }
}
