import Reactor
import Settings

/// What `run` is to do, apart from the daemon.
struct RunPlan {
  /// The command's words, for people; what is executed is taken from the command line as it came.
  let command: [String]
  let specs: [RunSpec]
  var isMatrix: Bool { specs.count > 1 }
  /// Of the first run; nil where a running daemon has its own.
  var seed: UInt64?
  /// That of a daemon which runs already.
  var daemonSeed: UInt64?
  var maxNanoseconds: Int64?
  var isFailFast = false
  var expectsTraffic = false
  var isQuiet = false
  /// Whether what the daemon tells is wanted at all.
  var watches = true
  var reportFile: String?
  var junitFile: String?
  /// The words before the profile, the seed and what belongs to all runs together.
  var commonWords: [String] = []

  static func countersTarget(_ proxy: String) -> String { "/proxies/\(percentEncoded(proxy))/counters" }

  /// The command line that does one of the runs again.
  func repetition(of spec: RunSpec) -> String {
    var words = ["headwind", "run"]
    if let seed = spec.seed { words += ["--seed", "\(seed)"] }
    if let profile = spec.profile { words += ["--profile", profile] }
    if expectsTraffic { words.append("--expect-traffic") }
    return ShellText.line(words + commonWords + ["--"] + command)
  }

  /// The command line that does all of it again.
  var repetition: String {
    guard isMatrix else { return repetition(of: specs[0]) }
    var words = ["headwind", "run"]
    if let seed { words += ["--seed", "\(seed)"] }
    let profiles = RunSummary.all(specs.map { RunResult(spec: $0) }).compactMap(\.profile)
    if !profiles.isEmpty { words += ["--profiles", profiles.joined(separator: ",")] }
    let times = specs.map(\.index).max() ?? 1
    if times > 1 { words += ["--repeat", "\(times)"] }
    words.append(expectsTraffic ? "--expect-traffic" : "--no-expect-traffic")
    return ShellText.line(words + commonWords + ["--"] + command)
  }
}

/// Words as a shell has to be given them.
enum ShellText {
  static func line(_ words: [String]) -> String { words.map(word).joined(separator: " ") }

  static func word(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "@%+=:,./_-".contains(character))
      }
    return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
