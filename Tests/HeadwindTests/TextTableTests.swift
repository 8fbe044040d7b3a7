import Testing

@testable import headwind

struct TextTableTests {
  @Test func columnsLineUpAndLinesEndWithoutSpace() {
    var table = TextTable(["NAME", "N", "WHAT"], rightAligned: [1])
    table.add(["a", "1", "x"])
    table.add(["longer", "1000", ""])
    #expect(table.text(isColoured: false) == "NAME       N  WHAT\na          1  x\nlonger  1000\n")
  }

  @Test func aHeadingMayBeAbsent() {
    var table = TextTable()
    #expect(table.isEmpty)
    table.add(["listen", "127.0.0.1:80"])
    table.add(["up", "-"])
    #expect(table.text(isColoured: false) == "listen  127.0.0.1:80\nup      -\n")
  }

  @Test func coloursDontMoveColumns() {
    var table = TextTable(["STATE", "N"], rightAligned: [1])
    table.add(["on", "12"], colours: [0: .green])
    table.add(["off", "3"], colours: [1: .red])
    #expect(
      table.text(isColoured: true) == "STATE   N\n\u{1B}[32mon\u{1B}[0m     12\noff     \u{1B}[31m3\u{1B}[0m\n")
    #expect(table.text(isColoured: false) == "STATE   N\non     12\noff     3\n")
  }

  @Test(arguments: [
    ("web", "web"), ("a b", "a b"), ("é 👩‍💻 例", "é 👩‍💻 例"), ("a\nb\tc", #"a\nb\tc"#), ("\u{1B}[31m", #"\u{1B}[31m"#),
    ("\u{9B}2J", #"\u{009B}2J"#), ("\u{202E}evil", #"\u{202E}evil"#), ("\0", #"\0"#), (#"\n"#, #"\n"#),
  ])
  func whatSteersATerminalIsShownAsText(text: String, printable: String) {
    #expect(text.printable == printable)
    var table = TextTable()
    table.add([text])
    #expect(table.text(isColoured: false) == printable + "\n")
  }
}
