import Foundation

/// A JSON Schema of docs/schemas, as far as those use the language: a keyword that isn't known here is a complaint.
struct JSONSchema {
  let root: JSONValue

  /// - Parameter name: of a file in docs/schemas.
  init(_ name: String, from here: String = #filePath) throws {
    var top = URL(fileURLWithPath: here)
    while top.lastPathComponent != "Tests" { top.deleteLastPathComponent() }
    let file = top.deletingLastPathComponent().appendingPathComponent("docs/schemas/\(name)")
    root = try JSONValue(Array(Data(contentsOf: file)))
  }

  /// What is wrong with `value`; empty when nothing is.
  func complaints(_ value: JSONValue) -> [String] { complaints(value, root, "$") }

  private func complaints(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
    guard case .object(let keywords) = schema else { return ["\(place): a schema that is no object"] }
    return keywords.sorted { $0.key < $1.key }.flatMap { keyword, wanted -> [String] in
      switch keyword {
      case "$schema", "$id", "$defs", "title", "description": []
      case "$ref": complaints(value, definition(wanted), place)
      case "anyOf":
        wanted.array.contains { complaints(value, $0, place).isEmpty } ? [] : ["\(place): none of anyOf"]
      case "properties", "required", "additionalProperties": ofMembers(value, keyword, wanted, schema, place)
      case "items":
        value.array.enumerated().flatMap { complaints($1, wanted, "\(place)[\($0)]") }
      default: isRight(value, keyword, wanted) ? [] : ["\(place) is \(value): against \(keyword) \(wanted)"]
      }
    }
  }

  private func definition(_ reference: JSONValue) -> JSONValue {
    (reference.string ?? "").split(separator: "/").dropFirst().reduce(root) { $0[String($1)] }
  }

  private func ofMembers(
    _ value: JSONValue, _ keyword: String, _ wanted: JSONValue, _ schema: JSONValue, _ place: String
  ) -> [String] {
    guard case .object(let members) = value else { return [] }
    switch keyword {
    case "required":
      return wanted.array.compactMap(\.string).filter { members[$0] == nil }.map { "\(place).\($0) is missing" }
    case "properties":
      return members.filter { wanted.keys.contains($0.key) }
        .flatMap { complaints($1, wanted[$0], "\(place).\($0)") }
    default:
      let unknown = wanted == false ? Set(members.keys).subtracting(schema["properties"].keys) : []
      return unknown.map { "\(place).\($0) is not described" }
    }
  }

  private func isRight(_ value: JSONValue, _ keyword: String, _ wanted: JSONValue) -> Bool {
    switch keyword {
    case "type":
      (wanted.string.map { [$0] } ?? wanted.array.compactMap(\.string)).contains { isOfType(value, $0) }
    case "enum": wanted.array.contains(value)
    case "pattern":
      value.string.map { $0.range(of: wanted.string ?? "", options: .regularExpression) != nil } ?? true
    case "minimum": value.number.map { $0 >= wanted.number ?? 0 } ?? true
    case "maximum": value.number.map { $0 <= wanted.number ?? 0 } ?? true
    case "minLength": value.string.map { $0.unicodeScalars.count >= Int(wanted.number ?? 0) } ?? true
    case "maxLength": value.string.map { $0.unicodeScalars.count <= Int(wanted.number ?? 0) } ?? true
    case "minItems": value.array.count >= Int(wanted.number ?? 0)
    case "maxItems": value.array.count <= Int(wanted.number ?? 0)
    default: false
    }
  }

  private func isOfType(_ value: JSONValue, _ type: String) -> Bool {
    switch (value, type) {
    case (.null, "null"), (.bool, "boolean"), (.number, "number"), (.string, "string"), (.array, "array"),
      (.object, "object"):
      true
    case (.number(let number), "integer"): number == number.rounded()
    default: false
    }
  }
}
