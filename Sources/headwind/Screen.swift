import Reactor

/// Shows something again and again: on a terminal in place, elsewhere one below the other.
///
/// Nothing about the terminal is changed but what it shows, so ^C may end the process at any moment, as it does by itself.
enum Screen {
  private static let home = "\u{1B}[H"
  private static let clearLine = "\u{1B}[K"
  private static let clearBelow = "\u{1B}[J"
  private static let clear = "\u{1B}[2J"

  /// Until nobody reads any more, or `text` throws.
  ///
  /// - Parameters:
  ///   - isLines: each text is a line for a program.
  ///   - text: what there is to be shown, ending with a line break.
  static func show(
    every milliseconds: UInt32 = 1_000, isLines: Bool, _ text: () throws(CommandError) -> String
  ) throws(CommandError) {
    let isInPlace = !isLines && StandardOutput.isTerminal && Environment.variable(.terminal) != "dumb"
    var isFirst = true
    repeat {
      let text = try text()
      if isInPlace {
        StandardOutput.write((isFirst ? clear : "") + home + fitted(text, to: StandardOutput.terminalSize) + clearBelow)
      } else {
        StandardOutput.write((isFirst || isLines ? "" : "\n") + text)
      }
      isFirst = false
    } while pause(milliseconds)
  }

  /// - Returns: false as soon as nobody reads any more.
  static func pause(_ milliseconds: UInt32) -> Bool {
    var left = milliseconds
    while left > 0, !StandardOutput.isClosed {
      let step = min(left, 100)
      ThisProcess.pause(milliseconds: step)
      left -= step
    }
    return !StandardOutput.isClosed
  }

  /// The lines that there is room for, none longer than the screen is wide.
  static func fitted(_ text: String, to size: (rows: Int, columns: Int)?) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    if let size {
      if lines.count >= size.rows {
        let hidden = lines.count - max(0, size.rows - 2)
        lines = lines.prefix(max(0, size.rows - 2)) + ["… and \(hidden) lines more"]
      }
      lines = lines.map { cut($0, to: size.columns) }
    }
    return lines.map { $0 + clearLine + "\n" }.joined()
  }

  /// Colours take no room.
  private static func cut(_ line: String, to columns: Int) -> String {
    var (shown, kept, isEscape) = (0, "", false)
    for character in line {
      isEscape = isEscape || character == "\u{1B}"
      if isEscape || shown < columns { kept.append(character) }
      if !isEscape { shown += 1 }
      if isEscape, character == "m" { isEscape = false }
    }
    return kept
  }
}

extension OptionSpec {
  static let watch = OptionSpec(
    name: "--watch", help: "Show it again each second, until ^C; with --json one value a line.")
}
