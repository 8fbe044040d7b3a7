import Testing

@testable import headwind

/// What must hold for every command of the tree, and how words find theirs.
struct CommandTreeTests {
  static let all = below(.root)

  private static func below(_ command: Command) -> [Command] {
    [command] + command.subcommands.flatMap(below)
  }

  @Test(arguments: all)
  func aNameIsItsGroupsNameAndAWordOfItsOwn(command: Command) {
    for sub in command.subcommands {
      #expect(sub.name == (command.name.isEmpty ? sub.word : "\(command.name) \(sub.word)"))
    }
    let words = command.subcommands.flatMap { [$0.word] + $0.aliases }
    #expect(Set(words).count == words.count, "\(command.name): \(words)")
  }

  @Test(arguments: all)
  func optionsDifferAndAgreeWithinAGroup(command: Command) {
    let names = (command.options + Command.common).flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count, "\(command.name): \(names)")
    var takesValue: [String: Bool] = [:]
    guard !command.name.isEmpty else { return }
    for option in command.subcommands.flatMap(\.options) {
      for name in [option.name] + option.aliases {
        #expect(takesValue[name, default: option.value != nil] == (option.value != nil), "\(command.name) \(name)")
        takesValue[name] = option.value != nil
      }
    }
  }

  @Test(arguments: Command.serve.options)
  func anOptionOfServeWithoutACommandIsTold(option: OptionSpec) throws {
    let names = [option.name] + option.aliases + (option.origin == .ours ? [] : [String(option.name.dropFirst())])
    for name in names {
      let error = #expect(throws: CommandError.self) {
        let (command, rest) = try Command.find(option.value == nil ? [name] : [name, "3"])
        try command.run(Arguments(rest, for: command))
      }
      #expect(error?.message.hasPrefix("a command is missing: \(name) is an option of headwind serve") == true)
    }
  }

  @Test(arguments: all)
  func optionalOperandsComeLast(command: Command) {
    let isOptional = command.operands.map(\.isOptional)
    #expect(isOptional == isOptional.sorted { !$0 && $1 }, "\(command.name)")
    #expect(command.operands.dropLast().allSatisfy { !$0.isRepeatable }, "\(command.name)")
  }

  @Test(arguments: all)
  func theHelpNamesEverything(command: Command) {
    let help = Help.text(for: command)
    #expect(help.hasPrefix(command.summary))
    for sub in command.subcommands { #expect(help.contains("\n  \(sub.word) "), "\(help)") }
    if command.subcommands.isEmpty {
      // toxiproxy's flags are named as it spells them, with one dash.
      for option in command.options {
        #expect(help.contains(option.origin == .toxiproxy ? String(option.name.dropFirst()) : option.name), "\(help)")
      }
    }
    for line in help.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
  }

  // MARK: Finding

  static let findings: [(words: [String], name: String, rest: [String])] = [
    ([], "", []), (["status"], "status", []), (["use", "3g"], "use", ["3g"]),
    (["--json", "status"], "status", ["--json"]),
    (["--control", "status", "use", "3g"], "use", ["--control", "status", "3g"]),
    (["--control=x", "use", "3g"], "use", ["--control=x", "3g"]), (["--bogus"], "", ["--bogus"]),
    (["profiles"], "profiles", []), (["profiles", "--json"], "profiles", ["--json"]),
    (["profiles", "list"], "profiles list", []), (["profiles", "ls"], "profiles list", []),
    (["profiles", "--profiles", "show", "list"], "profiles list", ["--profiles", "show"]),
    (["--json", "profiles", "--control", "x", "show", "3g"], "profiles show", ["--json", "--control", "x", "3g"]),
    (["profiles", "--format", "tc", "export", "3g"], "profiles export", ["--format", "tc", "3g"]),
    (["profiles", "--", "show"], "profiles", ["--", "show"]), (["proxies"], "proxies", []),
    (["proxy", "ls"], "proxies list", []),
    (["leases", "--proxy", "take", "list"], "leases list", ["--proxy", "take"]),
    (["proxies", "-l", "x:1", "create", "web"], "proxies create", ["-l", "x:1", "web"]),
    (["--json", "toxics", "-u", "add", "web"], "toxics add", ["--json", "-u", "web"]),
    (["toxics", "web"], "toxics", ["web"]),
    (["t", "a", "-n", "remove", "web"], "toxics add", ["-n", "remove", "web"]),
  ]

  @Test(arguments: findings)
  func wordsFindTheirCommand(words: [String], name: String, rest: [String]) throws {
    let found = try Command.find(words)
    #expect(found.command.name == name)
    #expect(found.rest == rest)
  }

  static let unknown: [(words: [String], says: String)] = [
    (["statsu"], #"unknown command "statsu"; did you mean "status"?"#), (["xyz"], #"unknown command "xyz""#),
    (["profiles", "shwo", "3g"], #"unknown command "profiles shwo"; did you mean "profiles show"?"#),
    (["profiles", "3g"], #"unknown command "profiles 3g"; known: list, show, export, import"#),
    (["inspect"], #"unknown command "inspect"; did you mean "proxies show"?"#),
    (["create", "web"], #"unknown command "create"; did you mean "proxies create"?"#),
    (["proxies", "web"], #"unknown command "proxies web"; known: list, show, create"#),
    (["toxics", "ad", "web"], #"unknown command "toxics ad"; did you mean "toxics add"?"#),
  ]

  @Test(arguments: unknown)
  func anUnknownWordIsToldWithTheNearest(words: [String], says: String) {
    let error = #expect(throws: CommandError.self) { _ = try Command.find(words) }
    #expect(error?.message.hasPrefix(says) == true, "\(String(describing: error))")
    #expect(error?.exitCode == 64)
  }
}

extension Command: CustomTestStringConvertible {
  public var testDescription: String { invocation }
}
