/// Text as mdoc(7) takes it. What is written is ASCII, so that no locale matters.
enum Mdoc {
  /// Paragraphs as help texts have them: an empty line parts them, and lines that begin with spaces stand as they are.
  static func prose(_ text: String) -> String {
    var blocks: [String] = []
    for paragraph in text.split(separator: "\n\n") {
      for (place, block) in blocksOf(paragraph).enumerated() {
        let isLiteral = block[0].hasPrefix(" ")
        // A display makes its own room.
        if place == 0, !blocks.isEmpty, !isLiteral { blocks.append(".Pp\n") }
        blocks.append(isLiteral ? literal(block) : sentences(block.joined(separator: " ")))
      }
    }
    return blocks.joined()
  }

  /// Lines that belong together: all as they are, or all running text.
  private static func blocksOf(_ paragraph: Substring) -> [[Substring]] {
    var blocks: [[Substring]] = []
    for line in paragraph.split(separator: "\n") {
      if let last = blocks.last, last[0].hasPrefix(" ") == line.hasPrefix(" ") {
        blocks[blocks.count - 1].append(line)
      } else {
        blocks.append([line])
      }
    }
    return blocks
  }

  private static func literal(_ lines: [Substring]) -> String {
    let indent = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return ".Bd -literal -offset indent\n"
      + lines.map { line(escaped($0.dropFirst(indent), isCode: true)) + "\n" }.joined()
      + ".Ed\n"
  }

  /// Each on a line of its own, as the space behind it depends on that.
  static func sentences(_ text: String) -> String {
    var lines: [String] = [""]
    var isEnd = false
    for word in text.split(separator: " ") {
      if isEnd, word.first?.isLowercase == false { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
      isEnd = [".", "?", "!"].contains { word.hasSuffix($0) }
    }
    return lines.map { wrapped(inline($0)) }.joined()
  }

  /// Source lines are to have at most 80 bytes; where they end makes no difference.
  private static func wrapped(_ sentence: String) -> String {
    var lines: [String] = []
    for word in sentence.split(separator: " ") {
      if let last = lines.last, last.count + word.count < 79 {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(line(String(word)))
      }
    }
    return lines.map { "\($0)\n" }.joined()
  }

  /// Running text, in which backquotes enclose what is typed.
  private static func inline(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part in
      place.isMultiple(of: 2) ? escaped(part, isCode: false) : "\\fB\(escaped(part, isCode: true))\\fP"
    }.joined()
  }

  /// An argument of a macro: never taken for the name of another.
  static func argument(_ text: String) -> String {
    "\\&" + escaped(text, isCode: true).replacing("\"", with: "\\(dq").replacing(" ", with: "\\ ")
  }

  /// A line that begins like a request is none.
  private static func line(_ text: String) -> String {
    text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
  }

  private static func escaped(_ text: some StringProtocol, isCode: Bool) -> String {
    let text = isCode ? String(text) : String(text).replacing("--", with: "\u{2}\u{2}")
    return text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\e"
      // As it is typed: not a hyphen, a quotation mark or an accent.
      case "\u{2}": "\\-"
      case "-" where isCode: "\\-"
      case "'" where isCode: "\\(aq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case " "..."~": String(scalar)
      default: "\\[u\(padded(String(scalar.value, radix: 16, uppercase: true)))]"
      }
    }.joined()
  }

  private static func padded(_ digits: String) -> String {
    String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
