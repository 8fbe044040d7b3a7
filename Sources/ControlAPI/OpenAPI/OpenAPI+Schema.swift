import Settings

extension OpenAPI {
  /// A schema of OpenAPI 3.0, in the few forms that the document needs.
  struct Schema {
    var members: JSONObject

    var json: JSON { .object(members) }

    private init(_ type: String?, _ description: String, _ more: [(String, JSON?)] = []) {
      let head: [(String, JSON?)] = [("type", type.map(JSON.string)), ("description", OpenAPI.text(description))]
      members = JSONObject((head + more).compactMap { key, value in value.map { (key, $0) } })
    }
  }
}

// MARK: Values

extension OpenAPI.Schema {
  static func string(
    _ description: String = "", format: String? = nil, pattern: String? = nil, minLength: Int64? = nil,
    maxLength: Int? = nil, example: String? = nil
  ) -> Self {
    Self(
      "string", description,
      [
        ("format", format.map(JSON.string)), ("pattern", pattern.map(JSON.string)),
        ("minLength", minLength.map(JSON.integer)), ("maxLength", maxLength.map { .integer(Int64($0)) }),
        ("example", example.map(JSON.string)),
      ])
  }

  /// A time as in `2026-11-30T10:00:00.000Z`.
  static func time(_ description: String) -> Self { string(description, format: "date-time") }

  static func choice(_ values: [String], _ description: String = "") -> Self {
    Self("string", description, [("enum", .array(values.map(JSON.string)))])
  }

  static func choice<Choice: CaseIterable & RawRepresentable>(_ type: Choice.Type, _ description: String = "") -> Self
  where Choice.RawValue == String {
    choice(Choice.allCases.map(\.rawValue), description)
  }

  static func integer(_ description: String = "", in range: ClosedRange<Int64> = .min ... .max) -> Self {
    Self(
      "integer", description,
      [("format", "int64"), ("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound))])
  }

  /// A number that counts something.
  static func count(_ description: String) -> Self { integer(description, in: 0 ... .max) }

  static func number(_ description: String, in range: ClosedRange<Double>, format: String = "double") -> Self {
    Self(
      "number", description,
      [("format", .string(format)), ("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound))])
  }

  /// Without the least value that there is.
  var aboveMinimum: Self { adding("exclusiveMinimum", true) }
  /// Without the greatest one.
  var belowMaximum: Self { adding("exclusiveMaximum", true) }

  private func adding(_ key: String, _ value: JSON) -> Self {
    var copy = self
    copy.members[key] = value
    return copy
  }

  static func boolean(_ description: String) -> Self { Self("boolean", description) }
}

// MARK: Compounds

extension OpenAPI.Schema {
  static func array(
    of element: Self, atLeast least: Int? = nil, atMost limit: Int? = nil, _ description: String = ""
  ) -> Self {
    let (least, limit) = (least.map { JSON.integer(Int64($0)) }, limit.map { JSON.integer(Int64($0)) })
    return Self("array", description, [("items", element.json), ("minItems", least), ("maxItems", limit)])
  }

  /// An object with a value of one kind under every name.
  static func dictionary(of element: Self, _ description: String) -> Self {
    Self("object", description, [("additionalProperties", element.json)])
  }

  /// - Parameter isClosed: no other keys are taken.
  static func object(
    _ description: String = "", required: [(String, Self)] = [], optional: [(String, Self)] = [],
    isClosed: Bool = false,
    example: JSON? = nil
  ) -> Self {
    let names = required.map { JSON.string($0.0) }
    let properties = (required + optional).map { ($0.0, $0.1.json) }
    return Self(
      "object", description,
      [
        ("required", names.isEmpty ? nil : .array(names)),
        ("properties", OpenAPI.members(properties)),
        ("additionalProperties", isClosed ? false : nil), ("example", example),
      ])
  }

  /// A schema of the document's components.
  static func reference(_ name: String) -> Self {
    var schema = Self(nil, "")
    schema.members["$ref"] = .string("#/components/schemas/\(name)")
    return schema
  }

  /// One of several components, which a property tells apart by its value.
  static func oneOf(_ components: [(value: String, name: String)], by property: String, _ description: String) -> Self {
    let mapping = components.map { ($0.value, JSON.string("#/components/schemas/\($0.name)")) }
    return Self(
      nil, description,
      [
        ("oneOf", .array(components.map { reference($0.name).json })),
        ("discriminator", .object([("propertyName", .string(property)), ("mapping", .object(JSONObject(mapping)))])),
      ])
  }

  static func anyOf(_ components: [String], _ description: String) -> Self {
    anyOf(components.map(reference), description)
  }

  static func anyOf(_ choices: [Self], _ description: String) -> Self {
    Self(nil, description, [("anyOf", .array(choices.map(\.json)))])
  }

  /// The same, or null. OpenAPI 3.0 wants null among the values where they are listed.
  var orNull: Self {
    var copy = self
    copy.members["nullable"] = true
    if let values = members["enum"]?.arrayValue { copy.members["enum"] = .array(values + [.null]) }
    return copy
  }
}
