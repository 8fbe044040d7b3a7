import Testing

@testable import headwind

/// A command that speaks to a daemon can show a token: one that is added is no exception.
@Suite struct TokenOptionTests {
  @Test(arguments: CommandTreeTests.all)
  func whoeverNamesADaemonCanNameItsToken(command: Command) {
    let names = command.options.map(\.name)
    #expect(!names.contains("--control") || names.contains("--token-file"), "\(command.invocation)")
    // Not by its value: who lists processes would see it.
    #expect(!names.contains("--token"), "\(command.invocation)")
  }
}
