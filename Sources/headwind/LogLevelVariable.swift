import Proxying
import Reactor
import Settings

/// The environment variable `LOG_LEVEL`, with the words of ``LogLevel`` and toxiproxy-server's numbers; option and config win over it.
enum LogLevelVariable {
  static let name = EnvironmentVariable.logLevel.rawValue

  /// - Returns: nil when it is unset, empty or not understood; then a warning says what would be.
  static func read() -> (level: Log.Level?, warnings: [String]) {
    guard let text = ThisProcess.environment(name) else { return (nil, []) }
    if let level = level(text) { return (level, []) }
    let allowed = "\(LogLevel.allowed), or a number from -1 to 7"
    return (nil, ["\(name) is \"\(text.prefix(40))\"; allowed: \(allowed); info is used"])
  }

  /// Numbers are those of that server's log library: -1 trace, 0 debug, 1 info, 2 warn, 3 error, 4 fatal, 5 panic, 6 and 7
  /// nothing.
  static func level(_ text: String) -> Log.Level? {
    if let number = Int8(text) {
      switch number {
      case ...0: return .debug
      case 1: return .info
      case 2: return .warning
      case 3: return .error
      default: return .silent
      }
    }
    return Log.Level(word: text)
  }
}
