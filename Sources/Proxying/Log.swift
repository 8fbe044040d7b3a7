package import Reactor
package import Settings

/// One line a happening, on standard error: text for people, the same for journald, or JSON.
///
/// Ordinary openings and closings of connections are debug; what a person should know is info. A line never waits for
/// whoever reads it: what can't be written is dropped and counted, and as soon as lines get through again, one says how many
/// were not.
package final class Log {
  package typealias Level = LogLevel
  package typealias Format = LogFormat

  package var level: Level { didSet { onChange() } }
  package var format: Format {
    didSet {
      form = Log.form(format)
      onChange()
    }
  }
  /// Called when level or format are other ones.
  var onChange: () -> Void = {}
  /// Lines that were to be written and couldn't be (a pipe that is full or closed, a full disk), since the start.
  package private(set) var droppedLines = 0

  /// Called when a line was dropped and none before it that nobody was told of: somebody is to ``tellOfDroppedLines()`` now
  /// and then until that has been done.
  package var onDrop: (() -> Void)?

  private var form: LogLine.Form
  /// How many of those nobody was told of.
  private var untold = 0
  private let write: (String) -> Bool

  /// - Parameter write: is given whole lines; false when it couldn't take one.
  package init(level: Level = .info, format: Format = .text, write: @escaping (String) -> Bool) {
    self.level = level
    self.format = format
    self.write = write
    form = Log.form(format)
  }

  package convenience init(level: Level = .info, format: Format = .text, write: @escaping (String) -> Void) {
    self.init(level: level, format: format) { (line: String) -> Bool in
      write(line)
      return true
    }
  }

  /// On standard error.
  package convenience init(level: Level = .info, format: Format = .auto, stream: LineWriter = LineWriter()) {
    self.init(level: level, format: format) { (line: String) -> Bool in stream.write(line) }
  }

  private static func form(_ format: Format) -> LogLine.Form {
    switch format {
    case .auto: StandardError.isJournal ? .journal : .text
    case .text: .text
    case .journal: .journal
    case .json: .json
    }
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

  private func emit(_ level: Level, _ message: () -> String, _ fields: () -> [(String, JSON)]) {
    guard level >= self.level, level != .silent else { return }
    pass(LogLine(level, message(), fields()).text(form))
  }

  /// Writes a line that is one already.
  func pass(_ line: String) {
    guard tellOfDroppedLines(), write(line) else {
      droppedLines += 1
      untold += 1
      if untold == 1 { onDrop?() }
      return
    }
  }

  /// Also done before the next line.
  ///
  /// - Returns: false when there is still no room.
  package func tellOfDroppedLines() -> Bool {
    guard untold > 0 else { return true }
    let line = LogLine(.warning, "log lines were dropped: nobody took them", [("count", .integer(Int64(untold)))])
    guard write(line.text(form)) else { return false }
    untold = 0
    return true
  }
}

@available(*, unavailable)
extension Log: Sendable {}
