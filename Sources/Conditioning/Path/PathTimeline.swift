/// A path whose parameters change with time: steps one after the other, once or over and over.
package struct PathTimeline: Equatable, Sendable {
  package struct Step: Equatable, Sendable {
    /// Above 0.
    package var duration: Interval
    package var parameters: PathParameters

    package init(duration: Interval, parameters: PathParameters) {
      self.duration = duration
      self.parameters = parameters
    }
  }

  /// Where a timeline is.
  package struct Position: Equatable, Sendable {
    package var step: Int
    /// Rounds that are over.
    package var round: Int
    /// Since the beginning of the timeline.
    package var begins: Interval
    /// Nil: the step never ends.
    package var ends: Interval?
  }

  /// At least one.
  package var steps: [Step]
  /// Otherwise the last step stays for good.
  package var isLooped: Bool

  package init(steps: [Step], isLooped: Bool) {
    precondition(!steps.isEmpty, "a timeline has a step")
    self.steps = steps
    self.isLooped = isLooped
  }

  /// A path that stays as it is.
  package init(_ parameters: PathParameters) {
    self.init(steps: [Step(duration: Interval(nanoseconds: .max), parameters: parameters)], isLooped: false)
  }

  package func position(after elapsed: Interval) -> Position {
    let total = steps.reduce(Interval.zero) { $0 + $1.duration }
    let isEndless = !isLooped || total == Interval(nanoseconds: .max)
    let round = isEndless ? 0 : elapsed.nanoseconds / total.nanoseconds
    var begins = Interval(nanoseconds: isEndless ? 0 : round * total.nanoseconds)
    for (index, step) in steps.enumerated() {
      let ends = begins + step.duration
      let isLast = index == steps.count - 1
      if elapsed < ends || isLast {
        let never = isLast && isEndless
        return Position(step: index, round: Int(round), begins: begins, ends: never ? nil : ends)
      }
      begins = ends
    }
    preconditionFailure("a timeline has a step")
  }
}
