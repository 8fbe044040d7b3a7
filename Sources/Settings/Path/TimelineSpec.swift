/// A path that changes with time.
package struct TimelineSpec: Hashable, Sendable {
  package struct Step: Hashable, Sendable {
    /// What it stands for, such as `tunnel`.
    package var name: String
    /// 1...86,400,000.
    package var durationMilliseconds: Double
    /// The whole path during the step: the profile's, with what the step says instead. Without timeline or trace. It has
    /// a rate and a queue where the profile's path has them: a step can say another one, and not none.
    package var path: PathSpec

    package init(name: String, durationMilliseconds: Double, path: PathSpec) {
      self.name = name
      self.durationMilliseconds = durationMilliseconds
      self.path = path
    }
  }

  /// At least one.
  package var steps: [Step]
  /// Otherwise the last step stays.
  package var isLooped: Bool

  package init(steps: [Step], isLooped: Bool) {
    self.steps = steps
    self.isLooped = isLooped
  }
}
