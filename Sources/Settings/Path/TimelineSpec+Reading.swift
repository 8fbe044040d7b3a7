extension TimelineSpec {
  private static let keys = ["loop", "steps"]
  private static let stepKeys = ["name", "for_ms", "path"]

  package static let maximumSteps = 1_000
  package static let stepMilliseconds = 1.0...86_400_000
  package static let maximumNameLength = 64

  /// Nil when absent.
  ///
  /// - Parameters:
  ///   - fields: of the path.
  ///   - path: what a step takes when it doesn't say otherwise.
  static func read(_ fields: Fields, of path: PathSpec) throws(SettingsError) -> TimelineSpec? {
    guard fields.value("timeline") != nil else { return nil }
    let timeline = try fields.fields("timeline")
    try timeline.refuseUnknownKeys(keys)
    guard let elements = try timeline.array("steps", atMost: maximumSteps, of: "steps"), !elements.isEmpty else {
      throw timeline.refusal("steps", allowed: "an array of 1 to \(maximumSteps) steps")
    }
    var steps: [Step] = []
    for (index, element) in elements.enumerated() {
      let place = "\(timeline.pathOf("steps"))[\(index)]"
      steps.append(try step(try Fields(element, source: fields.source, path: place), of: path, pathFields: fields))
    }
    return TimelineSpec(steps: steps, isLooped: try timeline.bool("loop") ?? false)
  }

  private static func step(
    _ fields: Fields, of path: PathSpec, pathFields: Fields
  ) throws(SettingsError) -> Step {
    try fields.refuseUnknownKeys(stepKeys)
    guard let name = try fields.string("name"), (1...maximumNameLength).contains(name.unicodeScalars.count) else {
      throw fields.refusal("name", allowed: "1 to \(maximumNameLength) characters")
    }
    let duration = try fields.needed("for_ms", allowed: stepMilliseconds.text) { stepMilliseconds.contains($0) }
    let changes = try fields.fields("path")
    try refuseLastingKeys(changes)
    var path = path
    try path.change(changes)
    if let queue = path.queue, changes.value(queue.key) != nil { try path.refuseQueueWithoutRate(queue, changes) }
    try path.refuseTooFast(for: "a timeline", changes, orElse: pathFields)
    return Step(name: name, durationMilliseconds: duration, path: path)
  }

  /// What belongs to the path as a whole: how it is carried out, and what happens before it.
  private static func refuseLastingKeys(_ fields: Fields) throws(SettingsError) {
    if let key = PathSpec.lastingKeys.first(where: { fields.value($0) != nil }) {
      throw fields.refusal(key, allowed: "only in the profile's path, not in a step of its timeline")
    }
    try fields.refuseUnknownKeys(PathSpec.changeableKeys)
  }

  /// - Parameter path: the profile's, which the steps are written against.
  func json(against path: PathSpec) -> JSON {
    let steps = steps.map { step -> JSON in
      let changes = zip(step.path.changeable, path.changeable).filter { $0.1 != $1.1 }.map(\.0)
      return .object([
        ("name", .string(step.name)), ("for_ms", .number(step.durationMilliseconds)), ("path", .object(changes)),
      ])
    }
    return ["loop": .bool(isLooped), "steps": .array(steps)]
  }
}
