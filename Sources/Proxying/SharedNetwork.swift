import Conditioning
package import Reactor
import Settings

/// Where a profile's timeline is.
package struct PathStep {
  /// From 0.
  package let index: Int
  package let name: String
  /// Rounds that are over.
  package let round: Int
  package let since: WallTime
  /// Nil: the step never ends.
  package let until: WallTime?
}

/// A profile's network with modelled TCP. Its timeline begins when it is made: when the profile comes into force.
final class SharedNetwork {
  let network: NetworkPath
  let path: SharedPath
  var onStep: (PathStep) -> Void = { _ in }
  /// What networks of the profile counted before this one was made.
  var earlier = PathCounters()
  private let loop: EventLoop
  private var spec: PathSpec

  init(_ profile: Profile, seed: UInt64, loop: EventLoop, drive: @escaping (_ session: Int) -> Void) {
    self.loop = loop
    spec = profile.path
    network = NetworkPath(profile.path.coreTimeline, seed: seed, name: profile.name, at: loop.instant)
    path = SharedPath(.network(network), loop: loop, drive: drive)
    path.onTime = { [unowned self] in tellSteps() }
  }

  func begin() {
    tellFirstStep()
    path.rearm()
  }

  /// New numbers act at once; a timeline begins anew.
  func update(_ spec: PathSpec) {
    guard spec != self.spec else { return }
    // What was due before is told as it was.
    network.advance(to: loop.instant)
    tellSteps()
    self.spec = spec
    if network.update(spec.coreTimeline, at: loop.instant) { tellFirstStep() }
    path.rearm()
  }

  var counters: PathCounters {
    earlier + PathCounters(upstream: network.counters(.upstream), downstream: network.counters(.downstream))
  }

  // MARK: The timeline

  var step: PathStep? {
    guard spec.timeline != nil else { return nil }
    return shown(network.timeline.position(after: loop.instant - network.beginning))
  }

  /// The network itself tells only those that begin by themselves.
  private func tellFirstStep() {
    if spec.timeline != nil { onStep(shown(network.position)) }
  }

  private func tellSteps() {
    for position in network.takeSteps() where spec.timeline != nil { onStep(shown(position)) }
  }

  private func shown(_ position: PathTimeline.Position) -> PathStep {
    let begin = WallTime.now.advanced(nanoseconds: (network.beginning - loop.instant).nanoseconds)
    return PathStep(
      index: position.step, name: spec.timeline?.steps[position.step].name ?? "", round: position.round,
      since: begin.advanced(nanoseconds: position.begins.nanoseconds),
      until: position.ends.map { begin.advanced(nanoseconds: $0.nanoseconds) })
  }
}

@available(*, unavailable)
extension SharedNetwork: Sendable {}
