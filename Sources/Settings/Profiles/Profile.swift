/// A named, documented network: the shared path, then toxics.
package struct Profile: Hashable, Sendable {
  /// 1 to 64 of `a-z 0-9 . _ -`, the first a letter or digit.
  package var name: String
  /// Other names for it.
  package var aliases: [String]
  /// What it is, in one line.
  package var summary: String
  /// Where its numbers come from.
  package var source: String
  package var path: PathSpec
  package var toxics: [ToxicSpec]

  package init(
    name: String, aliases: [String] = [], summary: String = "", source: String = "", path: PathSpec = PathSpec(),
    toxics: [ToxicSpec] = []
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    self.source = source
    self.path = path
    self.toxics = toxics
  }

  /// The name of passing through, which always means just that.
  package static let passThroughName = "none"

  /// What ``isName(_:)`` says, as a regular expression.
  package static let namePattern = "^[a-z0-9][a-z0-9._-]{0,63}$"

  package static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, (1...64).contains(text.utf8.count) else { return false }
    return isLetterOrDigit(first) && text.utf8.allSatisfy { isLetterOrDigit($0) || ".-_".utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  /// The profile as `GET /profiles` gives it.
  package var json: JSON {
    [
      "name": .string(name), "aliases": .array(aliases.map(JSON.string)), "summary": .string(summary),
      "source": .string(source), "path": path.json, "toxics": .array(toxics.map(\.json)),
    ]
  }
}
