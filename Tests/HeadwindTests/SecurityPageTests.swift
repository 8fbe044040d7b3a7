import Foundation
import Testing

/// docs/security.md names a test for each thing that it says. They must be there.
@Suite struct SecurityPageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// What stands between backticks and ends like a test, or lies in scripts/.
  private static func named(in page: String) -> [String] {
    page.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 && ($0.element.hasSuffix("Tests") || $0.element.hasPrefix("scripts/")) }
      .map { String($0.element) }
  }

  @Test func theTestsThatItNamesAreThere() throws {
    let page = try String(contentsOf: Self.root.appendingPathComponent("docs/security.md"), encoding: .utf8)
    let files = FileManager.default.enumerator(atPath: Self.root.appendingPathComponent("Tests").path)
    let tests = (files?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".swift") }.map { "/" + $0.dropLast(6) }
    let names = Self.named(in: page)
    #expect(names.count > 20)
    for name in names {
      let isThere =
        name.hasPrefix("scripts/")
        ? FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(name).path)
        : tests.contains { $0.hasSuffix("/" + name) }
      #expect(isThere, "docs/security.md names \(name)")
    }
  }

  /// A threat without one has nothing to show.
  @Test func everyThreatNamesATestOrSaysThatNothingStandsAgainstIt() throws {
    let page = try String(contentsOf: Self.root.appendingPathComponent("docs/security.md"), encoding: .utf8)
    let threats = page.components(separatedBy: "\n## ").dropFirst()
    #expect(threats.count > 8)
    for threat in threats {
      let title = threat.prefix { $0 != "\n" }
      #expect(!Self.named(in: threat).isEmpty || title.hasPrefix("What is not defended"), "\(title)")
    }
  }
}
