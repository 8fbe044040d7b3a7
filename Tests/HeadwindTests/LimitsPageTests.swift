import Foundation
import Testing

@testable import Settings

/// The table of docs/limits.md is that of the program. With `HEADWIND_WRITE_PAGES` in the environment it is written instead.
@Suite struct LimitsPageTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/limits.md")
  private static let (begin, end) = ("<!-- limits:begin -->\n", "<!-- limits:end -->")

  private static func size(_ value: Int, _ unit: Limit.Unit) -> String {
    let units = [(50, "PiB"), (40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")]
    guard unit == .bytes, let (power, name) = units.first(where: { value >= 1 << $0.0 && value % (1 << $0.0) == 0 })
    else { return String(value) }
    return "\(value >> power) \(name)"
  }

  private static var table: String {
    let rows = Limit.allCases.map { limit in
      let bounds = [limit.range.lowerBound, limit.range.upperBound].map { size(Int($0), limit.unit) }
      let cells = [
        "`\(limit.flag)`", limit.terms.what, size(limit.usual, limit.unit), bounds.joined(separator: " to "),
        limit.terms.does,
      ]
      return "| " + cells.joined(separator: " | ") + " |\n"
    }
    return "| flag | bounds | usual | allowed | at it |\n| --- | --- | --- | --- | --- |\n" + rows.joined()
  }

  @Test func thePageIsOfThisProgram() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: Self.begin)?.upperBound)
    let stop = try #require(text.range(of: Self.end)?.lowerBound)
    if ProcessInfo.processInfo.environment["HEADWIND_WRITE_PAGES"] != nil {
      try (text[..<start] + Self.table + text[stop...]).write(to: Self.page, atomically: true, encoding: .utf8)
    } else {
      #expect(text[start..<stop] == Self.table, "HEADWIND_WRITE_PAGES=1 swift test --filter LimitsPageTests writes it")
    }
  }
}
