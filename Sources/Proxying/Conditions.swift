import Conditioning
import Settings

/// Which of a proxy's connections a toxic concerns, counted from the moment when it came to the proxy.
struct ConnectionFilter: Equatable {
  /// Only the first so many; nil: no limit.
  var first: Int?
  /// With 3 only each third connection; 1: all.
  var every = 1
  /// Connections of the proxy before the toxic came: those are not concerned.
  var before = 0

  func admits(_ connection: Int) -> Bool {
    let number = connection - before
    return number > 0 && number <= first ?? .max && number % every == 0
  }
}

/// What a proxy's sessions are put through at the moment: the profile's stages first, then the toxics added by hand.
struct Conditions {
  private(set) var profile: String?
  private(set) var upstream: [StagePlan] = []
  private(set) var downstream: [StagePlan] = []
  /// By the name of the stage; stages that concern every connection have none.
  private var filters: [String: ConnectionFilter] = [:]
  private(set) var paths: [SharedPath] = []
  /// Sessions are modelled TCP connections over the profile's network.
  private(set) var isModelled = false
  /// New connections are refused: the profile drops every connection and says `refuse`.
  private(set) var refuses = false
  /// What the lookup of a name costs.
  private(set) var nameLookup = Interval.zero
  /// What kind of toxic a stage is, by the stage's name.
  private(set) var types: [String: ToxicType] = [:]

  init() {}

  init(profile: Profile?, toxics: [ToxicSpec], paths shared: SharedPaths) {
    self.profile = profile?.name
    if let profile {
      nameLookup = .milliseconds(profile.path.dnsLatencyMilliseconds)
      addPath(of: profile, shared)
      for (index, toxic) in profile.toxics.enumerated() {
        add(toxic, named: "\(profile.name)/\(index)/\(toxic.name)")
      }
    }
    for toxic in toxics {
      // No profile's name holds a colon, so this can't be the name of a profile's stage.
      add(toxic, named: "toxic:\(toxic.name)")
    }
    refuses = (toxics + (profile?.toxics ?? [])).contains { $0.refusesEveryConnection }
  }

  /// The stages for a proxy's connection of this number; one array for all where no toxic chooses.
  func plan(_ direction: Direction, connection: Int) -> [StagePlan] {
    let plan = direction == .upstream ? upstream : downstream
    guard !filters.isEmpty else { return plan }
    return plan.filter { filters[$0.name]?.admits(connection) ?? true }
  }

  /// These conditions where they follow `old` after `connections` connections of the proxy: what a toxic has counted
  /// goes on, a new one begins to count.
  func counting(from old: Conditions, connections: Int) -> Conditions {
    var copy = self
    for name in filters.keys { copy.filters[name]?.before = old.filters[name]?.before ?? connections }
    return copy
  }

  /// What comes after these conditions counts connections anew.
  mutating func forgetCounts() { filters = [:] }

  /// The names are the same for all profiles, so that a switch changes the stages in place and what they hold follows the
  /// new numbers; only between a plain path and a modelled one it is handed on.
  private mutating func addPath(of profile: Profile, _ shared: SharedPaths) {
    if let network = shared.network(of: profile) {
      paths.append(network.path)
      isModelled = true
      let stage = StagePlan(name: "path/tcp", kind: .tcp(network.network))
      for direction in Direction.allCases { append(stage, to: direction) }
    } else {
      for direction in Direction.allCases { addPlainPath(of: profile, direction, shared) }
    }
  }

  /// Rate first, then delay: a packet is on the wire before it is under way.
  private mutating func addPlainPath(of profile: Profile, _ direction: Direction, _ shared: SharedPaths) {
    if let (path, rate) = shared.rate(of: profile, direction) {
      paths.append(path)
      append(StagePlan(name: "path/rate", kind: .sharedRate(rate)), to: direction)
    }
    if profile.path.latencyMilliseconds > 0 {
      let latency = Latency.Parameters(
        latency: .milliseconds(profile.path.latencyMilliseconds / 2),
        jitter: .milliseconds(profile.path.jitterMilliseconds / 2))
      append(StagePlan(name: "path/latency", kind: .latency(latency)), to: direction)
    }
  }

  private mutating func add(_ toxic: ToxicSpec, named name: String) {
    types[name] = toxic.type
    let stage = StagePlan(
      name: name, kind: toxic.attributes.stageKind, toxicity: Double(toxic.toxicity), trigger: toxic.trigger.core,
      isInBothLinks: toxic.stream == nil)
    filters[name] = toxic.trigger.connectionFilter
    for direction in Direction.allCases where toxic.acts(on: direction) { append(stage, to: direction) }
  }

  private mutating func append(_ stage: StagePlan, to direction: Direction) {
    switch direction {
    case .upstream: upstream.append(stage)
    case .downstream: downstream.append(stage)
    }
  }
}
