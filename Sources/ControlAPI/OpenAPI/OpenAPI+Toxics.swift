import Settings

// Toxics, told apart by `type`. They have three forms.
extension OpenAPI {
  enum ToxicForm: CaseIterable {
    /// As every answer has them.
    case shown
    /// As the classic API takes them.
    case new
    /// As profiles take them.
    case defined

    /// The component for one type, or for all.
    func name(of type: ToxicType? = nil) -> String {
      let kind = type?.schemaName ?? ""
      return switch self {
      case .shown: "\(kind)Toxic"
      case .new: "New\(kind)Toxic"
      case .defined: "Profile\(kind)Toxic"
      }
    }

    var isLenient: Bool { self != .defined }
    var isSent: Bool { self != .shown }
  }

  static let toxicSchemas: [(String, Schema)] =
    ToxicForm.allCases.flatMap { form in
      [(form.name(), union(of: form))] + ToxicType.allCases.map { (form.name(of: $0), toxic($0, form)) }
    } + ToxicType.allCases.map { (updateName(of: $0), updatedAttributes(of: $0)) } + [("ToxicUpdate", update)]

  private static func union(of form: ToxicForm) -> Schema {
    .oneOf(ToxicType.allCases.map { ($0.rawValue, form.name(of: $0)) }, by: "type", "")
  }

  private static func toxic(_ type: ToxicType, _ form: ToxicForm) -> Schema {
    let kind = ("type", Schema.choice([type.rawValue]))
    let rest: [(String, Schema)] = [
      ("attributes", attributes(of: type, form)),
      ("name", .string("`TYPE_STREAM` when left out.", minLength: form.isSent ? nil : 1)),
      ("toxicity", toxicity(form)),
    ]
    // Where it is left out, Headwind's own kinds act on both streams, and in profiles all kinds do.
    let others = [("stream", stream(form, isClassic: type.isClassic))] + triggers
    guard form.isSent else {
      return .object(type.summary, required: [kind] + rest, optional: others, example: example(of: type, form))
    }
    let isRequired = type.attributes(isLenient: form.isLenient).contains(where: \.isRequired)
    let optional = (rest.dropFirst(isRequired ? 1 : 0) + others).map { ($0.0, $0.1.orNull) }
    return .object(
      type.summary, required: [kind] + (isRequired ? [rest[0]] : []), optional: optional, isClosed: form == .defined,
      example: example(of: type, form))
  }

  /// Not shown where there are none.
  private static let triggers = TriggerSpec.descriptions.map { ($0.name, $0.schema) }

  private static func attributes(of type: ToxicType, _ form: ToxicForm) -> Schema {
    let described = type.attributes(isLenient: form.isLenient)
    let isRequired = { (attribute: AttributeDescription) in
      form.isSent ? attribute.isRequired : attribute.isAlwaysShown
    }
    return .object(
      required: described.filter(isRequired).map { ($0.name, $0.schema) },
      optional: described.filter { !isRequired($0) }.map { ($0.name, form.isSent ? $0.schema.orNull : $0.schema) },
      isClosed: form == .defined)
  }

  private static func updatedAttributes(of type: ToxicType) -> Schema {
    .object(optional: type.attributes(isLenient: true).map { ($0.name, $0.schema.orNull) }).orNull
  }

  private static func updateName(of type: ToxicType) -> String { "\(type.schemaName)Attributes" }

  private static func toxicity(_ form: ToxicForm) -> Schema {
    let description = "Probability that it applies to a session; 1 when left out."
    // As it is written, which for a double is a little more than the float is.
    let largest = JSON.float(.greatestFiniteMagnitude).doubleValue ?? 0
    return form.isLenient
      ? .number(description, in: -largest...largest, format: "float") : .number(description, in: 0...1, format: "float")
  }

  private static func stream(_ form: ToxicForm, isClassic: Bool) -> Schema {
    let absent = form == .new && isClassic ? "Downstream" : "Both"
    let description = "`upstream` is client to server. \(absent) when left out."
    guard form.isLenient else { return .choice(Stream.self, description) }
    let names = Stream.allCases.map { stream in
      stream.rawValue.map { "[\($0.uppercased())\($0)]" }.joined()
    }
    return .string(description, pattern: "^(\(names.joined(separator: "|")))$", example: "downstream")
  }

  static func example(of type: ToxicType, _ form: ToxicForm) -> JSON {
    let attributes = type.attributes(isLenient: false).map { ($0.name, $0.example) }
    let kind = JSONObject([("type", .string(type.rawValue)), ("attributes", .object(JSONObject(attributes)))])
    let rest: JSONObject = ["name": .string("\(type.rawValue)_downstream"), "stream": "downstream", "toxicity": 1]
    return .object(JSONObject((kind.members + (form.isSent ? [] : rest.members)).map { ($0.key, $0.value) }))
  }

  private static let update = Schema.object(
    optional: [
      ("toxicity", toxicity(.new).orNull),
      (
        "attributes",
        .anyOf(ToxicType.allCases.map(updateName), "By the toxic's own type; those left out stay.")
      ),
    ] + triggers.map { ($0.0, $0.1.orNull) },
    example: ["attributes": ["latency": 500]]
  ).orNull
}

extension ToxicType {
  /// `reset_peer` as `ResetPeer`.
  fileprivate var schemaName: String {
    rawValue.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension AttributeDescription {
  fileprivate var schema: OpenAPI.Schema {
    switch kind {
    case .integer(let range): .integer(summary, in: range)
    case .number(let range): .number(summary, in: range)
    case .choice(let values): .choice(values, summary)
    }
  }
}
