import Settings
import Testing

@testable import Proxying

@Suite struct LogTests {
  private func lines(_ level: Log.Level, _ format: Log.Format = .text, _ body: (Log) -> Void) -> [String] {
    var lines: [String] = []
    body(Log(level: level, format: format) { lines.append($0) })
    return lines
  }

  private func speak(_ log: Log) {
    log.debug("d")
    log.info("i")
    log.warning("w")
    log.error("e")
  }

  @Test(
    arguments: [
      (.debug, ["debug: d\n", "info: i\n", "warning: w\n", "error: e\n"]),
      (.info, ["info: i\n", "warning: w\n", "error: e\n"]),
      (.warning, ["warning: w\n", "error: e\n"]), (.error, ["error: e\n"]), (.silent, []),
    ] as [(Log.Level, [String])])
  func aLevelHidesWhatIsBelowIt(_ level: Log.Level, _ expected: [String]) {
    #expect(lines(level, .text, speak) == expected)
  }

  @Test func aHiddenLineIsNotEvenMade() {
    var made = 0
    func text() -> String {
      made += 1
      return "x"
    }
    _ = lines(.error) { $0.info(text(), [("a", .string(text()))]) }
    #expect(made == 0)
  }

  @Test(arguments: [
    ("plain", #"plain"#), ("127.0.0.1:80", #"127.0.0.1:80"#), ("", #""""#), ("two words", #""two words""#),
    ("a=b", #""a=b""#), (#"say "x""#, #""say \"x\"""#), ("line\nbreak", #""line\nbreak""#), ("é", #""é""#),
    ("tab\there", #""tab\there""#), ("\u{1B}[31m", #""\u001b[31m""#), ("nul\u{0}", #""nul\u0000""#),
  ])
  func quotesWhatCouldBeMisread(_ value: String, _ expected: String) {
    #expect(lines(.info) { $0.info("said", [("what", .string(value))]) } == ["info: said what=\(expected)\n"])
  }

  @Test func textShowsNumbersAndNull() {
    let said = lines(.info) { $0.info("said", [("n", 7), ("none", .null), ("yes", true)]) }
    #expect(said == ["info: said n=7 none=null yes=true\n"])
  }

  @Test func jsonLinesHoldTimeLevelMessageThenFields() throws {
    let said = lines(.info, .json) { $0.warning("a \"b\"\n", [("n", 7)]) }
    let line = try #require(said.first)
    #expect(line.hasPrefix(#"{"time":"20"#))
    #expect(line.hasSuffix(#"Z","level":"warning","message":"a \"b\"\n","n":7}"# + "\n"))
    #expect(line.filter { $0 == "\n" }.count == 1)
  }
}
