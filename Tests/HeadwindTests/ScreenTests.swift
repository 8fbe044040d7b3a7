import Testing

@testable import headwind

/// What fits on a terminal.
struct ScreenTests {
  @Test func eachLineClearsItsRest() {
    #expect(Screen.fitted("a\n\nb\n", to: nil) == "a\u{1B}[K\n\u{1B}[K\nb\u{1B}[K\n")
  }

  @Test func linesBeyondTheLastAreCounted() {
    let text = (1...5).map { "\($0)\n" }.joined()
    #expect(Screen.fitted(text, to: (rows: 6, columns: 80)).filter { $0 == "\n" }.count == 5)
    #expect(
      Screen.fitted(text, to: (rows: 5, columns: 80))
        == "1\u{1B}[K\n2\u{1B}[K\n3\u{1B}[K\n… and 2 lines more\u{1B}[K\n")
  }

  @Test func linesAreCutWithoutTheirColours() {
    let text = "ab\u{1B}[32mcdef\u{1B}[0mgh\n"
    #expect(Screen.fitted(text, to: (rows: 10, columns: 4)) == "ab\u{1B}[32mcd\u{1B}[0m\u{1B}[K\n")
    #expect(Screen.fitted("abcd\n", to: (rows: 10, columns: 4)) == "abcd\u{1B}[K\n")
  }
}
