#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Testing

@testable import Settings

/// SplitMix64: the same numbers on every run.
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Text and what it should lead to, as one row of a table.
struct Row: Sendable, CustomTestStringConvertible {
  let input: String
  let expected: String

  init(_ input: String, _ expected: String) {
    self.input = input
    self.expected = expected
  }

  var testDescription: String { "\(input.prefix(60).debugDescription) → \(expected.prefix(60))" }
}

/// The description of the error that `body` throws, or `(no error)`.
func message(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "(no error)"
  } catch { return "\(error)" }
}

/// The package's top directory.
let repository = String(#filePath.split(separator: "/").dropLast(3).joined(separator: "/").withRoot)

extension String {
  fileprivate var withRoot: String { "/" + self }

  /// The bytes, for the readers.
  var bytes: [UInt8] { Array(utf8) }
}

/// Runs `body` with a new directory that holds these files, and removes it afterwards.
func withDirectory(_ files: [String: String], _ body: (String) throws -> Void) throws {
  let manager = FileManager.default
  let path = manager.temporaryDirectory.appending(path: "headwind-\(UUID().uuidString)").path()
  try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
  defer { try? manager.removeItem(atPath: path) }
  for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)")) }
  try body(path)
}
