import Reactor
import Settings

/// What came of one run.
struct RunResult {
  let spec: RunSpec
  var startedAt = WallTime.now
  /// Nil when the command was not run.
  var ending: ChildProcess.Ending?
  var durationNanoseconds: Int64 = 0
  var timedOut = false
  var tally: RunTally?
  /// Why the run counts as failed though the command has succeeded.
  var trafficProblem: String?
  var profileProblem: String?
  private var problem: String? { profileProblem ?? trafficProblem }
  /// Why the daemon couldn't be asked to the end.
  var loss: String?

  static let timeoutCode: Int32 = 124

  var wasRun: Bool { ending != nil }
  var passed: Bool { ending == .exited(0) && !timedOut && problem == nil }
  var traffic: RunTraffic { tally?.traffic ?? RunTraffic() }

  /// What `headwind run` ends with when this run is what counts.
  var exitCode: Int32 {
    if timedOut { return RunResult.timeoutCode }
    let code = ending?.code ?? 0
    return code == 0 && problem != nil ? 1 : code
  }

  /// Nil for a run that passed, and for one that wasn't.
  var failure: String? {
    guard let ending, !passed else { return nil }
    if timedOut { return "not done within the time of --max-duration" }
    switch ending {
    case .exited(0): return problem
    case .exited(let code): return "exit status \(code)"
    case .killed(let signal): return "ended by \(ThisProcess.name(ofSignal: signal))"
    }
  }
}

/// What all runs under one profile come to.
struct RunSummary {
  let profile: String?
  let runs: [RunResult]

  static func all(_ results: [RunResult]) -> [RunSummary] {
    var names: [String?] = []
    for result in results where !names.contains(result.spec.profile) { names.append(result.spec.profile) }
    return names.map { name in RunSummary(profile: name, runs: results.filter { $0.spec.profile == name }) }
  }

  var done: [RunResult] { runs.filter(\.wasRun) }
  var passed: Int { runs.count(where: \.passed) }
  var traffic: RunTraffic { runs.reduce(RunTraffic()) { $0 + $1.traffic } }

  /// The duration that this share of the runs doesn't exceed (nearest rank); nil without runs.
  func durationMilliseconds(quantile: Double) -> Double? {
    let sorted = done.map(\.durationNanoseconds).sorted()
    guard !sorted.isEmpty else { return nil }
    let rank = Int((quantile * Double(sorted.count)).rounded(.up))
    return Double(sorted[max(0, min(sorted.count, rank) - 1)]) / 1e6
  }
}
