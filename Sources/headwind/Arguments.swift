import Settings

/// A command line, taken apart: options in any order, `--name value` or `--name=value`, `--` ends them. Where a command
/// takes toxiproxy-server's flags, those may have one dash.
struct Arguments {
  let command: Command
  private(set) var operands: [String] = []
  /// Those of the operands that stand behind `--`.
  private(set) var wordsBehindDashes: [String] = []
  private var values: [String: [String]] = [:]

  init(_ words: [String], for command: Command) throws(CommandError) {
    self.command = command
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        wordsBehindDashes = Array(rest)
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      try take(word, &rest)
    }
    guard !has("--help"), !has("--version") else { return }
    try checkOperands()
  }

  /// The last value given for an option.
  func value(_ name: String) -> String? { values[name]?.last }
  func all(_ name: String) -> [String] { values[name] ?? [] }
  func has(_ name: String) -> Bool { values[name] != nil }

  func usage(_ message: String) -> CommandError { .usage(message, command: command.name) }

  private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(CommandError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let option = try option(parts[0])
    let name = option.name
    guard let what = option.value else { return try takeSwitch(option, parts) }
    guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
      throw usage("option \(name) needs a value: \(name) \(what)")
    }
    guard option.isRepeatable || option.origin != .ours || values[name] == nil else {
      throw usage("option \(name) is given twice")
    }
    values[name, default: []].append(value)
  }

  private func option(_ word: String) throws(CommandError) -> OptionSpec {
    if let option = command.option(of: word) { return option }
    let known = (command.options + Command.common).map(\.name)
    if let near = nearest(to: word, among: known) { throw usage("unknown option \(word); did you mean \(near)?") }
    guard let owners = Command.ownersText(of: word) else { throw usage("unknown option \(word)") }
    throw usage(
      command.name.isEmpty
        ? "a command is missing: \(word) is an option of \(owners)" : "unknown option \(word); it is one of \(owners)")
  }

  private mutating func takeSwitch(_ option: OptionSpec, _ parts: [String]) throws(CommandError) {
    guard parts.count == 2 else {
      values[option.name] = []
      return
    }
    guard option.origin != .ours else { throw usage("option \(option.name) takes no value") }
    guard let isOn = ServerFlags.bool(parts[1]) else {
      throw usage("\(option.name) is \"\(parts[1])\"; allowed: true or false")
    }
    values[option.name] = isOn ? [] : nil
  }

  private func checkOperands() throws(CommandError) {
    guard command.operands.last?.kind != .command else { return try checkCommand() }
    let required = command.operands.filter { !$0.isOptional }
    if operands.count < required.count {
      throw usage("missing: \(required[operands.count...].map(\.usage).joined(separator: " "))")
    }
    if operands.count > command.operandCount.upperBound {
      throw usage("unexpected argument \"\(operands[command.operandCount.upperBound])\"")
    }
    if let place = operands.firstIndex(of: "") {
      throw usage("\(command.operands[min(place, command.operands.count - 1)].name) is empty")
    }
  }
}

// MARK: Commands in a command

extension Arguments {
  /// What stands before `--` is this program's, and all behind it another one's.
  private func checkCommand() throws(CommandError) {
    let own = operands.dropLast(wordsBehindDashes.count)
    let wanted = command.operands.dropLast()
    if own.count > wanted.count {
      throw usage("unexpected argument \(quoted(own[wanted.count])); the command stands behind --")
    }
    if own.count < wanted.count { throw usage("missing: \(wanted[own.count].usage)") }
    if let place = own.firstIndex(of: "") { throw usage("\(wanted[place].name) is empty") }
    if wordsBehindDashes.isEmpty { throw usage("missing: \(OperandSpec.command.usage)") }
    if wordsBehindDashes[0].isEmpty { throw usage("COMMAND is empty") }
  }
}

// MARK: Typed values

extension Arguments {
  func wholeNumber(_ name: String, in range: ClosedRange<UInt64> = 0...UInt64.max) throws(CommandError) -> UInt64? {
    guard let text = value(name) else { return nil }
    guard let number = UInt64(text), range.contains(number) else {
      throw usage("\(name) is \"\(text)\"; allowed: a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// One of the words of `type`, which the option's kind lists, too.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of type: Choice.Type
  ) throws(CommandError) -> Choice? where Choice.RawValue == String {
    guard let text = value(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let allowed = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw usage("\(name) is \(quoted(text)); allowed: \(allowed)")
    }
    return choice
  }

  func duration(_ name: String) throws(CommandError) -> Duration? {
    guard let text = value(name) else { return nil }
    do {
      return try DurationText.parse(text)
    } catch {
      throw usage("\(name) \(error.message)")
    }
  }
}
