import Settings

// What the commands need to read answers with.
extension JSON {
  subscript(key: String) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  var array: [JSON] { arrayValue ?? [] }

  var members: [(String, JSON)] {
    if case .object(let object) = self { object.members.map { ($0.key, $0.value) } } else { [] }
  }

  /// On several lines, for people.
  var indentedText: String { indented(by: "") }

  private func indented(by space: String) -> String {
    switch self {
    case .object where !members.isEmpty:
      let lines = members.map { "\(space)  \(JSON.string($0.0).text): \($0.1.indented(by: space + "  "))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(space)}"
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { "\(space)  \($0.indented(by: space + "  "))" }
      return "[\n\(lines.joined(separator: ",\n"))\n\(space)]"
    default:
      return text
    }
  }
}
