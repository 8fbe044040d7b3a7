import Testing

@testable import Settings

@Suite struct LoggingTests {
  @Test(
    arguments: [
      ("debug", .debug), ("TRACE", .debug), ("Info", .info), ("warn", .warning), ("warning", .warning),
      ("error", .error), ("fatal", .silent), ("panic", .silent), ("disabled", .silent), ("silent", .silent),
      ("", nil), ("loud", nil),
    ] as [(String, LogLevel?)])
  func readsTheWordsOfLevels(_ word: String, _ expected: LogLevel?) {
    #expect(LogLevel(word: word) == expected)
  }

  @Test(arguments: LogLevel.allCases)
  func aLevelHasItsNameAndIsNamedWhereItIsAllowed(_ level: LogLevel) {
    #expect(LogLevel(word: level.name) == level)
    #expect(LogLevel.allowed.contains(level.name))
  }

  @Test(arguments: ["info", "INFO", "warn", "silent", "panic"])
  func aConfigFileTakesTheSameWords(_ word: String) throws {
    let config = try Config(text: "{log_level: '\(word)'}".utf8, source: "hw.json")
    #expect(config.logLevel == LogLevel(word: word))
  }
}
