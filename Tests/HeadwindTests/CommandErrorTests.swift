import Settings
import Testing

@testable import headwind

struct CommandErrorTests {
  @Test func namesOfFilesNeitherSteerTheTerminalNorBreakTheLine() {
    let error = CommandError.failure("a\n\u{1B}[31mb.json: name is \"x\"")
    #expect(error.text() == #"headwind: a\n\u{1B}[31mb.json: name is "x""# + "\n")
    #expect(error.text(asJSON: true) == #"{"error":"a\n\u001b[31mb.json: name is \"x\""}"# + "\n")
  }

  /// Eighty names are no help to a person; programs get them.
  @Test func theKnownProfilesAreCounted() throws {
    let catalogue = try ProfileCatalogue()
    let unknown = #expect(throws: UnknownProfile.self) { _ = try catalogue.profile(named: "known: 3gg") }
    let error = CommandError.failure("web.json: profile: \(try #require(unknown))")
    #expect(
      error.text()
        == #"headwind: web.json: profile: unknown profile "known: 3gg"; known: edge, 3g, lte, flaky, offline, and "#
        + "\(catalogue.names.count - 5) more; see `headwind profiles`\n")
    #expect(error.text(asJSON: true).contains("known: 100-loss, 2g, "))
  }

  @Test(arguments: [#"unknown profile "z"; did you mean "3g"? known: 3g, none"#, "no proxy; known: a, b"])
  func shortListsStay(_ message: String) {
    #expect(CommandError.failure(message).text() == "headwind: \(message)\n")
  }

  @Test func theDemoTellsWhatItShows() throws {
    let text = Help.text(for: try Command.find(["demo"]).command)
    #expect(text.contains("edge, 3g, lte, flaky, offline"))
  }
}
