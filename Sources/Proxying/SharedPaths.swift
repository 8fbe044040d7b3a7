package import Conditioning
import Reactor
import Settings

/// The shared paths of all profiles in use: one network for each profile with modelled TCP, and for a plain one a rate for
/// each direction that has one.
final class SharedPaths {
  private struct Key: Hashable {
    let profile: String
    let direction: Direction
  }

  /// Tells that a profile's timeline has come to a step.
  var onStep: (_ profile: String, PathStep) -> Void = { _, _ in }
  private var rates: [Key: SharedPath] = [:]
  private var networks: [String: SharedNetwork] = [:]
  /// What networks counted that are no longer there.
  private var archive = RecentValues<String, PathCounters>()
  private let loop: EventLoop
  private let seed: UInt64
  private let drive: (_ session: Int) -> Void

  /// - Parameter seed: with a profile's name, of the dice that are thrown for its network as a whole.
  init(loop: EventLoop, seed: UInt64, drive: @escaping (_ session: Int) -> Void) {
    self.loop = loop
    self.seed = seed
    self.drive = drive
  }

  /// The rate of a plain `profile` in `direction`, nil where it sets none; a changed rate acts at once.
  func rate(of profile: Profile, _ direction: Direction) -> (path: SharedPath, rate: SharedRate)? {
    let key = Key(profile: profile.name, direction: direction)
    guard let bytesPerSecond = profile.path.bytesPerSecond(direction) else {
      rates[key] = nil
      return nil
    }
    if let path = rates[key], case .rate(let rate) = path.medium {
      rate.setRate(bytesPerSecond, at: loop.instant)
      path.rearm()
      return (path, rate)
    }
    let rate = SharedRate(bytesPerSecond: bytesPerSecond, at: loop.instant)
    let path = SharedPath(.rate(rate), loop: loop, drive: drive)
    rates[key] = path
    return (path, rate)
  }

  /// The network of `profile`, nil where its path is plain; changed numbers act at once, on what is under way too.
  @discardableResult
  func network(of profile: Profile) -> SharedNetwork? {
    guard profile.path.modelInForce == .tcp else {
      drop(profile.name)
      return nil
    }
    if let network = networks[profile.name] {
      network.update(profile.path)
      return network
    }
    let network = SharedNetwork(profile, seed: seed, loop: loop, drive: drive)
    network.earlier = archive.take(profile.name) ?? PathCounters()
    networks[profile.name] = network
    network.onStep = { [unowned self] step in onStep(profile.name, step) }
    network.begin()
    return network
  }

  /// Forgets the paths of profiles that nobody is under.
  func keep(only profiles: Set<String>) {
    rates = rates.filter { profiles.contains($0.key.profile) }
    for name in networks.keys where !profiles.contains(name) { drop(name) }
  }

  private func drop(_ profile: String) {
    guard let network = networks.removeValue(forKey: profile) else { return }
    archive.put(network.counters, for: profile, keyBytes: profile.utf8.count)
  }

  // MARK: Looking

  /// Where that profile's timeline is; nil without one, and while nobody is under the profile.
  func step(of profile: String) -> PathStep? { networks[profile]?.step }

  /// Of each profile whose network has been in use, also of those that are no longer.
  var counters: [(profile: String, counters: PathCounters)] {
    archive.values.map { ($0.key, $0.value) } + networks.map { ($0.key, $0.value.counters) }
  }
}

@available(*, unavailable)
extension SharedPaths: Sendable {}

/// What a profile's network has done with packets.
package struct PathCounters: Equatable {
  package var upstream = ChannelCounters()
  package var downstream = ChannelCounters()

  package subscript(direction: Direction) -> ChannelCounters { direction == .upstream ? upstream : downstream }

  static func + (a: Self, b: Self) -> Self {
    Self(upstream: sum(a.upstream, b.upstream), downstream: sum(a.downstream, b.downstream))
  }

  private static func sum(_ a: ChannelCounters, _ b: ChannelCounters) -> ChannelCounters {
    var sum = a
    sum.packets += b.packets
    sum.dropped += b.dropped
    sum.lost += b.lost
    return sum
  }
}
