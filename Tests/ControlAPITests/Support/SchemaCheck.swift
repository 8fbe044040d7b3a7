import Settings

/// Validates values against the schemas of an OpenAPI 3.0 document, as far as this API's document uses them.
struct SchemaCheck {
  let document: JSON
  /// Keys that the schema doesn't name are complaints. The document leaves room for more; what it leaves out is noticed so.
  var isClosed: Bool

  /// What is wrong with `value`; empty when nothing is.
  func complaints(_ value: JSON, _ schema: JSON, at place: String = "$") -> [String] {
    if let reference = schema["$ref"]?.stringValue {
      guard let target = resolve(reference) else { return ["\(reference) leads nowhere"] }
      return complaints(value, target, at: place)
    }
    if value == .null { return schema["nullable"] == true ? [] : ofNull(schema, at: place) }
    if let choices = (schema["oneOf"] ?? schema["anyOf"])?.arrayValue {
      return ofChoice(value, schema, choices, at: place)
    }
    return ofType(value, schema, at: place) + ofBounds(value, schema, at: place) + ofMembers(value, schema, at: place)
      + ofElements(value, schema, at: place)
  }

  /// `#/components/schemas/Proxy`
  func resolve(_ reference: String) -> JSON? {
    reference.dropFirst(2).split(separator: "/").reduce(document) { json, key in json?[String(key)] }
  }

  private func ofNull(_ schema: JSON, at place: String) -> [String] {
    let choices = schema["anyOf"]?.arrayValue ?? []
    return choices.contains { complaints(.null, $0).isEmpty } ? [] : ["\(place) is null"]
  }

  private func ofChoice(_ value: JSON, _ schema: JSON, _ choices: [JSON], at place: String) -> [String] {
    guard let discriminator = schema["discriminator"] else {
      let all = choices.map { complaints(value, $0, at: place) }
      return all.contains(where: \.isEmpty) ? [] : all.first ?? []
    }
    let key = discriminator["propertyName"]?.stringValue.flatMap { value[$0]?.stringValue } ?? "-"
    guard let reference = discriminator["mapping"]?[key]?.stringValue else { return ["\(place): no such type: \(key)"] }
    return complaints(value, ["$ref": .string(reference)], at: place)
  }

  private func ofType(_ value: JSON, _ schema: JSON, at place: String) -> [String] {
    let isRight =
      switch schema["type"]?.stringValue {
      case "string": value.stringValue != nil
      case "integer": value.integerValue != nil
      case "number": value.doubleValue != nil
      case "boolean": value.boolValue != nil
      case "array": value.arrayValue != nil
      case "object": value.objectValue != nil
      default: schema["type"] == nil
      }
    return isRight ? [] : ["\(place) is \(value.text.prefix(40)), wanted: \(schema["type"]?.text ?? "any")"]
  }

  private func ofBounds(_ value: JSON, _ schema: JSON, at place: String) -> [String] {
    var isRight = schema["enum"]?.arrayValue.map { $0.contains(value) } ?? true
    if let integer = value.integerValue, let low = schema["minimum"]?.integerValue,
      let high = schema["maximum"]?.integerValue
    {
      isRight = isRight && low <= integer && integer <= high
    } else if let number = value.doubleValue {
      isRight = isRight && schema["minimum"]?.doubleValue ?? number <= number
      isRight = isRight && number <= schema["maximum"]?.doubleValue ?? number
    }
    if let text = value.stringValue {
      isRight = isRight && text.unicodeScalars.count >= schema["minLength"]?.integerValue ?? 0
      isRight = isRight && text.unicodeScalars.count <= schema["maxLength"]?.integerValue ?? .max
      if let pattern = schema["pattern"]?.stringValue {
        isRight = isRight && (try? Regex(pattern).firstMatch(in: text)) != nil
      }
    }
    if let limit = schema["maxItems"]?.integerValue { isRight = isRight && value.arrayValue?.count ?? 0 <= limit }
    if let least = schema["minItems"]?.integerValue { isRight = isRight && value.arrayValue?.count ?? 0 >= least }
    return isRight ? [] : ["\(place) is \(value.text.prefix(40)), outside of \(schema.text.prefix(200))"]
  }

  private func ofMembers(_ value: JSON, _ schema: JSON, at place: String) -> [String] {
    guard let object = value.objectValue else { return [] }
    let missing = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue).filter { object[$0] == nil }
    return missing.map { "\(place).\($0) is missing" }
      + object.members.flatMap { member -> [String] in
        if let known = schema["properties"]?[member.key] {
          return complaints(member.value, known, at: "\(place).\(member.key)")
        }
        switch schema["additionalProperties"] {
        case .object(let rest): return complaints(member.value, .object(rest), at: "\(place).\(member.key)")
        case nil where !isClosed || schema["properties"] == nil: return []
        default: return ["\(place).\(member.key) is not described"]
        }
      }
  }

  private func ofElements(_ value: JSON, _ schema: JSON, at place: String) -> [String] {
    guard let elements = value.arrayValue, let item = schema["items"] else { return [] }
    return elements.enumerated().flatMap { complaints($1, item, at: "\(place)[\($0)]") }
  }
}
