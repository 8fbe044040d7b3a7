import Conditioning
import Settings

/// One workload to be run over real sockets, with the rows that come of it.
struct SelfTestTask {
  enum Work: Equatable {
    case path(WorkloadSpec)
    case attempts(Int, patience: Interval)
    case silence(Interval)
  }

  /// What is shown while it runs.
  let title: String
  let work: Work
  /// What is in force meanwhile.
  let profile: Profile
  /// How long it takes if all is as promised, about, and when it is given up.
  let expected: Interval
  let limit: Interval
  var rows: [SelfTestRow]
  /// Arrivals in the model, of a task that has some to be drawn.
  var modelRuns: [Fetches.Run] = []
  /// Those that were measured.
  var measuredRuns: [Fetches.Run] = []

  func makeWorkload() -> any Workload {
    switch work {
    case .path(let spec): spec.make()
    case .attempts(let count, let patience): Attempts(count, patience: patience)
    case .silence(let duration): Silence(for: duration)
    }
  }

  /// - Parameter isWhole: false when it was given up.
  mutating func take(_ workload: any Workload, isWhole: Bool) {
    let figures = workload.figures
    for index in rows.indices {
      rows[index].measured = figures[rows[index].figure]
      rows[index].count = workload.count
      if !isWhole {
        rows[index].problem = "not over after \(FigureText.time(milliseconds: limit.milliseconds))"
      } else if rows[index].measured == nil {
        rows[index].problem = "the connection failed"
      }
      if let attempts = workload as? Attempts { rows[index].take(attempts.failures) }
    }
    if let fetches = workload as? Fetches { measuredRuns = fetches.runs }
  }
}

extension SelfTestRow {
  /// They must fail in the way that was promised, too.
  fileprivate mutating func take(_ failures: [ConnectionFailure: Int]) {
    guard case .chance(let promised) = source else { return }
    let others = failures.keys.filter { !promised.contains($0) }.map(\.rawValue).sorted()
    if !others.isEmpty { problem = "failed by \(others.joined(separator: ", "))" }
  }
}

/// What is tested under one path: a profile's, or that of one step of its timeline.
struct SelfTestSection {
  /// `lte`, or `train/tunnel`.
  let name: String
  let path: PathSpec
  var tasks: [SelfTestTask]

  var rows: [SelfTestRow] { tasks.flatMap(\.rows) }
}
