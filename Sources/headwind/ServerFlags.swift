extension Command {
  /// toxiproxy-server's flags. `serve` takes them beside its own options; under that name there are no others.
  static let serverFlags: [OptionSpec] = [
    OptionSpec(
      name: "--host", value: "HOST", origin: .toxiproxy,
      help: "Host that the API listens on (default: localhost, the IPv4 one; empty: all interfaces)."),
    OptionSpec(
      name: "--port", value: "PORT", origin: .toxiproxy,
      help: "Port that the API listens on (default: 8474); 0 takes a free one, which the ready line tells."),
    OptionSpec(
      name: "--config", value: "FILE", kind: .file, origin: .both, help: "JSON file: an array of proxies to start with."
    ),
    OptionSpec(
      name: "--seed", value: "N", origin: .both, help: "Seed of every decision by chance (default: random)."),
    OptionSpec(
      name: "--runtime-metrics", origin: .toxiproxy, help: "Taken and without effect: metrics are always on."),
    OptionSpec(
      name: "--proxy-metrics", origin: .toxiproxy, help: "Taken and without effect: metrics are always on."),
    OptionSpec(name: "--version", origin: .both, help: "Show the version."),
    OptionSpec(name: "--help", origin: .both, help: "Show this help."),
  ]
}

/// A command line of toxiproxy-server, read as Go's package flag reads it: one dash or two, `-flag value` or
/// `-flag=value`, of several the last counts, and what stands behind the first word that is no flag is ignored.
struct ServerFlags: Equatable {
  /// What `localhost` stands for, without asking anybody.
  var host = "127.0.0.1"
  var port = "8474"
  var config = ""
  /// Nil: a random one.
  var seed: UInt64?
  var wantsVersion = false

  enum Failure: Error, Equatable {
    /// Help was asked for.
    case help
    case message(String)
  }

  init(_ words: [String]) throws(Failure) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word != "-", word != "--" else { return }
      try take(word, &rest)
    }
  }

  private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(Failure) {
    let text = word.dropFirst(word.hasPrefix("--") ? 2 : 1)
    guard let first = text.first, first != "-", first != "=" else { throw .message("bad flag: \(word)") }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    if name == "help" || name == "h" { throw .help }
    guard let flag = Command.serverFlags.first(where: { $0.name == "--" + name }) else {
      let isOurs = Command.serve.option("--" + name) != nil
      throw .message(
        "unknown flag: -\(name)\(isOurs ? "; under this name there are toxiproxy-server's alone: headwind serve --\(name)" : "")"
      )
    }
    if flag.value == nil {
      let text = parts.count == 2 ? parts[1] : "true"
      guard let isOn = ServerFlags.bool(text) else {
        throw .message("flag -\(name) is \"\(text)\"; allowed: true or false")
      }
      if name == "version" { wantsVersion = isOn }
      return
    }
    guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
      throw .message("flag -\(name) needs a value")
    }
    try set(name, value)
  }

  private mutating func set(_ name: String, _ value: String) throws(Failure) {
    switch name {
    case "host": host = value
    case "port": port = value
    case "config": config = value
    default:
      guard let number = ServerFlags.integer(value) else {
        throw .message("flag -\(name) is \"\(value)\"; allowed: a whole number of 64 bits with a sign")
      }
      seed = UInt64(bitPattern: number)
    }
  }

  /// As Go's `strconv.ParseBool` takes it.
  static func bool(_ text: String) -> Bool? {
    switch text {
    case "1", "t", "T", "true", "TRUE", "True": true
    case "0", "f", "F", "false", "FALSE", "False": false
    default: nil
    }
  }

  /// As Go reads a number whose base its prefix says: `-5`, `0x1F`, `0b11`, `0o17` and `017`; `_` may stand between digits.
  static func integer(_ text: String) -> Int64? {
    let sign = text.prefix { "+-".contains($0) }
    guard sign.count <= 1 else { return nil }
    var digits = text.dropFirst(sign.count).lowercased()[...]
    var radix = 10
    if digits.hasPrefix("0"), digits.count > 1 {
      let letter = digits.dropFirst().first
      radix = letter == "x" ? 16 : letter == "b" ? 2 : 8
      digits = digits.dropFirst(letter.map { "xbo".contains($0) } == true ? 2 : 1)
    }
    var groups = digits.split(separator: "_", omittingEmptySubsequences: false)
    // One may stand behind the prefix, too.
    if radix != 10, groups.count > 1, groups[0].isEmpty { groups.removeFirst() }
    guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isHexDigit) }) else { return nil }
    return Int64(sign + groups.joined(), radix: radix)
  }
}
