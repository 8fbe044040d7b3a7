import Reactor
package import Settings

/// One line a happening, on standard error: text for people and journald, or JSON.
///
/// Ordinary openings and closings of connections are debug; what a person should know is info.
package final class Log {
  package enum Level: Int, Comparable, Sendable {
    case debug, info, warning, error, silent

    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }

    /// Names as operators write them, in any letter case.
    package init?(name: String) {
      switch name.lowercased() {
      case "debug", "trace": self = .debug
      case "info": self = .info
      case "warn", "warning": self = .warning
      case "error", "fatal", "panic": self = .error
      case "disabled", "silent": self = .silent
      default: return nil
      }
    }

    var name: String {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      case .silent: "silent"
      }
    }
  }

  package enum Format: String, Sendable { case text, json }

  package var level: Level
  package var format: Format
  private let write: (String) -> Void

  package init(level: Level = .info, format: Format = .text, write: @escaping (String) -> Void = StandardError.write) {
    self.level = level
    self.format = format
    self.write = write
  }

  package func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, JSON)] = []) {
    emit(.debug, message, fields)
  }

  package func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, JSON)] = []) {
    emit(.info, message, fields)
  }

  package func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, JSON)] = []) {
    emit(.warning, message, fields)
  }

  package func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [(String, JSON)] = []) {
    emit(.error, message, fields)
  }

  /// Strings without quotes where nothing can be misread.
  private static func plain(_ value: JSON) -> String {
    guard case .string(let text) = value else { return value.text }
    // What isn't printable ASCII is quoted too: a name from outside must not move a terminal's cursor.
    let isPlain = text.unicodeScalars.allSatisfy { ("!"..."~").contains($0) && $0 != "\"" && $0 != "=" }
    return isPlain && !text.isEmpty ? text : value.text
  }

  private func emit(_ level: Level, _ message: () -> String, _ fields: () -> [(String, JSON)]) {
    guard level >= self.level, level != .silent else { return }
    switch format {
    case .json:
      let head: [(String, JSON)] = [
        ("time", .string(WallTime.now.description)), ("level", .string(level.name)), ("message", .string(message())),
      ]
      write(JSON.object(head + fields()).text + "\n")
    case .text:
      let tail = fields().map { " \($0.0)=\(Log.plain($0.1))" }.joined()
      write("\(level.name): \(message())\(tail)\n")
    }
  }
}

@available(*, unavailable)
extension Log: Sendable {}
