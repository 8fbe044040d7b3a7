/// How much is logged. The one list of the words for it: of `--log-level`, of `log_level` in config files and of the
/// environment variable `LOG_LEVEL`, which takes numbers, too.
package enum LogLevel: Int, Comparable, CaseIterable, Sendable {
  case debug, info, warning, error, silent

  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }

  /// Our own word first, then those of other programs. A daemon that runs has nothing fatal to tell; why a start fails is
  /// told whatever the level.
  private var words: [String] {
    switch self {
    case .debug: ["debug", "trace"]
    case .info: ["info"]
    case .warning: ["warning", "warn"]
    case .error: ["error"]
    case .silent: ["silent", "disabled", "fatal", "panic"]
    }
  }

  /// In any letter case.
  package init?(word: String) {
    let word = word.lowercased()
    guard let level = LogLevel.allCases.first(where: { $0.words.contains(word) }) else { return nil }
    self = level
  }

  package var name: String { words[0] }

  package static let names = allCases.map(\.name)

  /// As messages and help say what is allowed.
  package static let allowed =
    "\(names.dropLast().joined(separator: ", ")) or \(silent.name) "
    + "(\(allCases.flatMap { $0.words.dropFirst() }.joined(separator: ", ")) are understood too)"
}

/// What a line of the log looks like.
package enum LogFormat: String, CaseIterable, Sendable {
  /// `journal` when standard error is journald's, else `text`.
  case auto
  /// For people: `warning: accepting rests port=80`.
  case text
  /// As `text`, with the priority in front that sd-daemon(3) has in place of the level's name: `<4>accepting rests port=80`.
  case journal
  /// An object a line, with the time.
  case json
}

extension Fields {
  func logLevel(_ key: String) throws(SettingsError) -> LogLevel? {
    guard let found = value(key) else { return nil }
    if case .string(let text) = found, let level = LogLevel(word: text) { return level }
    throw refusal(key, allowed: LogLevel.allowed)
  }
}
