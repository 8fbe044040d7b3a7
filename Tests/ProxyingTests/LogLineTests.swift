import Reactor
import Settings
import Testing

@testable import Proxying

/// What a line of the log looks like, whatever is put into it.
@Suite struct LogLineTests {
  @Test func theJournalGetsAPriorityInPlaceOfTheLevel() {
    var lines: [String] = []
    let log = Log(level: .debug, format: .journal) { (line: String) in lines.append(line) }
    log.debug("d")
    log.info("i", [("n", 7)])
    log.warning("w")
    log.error("e")
    #expect(lines == ["<7>d\n", "<6>i n=7\n", "<4>w\n", "<3>e\n"])
  }

  @Test(arguments: [
    ("a\nb", #"a\nb"#), ("a\r\u{1B}[2Jb", #"a\u000d\u001b[2Jb"#), ("a\u{9B}b\u{85}", #"a\u009bb\u0085"#),
    ("a\u{202E}b\u{2028}", #"a\u202eb\u2028"#), ("\u{E0001}", #"\udb40\udc01"#), ("é…", "é…"),
  ])
  func aMessageIsOneLineThatSteersNothing(_ message: String, _ expected: String) {
    #expect(LogLine(.info, message, []).text(.text) == "info: \(expected)\n")
    #expect(LogLine(.info, message, []).text(.journal) == "<6>\(expected)\n")
  }

  @Test func jsonStaysWhatItSays() throws {
    let text = "a\nb\u{202E}\u{E0001}\u{9B}<é"
    let line = LogLine(.info, "m", [("name", .string(text))]).text(.json)
    #expect(line.unicodeScalars.dropLast().allSatisfy { $0 == "é" || (" "..."~").contains($0) })
    #expect(try JSONReader.read(Array(line.utf8), dialect: .lenient)["name"] == .string(text))
  }

  /// Names may be a megabyte; an array may have thousands of them.
  @Test(arguments: [LogLine.Form.text, .journal, .json])
  func noLineIsLongerThanAPipeTakesAsAWhole(_ form: LogLine.Form) throws {
    var dice = SystemRandomNumberGenerator()
    let texts = ["x", "\n", "\"", "é", "\u{202E}", "\u{1F600}", "\u{E0001}", "<"].flatMap { character in
      [0, 1, 90, 5_000].map { String(repeating: character, count: $0) }
    }
    for _ in 0..<100 {
      func text() -> String { texts.randomElement(using: &dice)! }
      let names = JSON.array((0..<[0, 3, 300].randomElement(using: &dice)!).map { _ in .string(text()) })
      let numbers = JSON.array(Array(repeating: 1_234_567_890_123, count: 1_000))
      let fields: [(String, JSON)] = [
        ("proxy", .string(text())), ("proxies", names), ("numbers", numbers), ("by", .string(text())), ("n", 7),
        ("reason", .string(text())), ("object", .object([(text(), .string(text()))])), ("profile", .string(text())),
      ]
      let line = LogLine(.warning, text(), fields).text(form)
      #expect(line.utf8.count <= LineWriter.lineBytesMax, "\(line.utf8.count): \(line)")
      #expect(line.filter(\.isNewline) == "\n")
      if form == .json { _ = try JSONReader.read(Array(line.utf8), dialect: .lenient) }
    }
  }

  @Test func whatIsCutSaysSo() {
    let name = String(repeating: "x", count: 1_000_000)
    let line = LogLine(.info, "m", [("name", .string(name)), ("n", 7)]).text(.text)
    #expect(line == "info: m name=\"\(String(repeating: "x", count: 1_024))…\" n=7\n")
    let many = LogLine(.info, "m", [("names", .array(Array(repeating: "a", count: 100)))]).text(.json)
    #expect(many.hasSuffix(#""a","… 80 more"]}"# + "\n"))
  }

  // MARK: Lines that nobody takes

  @Test func theFirstLineThatGetsThroughAgainSaysHowManyDidNot() {
    var lines: [String] = []
    var isOpen = true
    let log = Log(level: .info) { (line: String) -> Bool in
      if isOpen { lines.append(line) }
      return isOpen
    }
    log.info("first")
    isOpen = false
    for number in 0..<5 { log.info("lost", [("n", .integer(Int64(number)))]) }
    log.debug("hidden anyway")
    #expect(log.droppedLines == 5)
    isOpen = true
    log.info("again")
    log.info("and again")
    #expect(
      lines == [
        "info: first\n", "warning: log lines were dropped: nobody took them count=5\n", "info: again\n",
        "info: and again\n",
      ])
    #expect(log.droppedLines == 5)
  }
}
