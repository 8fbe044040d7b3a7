import Foundation
import Testing

@testable import headwind

/// headwind(1) has everything that the program has; it is made from the same tables.
struct ManualPageTests {
  private static let page = ManualPage().text

  /// By its title, the lines below it up to the next one.
  private static let sections: [String: [Substring]] = {
    var sections: [String: [Substring]] = [:]
    var title = ""
    for line in page.split(separator: "\n") {
      if line.hasPrefix(".Sh ") || line.hasPrefix(".Ss ") { title = String(line.dropFirst(4)) }
      sections[title, default: []].append(line)
    }
    return sections
  }()

  @Test(arguments: CommandTreeTests.all.dropFirst())
  func eachCommandHasASectionWithAllItsOptions(command: Command) throws {
    let section = try #require(Self.sections[command.name])
    #expect(section.count > 2)
    for alias in command.aliases { #expect(section.contains { $0.contains(alias) }, "\(alias)") }
    guard command.subcommands.isEmpty else { return }
    let shared = try #require(Self.sections["COMMANDS"])
    for option in command.options + Command.common {
      let name = option.name.replacing("-", with: "\\-").dropFirst(2)
      #expect(section.contains { $0 == ".Op Fl \\&\(name)" || $0.hasPrefix(".Op Fl \\&\(name) Ar ") }, "\(option.name)")
      // What it is: here, or among those of many commands.
      for spelling in [option.name] + option.aliases {
        let flag = "Fl \\&" + spelling.dropFirst().replacing("-", with: "\\-")
        let isTold = (section + shared).contains { line in
          line.hasPrefix(".It ") && (line + " ").contains("\(flag) ")
        }
        #expect(isTold, "\(command.name) \(spelling)")
      }
    }
    for operand in command.operands where operand.kind != .command {
      #expect(section.contains { $0.contains("Ar \\&\(operand.name)") })
    }
  }

  @Test func tablesAreWhole() throws {
    let variables = try #require(Self.sections["ENVIRONMENT"])
    for variable in EnvironmentVariable.allCases { #expect(variables.contains(".It Ev \\&\(variable.rawValue)")) }
    let signals = try #require(Self.sections["SIGNALS"])
    for signal in DaemonSignal.allCases { #expect(signals.contains(".It Dv \\&\(signal.name)")) }
    let statuses = try #require(Self.sections["EXIT STATUS"])
    for status in ExitStatus.allCases { #expect(statuses.contains(".It \(status.rawValue)")) }
    #expect(Self.sections["FILES"]?.filter { $0.hasPrefix(".It ") }.count == ManualFile.allCases.count)
  }

  /// A variable that is read somewhere by its name alone would be missing.
  @Test func everyVariableThatIsReadIsInTheTable() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    var found: Set<String> = []
    for file in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /(?:environment|variable|getenv)\("([A-Z_]+)"\)/) { found.insert(String(match.1)) }
    }
    #expect(found.contains("NOTIFY_SOCKET"))
    #expect(found.subtracting(EnvironmentVariable.allCases.map(\.rawValue)).isEmpty)
  }

  @Test func isOneOfPlainLinesThatNoLocaleChanges() {
    #expect(Self.page.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
    #expect(!Self.page.contains("\n\n"))
  }

  // MARK: Text

  @Test(arguments: [
    ("One. Two, e.g. three? Four", "One.\nTwo, e.g. three?\nFour\n"), (".x", "\\&.x\n"), ("'x", "\\&'x\n"),
    (#"a\b"#, "a\\eb\n"), ("a^b ~", "a\\(hab \\(ti\n"), ("`a-b 'c'` d-e", "\\fBa\\-b \\(aqc\\(aq\\fP d-e\n"),
    ("with --json", "with \\-\\-json\n"), ("…", "\\[u2026]\n"), ("a\n\nb", "a\n.Pp\nb\n"),
    ("a:\n  b\n   c\n\nd", "a:\n.Bd -literal -offset indent\nb\n c\n.Ed\n.Pp\nd\n"),
  ])
  func proseBecomesMdoc(_ text: String, _ expected: String) {
    #expect(Mdoc.prose(text) == expected)
  }

  @Test func aLineThatIsBrokenBeforeADotIsText() {
    let text = String(repeating: "x", count: 77) + " .5"
    #expect(Mdoc.prose(text).split(separator: "\n").last == "\\&.5")
  }
}
