/// Text that is not JSON, and where.
package struct JSONError: Error, Hashable, CustomStringConvertible {
  package var message: String
  /// Both count from 1; columns count bytes. Nil where there is none, or its dialect has no places.
  package var position: Position?

  package struct Position: Hashable, Sendable {
    package var line: Int
    package var column: Int
  }

  /// Nothing but white space, or comments. (The word is one that clients of the classic API know.)
  static let empty = JSONError(message: "EOF")

  package var description: String {
    guard let position else { return message }
    return "line \(position.line), column \(position.column): \(message)"
  }
}
