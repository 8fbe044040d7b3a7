import Reactor
import Settings

// The networks that profiles stand for.
extension ProxyRegistry {
  func makePaths() -> SharedPaths {
    let paths = SharedPaths(loop: loop, seed: seed) { [unowned self] id in tables[0].live[id]?.driveLater() }
    paths.onStep = { [unowned self] profile, step in tell(step, of: profile) }
    return paths
  }

  private func tell(_ step: PathStep, of profile: String) {
    let details: [(String, JSON)] = [
      ("profile", .string(profile)), ("index", .integer(Int64(step.index))), ("name", .string(step.name)),
      ("round", .integer(Int64(step.round))), ("until", step.until.map { .string($0.description) } ?? .null),
    ]
    events.record("path_step", details)
    log.debug("path step", details)
  }

  /// What each profile's network has done with packets since the daemon began, by the profile's name.
  package var pathCounters: [(profile: String, counters: PathCounters)] {
    paths.counters.sorted { $0.profile < $1.profile }
  }
}
