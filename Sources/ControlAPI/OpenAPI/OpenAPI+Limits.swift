import Settings

// What is bounded: `API+Limits.swift`.
extension OpenAPI {
  static let limitOperations = [
    Operation(
      "GET", "/limits", "listLimits", "List what is bounded, how much of it is in use, and what was hit",
      answers: [
        .json(200, .object(required: [("limits", .array(of: .reference("Limit")))]), "All limits, always in one order.")
      ])
  ]

  static let limitName = Schema.choice(Limit.self, "As in `GET /limits`.")

  static let limitSchemas: [(String, Schema)] = [
    (
      "Limit",
      .object(required: [
        ("name", limitName), ("unit", .choice(Limit.Unit.self)), ("value", .count("The most that there may be.")),
        ("used", Schema.count("Null: it bounds each of many things.").orNull),
        ("reached", .count("Times that something was refused, cut off, made to wait or forgotten because of it.")),
        ("flag", .string("What `headwind serve` sets it by.", example: "--max-proxies")),
        ("what", .string("What is bounded.")), ("does", .string("What happens at it.")),
      ])
    )
  ]

  /// What calls are answered that would make more of something.
  static let tooMany = Answer.shared(429, "TooMany")
  static let answersAtLimits: [(String, Answer)] = [
    (
      "NoRoom",
      .error(503, "Answers that other clients don't take leave no room: `\(Limit.controlOutputBytes.rawValue)`.")
    ),
    ("TooMany", .error(429, "There would be more than a limit allows; it is named, and the flag that sets it.")),
  ]
}
