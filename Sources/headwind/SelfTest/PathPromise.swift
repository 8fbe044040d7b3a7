import Conditioning
import Settings

/// What a path's numbers promise: by the model, which is the daemon's own core in virtual time, and by formulas where
/// these are exact.
struct PathPromise {
  /// Runs of the model at most, and what all of them together may cost: steps of virtual time.
  static let runsMax = 200
  static let runsMin = 12
  private static let virtualLimit = Interval.seconds(600)
  /// Clients that begin together are so far apart at most, on a machine, and so are their servers.
  private static let lateness = Interval.milliseconds(5)

  let path: PathSpec
  let seed: UInt64
  /// See ``runsMin``.
  let stepsMax: Int

  /// A workload that came to its end in the model.
  struct Run {
    let workload: any Workload
    let duration: Interval
    let steps: Int
  }

  /// Two runs of the model differ.
  var hasChance: Bool {
    path.jitterMilliseconds > 0 || path.trace != nil
      || Direction.allCases.contains { path.loss($0).model != .none }
  }

  /// - Parameter number: which of several runs, each with luck of its own.
  /// - Returns: nil when it would never end.
  func run(_ spec: WorkloadSpec, number: Int = 0) -> Run? {
    var dice = SeededGenerator(seed: seed, "selftest", number)
    // A trace has no beginning for whoever comes.
    let offset = path.trace == nil ? Interval.zero : Interval.seconds(dice.unit() * 60)
    // A run of little lateness is as good a guess as one of much.
    let lateness = spec.hasChance ? Interval.seconds(PathPromise.lateness.seconds * dice.unit()) : .zero
    let network = SimulatedNetwork(path, seed: dice.next(), offset: offset, lateness: lateness)
    let workload = spec.make()
    let beginning = network.now
    guard network.run(workload, limit: PathPromise.virtualLimit) else { return nil }
    return Run(workload: workload, duration: network.now - beginning, steps: network.steps)
  }

  /// As many as the bounds allow; one where nothing is left to chance. Those that don't end are left out.
  func runs(_ spec: WorkloadSpec) -> [Run] {
    var (runs, number, steps) = ([Run](), 0, 0)
    let wanted = hasChance || spec.hasChance ? PathPromise.runsMax : 1
    while number < wanted, number < PathPromise.runsMin || steps < stepsMax {
      number += 1
      guard let run = run(spec, number: number) else { continue }
      runs.append(run)
      steps += run.steps
    }
    return runs
  }
}
