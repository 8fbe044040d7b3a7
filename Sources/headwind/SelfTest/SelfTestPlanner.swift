import Conditioning
import Settings

/// Chooses what is measured for a profile, and how often, so that all of it fits into a time.
struct SelfTestPlanner {
  let profile: Profile
  /// For all of it, as near as that can be foretold; each figure is measured at least once all the same.
  let seconds: Double
  let seed: UInt64
  /// See ``PathPromise/stepsMax``; for the whole plan.
  let stepsMax: Int

  private static let attempts = 200

  func sections() -> [SelfTestSection] {
    let failures = FailurePromise(profile)
    var sections: [SelfTestSection] = []
    // Where every request fails there is nothing else to be seen.
    if failures.share < 1 {
      let paths = paths
      for (name, path) in paths where !(path.isPassThrough && failures.share > 0) {
        let share = (seconds: seconds / Double(paths.count), steps: stepsMax / paths.count)
        let promise = PathPromise(path: path, seed: seed, stepsMax: share.steps / 5)
        let planner = PathPlanner(promise: promise, seconds: share.seconds, name: profile.name)
        sections.append(SelfTestSection(name: name, path: path, tasks: planner.tasks()))
      }
    }
    if failures.share > 0 {
      let task = attempts(failures)
      if sections.isEmpty { sections.append(SelfTestSection(name: profile.name, path: profile.path, tasks: [])) }
      sections[sections.count - 1].tasks.append(task)
    }
    return sections
  }

  /// Each path that is in force at some time, once.
  private var paths: [(name: String, path: PathSpec)] {
    guard let timeline = profile.path.timeline else { return [(profile.name, profile.path)] }
    var paths: [(name: String, path: PathSpec)] = []
    for step in timeline.steps where !paths.contains(where: { $0.path == step.path }) {
      paths.append(("\(profile.name)/\(step.name)", step.path))
    }
    return paths
  }

  private func attempts(_ promise: FailurePromise) -> SelfTestTask {
    let patience = Interval.milliseconds(
      (profile.path.latencyMilliseconds + profile.path.jitterMilliseconds) * 4 + 1_500)
    // Certain is certain; and where each failure is a long wait there are fewer.
    let isSlow = promise.kinds.contains(.timeout) || profile.path.latencyMilliseconds > 100
    let count = promise.share >= 1 ? 10 : isSlow ? 60 : SelfTestPlanner.attempts
    let batches = Double((count + 19) / 20)
    let each = isSlow ? patience : Interval.milliseconds(profile.path.latencyMilliseconds * 2 + 10)
    return SelfTestTask(
      title: "requests that fail", work: .attempts(count, patience: patience), profile: profile,
      expected: .seconds(each.seconds * batches), limit: .seconds(patience.seconds * batches + 5),
      rows: [promise.row(trials: count)])
  }
}
