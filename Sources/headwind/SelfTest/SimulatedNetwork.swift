import Conditioning
import Settings

/// A workload over the daemon's own core, in virtual time: what a profile promises where no formula says it.
///
/// The plan of its links is what a session's has under the profile's path; nothing else is between the two ends.
final class SimulatedNetwork: TestNetwork {
  private(set) var now = Instant.zero
  private let seed: UInt64
  private let plan: SimulatedPlan
  private var sessions: [Int: SimulatedSession] = [:]
  private var opened = 0
  private var wakesAt: Instant?
  private var workload: (any Workload)?
  /// At one point of time: a sender that nothing holds back would write for ever.
  private var rounds = 0
  /// Each client begins up to so much later than it is told to, and its server accepts up to so much later; wake-ups
  /// are late by a share of it.
  private let lateness: Interval
  private static let wakeUpShare = 0.2
  private var dice: SeededGenerator
  private static let roundsMax = 100_000

  /// - Parameter offset: how long the path has been there already when the workload begins.
  init(_ path: PathSpec, seed: UInt64, offset: Interval = .zero, lateness: Interval = .zero) {
    self.seed = seed
    self.lateness = lateness
    dice = SeededGenerator(seed: seed, "selftest", "lateness")
    plan = SimulatedPlan(path, seed: seed)
    now = now + offset
  }

  /// What it has cost so far: points of time at which something happened.
  private(set) var steps = 0

  /// - Parameter limit: of virtual time.
  /// - Returns: whether it came to its end.
  func run(_ workload: any Workload, limit: Interval) -> Bool {
    self.workload = workload
    let end = now + limit
    workload.begin(on: self)
    while !workload.isOver {
      for (_, session) in sessions.sorted(by: { $0.key < $1.key }) { drive(session) }
      if workload.isOver { break }
      guard let next = nextDue, next <= end, rounds < SimulatedNetwork.roundsMax else { return false }
      if next > now { rounds = 0 }
      now = max(now, next + .seconds(lateness.seconds * SimulatedNetwork.wakeUpShare * dice.unit()))
      step()
    }
    return true
  }

  private var nextDue: Instant? {
    let links = sessions.values.compactMap(\.deadline)
    return (links + [plan.deadline, wakesAt].compactMap { $0 }).min()
  }

  private func step() {
    steps += 1
    if let due = wakesAt, due <= now {
      wakesAt = nil
      workload?.wake()
    }
    plan.poll(at: now)
  }

  private func drive(_ session: SimulatedSession) {
    var hasMoved = true
    while hasMoved, rounds < SimulatedNetwork.roundsMax {
      rounds += 1
      session.shakeHands(at: now)
      hasMoved = false
      for direction in Direction.allCases {
        if session.write(direction, at: now) { hasMoved = true }
        while let segment = session.poll(direction, at: now) {
          hasMoved = true
          arrived(segment, direction, session)
        }
      }
    }
    if session.isClosed { sessions[session.number] = nil }
  }

  private func arrived(_ segment: Segment, _ direction: Direction, _ session: SimulatedSession) {
    switch segment {
    case .bytes(let extent): workload?.received(extent.count, direction, on: session.number)
    case .end where direction == .upstream: session.end(.downstream)
    case .end, .close, .reset: session.isClosed = true
    }
  }

  // MARK: The workload's side

  func open() -> Int {
    opened += 1
    let begins = now + .seconds(lateness.seconds * dice.unit())
    sessions[opened] = SimulatedSession(
      opened, plan: plan.stages, seed: seed, at: now, begins: begins,
      acceptance: .seconds(lateness.seconds * dice.unit()))
    return opened
  }

  func send(_ bytes: Int, _ direction: Direction, on connection: Int) {
    sessions[connection]?.queue(bytes, direction)
  }

  func close(_ connection: Int) { sessions[connection]?.end(.upstream) }

  func wake(after interval: Interval) { wakesAt = now + interval }
}

/// What stands between client and server, as `Proxying` has it for a profile with this path.
private struct SimulatedPlan {
  let stages: [Direction: [StagePlan]]
  private let path: NetworkPath?
  private let rates: [SharedRate]

  init(_ spec: PathSpec, seed: UInt64) {
    guard spec.modelInForce == .plain else {
      let path = NetworkPath(spec.coreTimeline, seed: seed, name: "selftest", at: .zero)
      let stage = StagePlan(name: "path/tcp", kind: .tcp(path), isInBothLinks: true)
      stages = [.upstream: [stage], .downstream: [stage]]
      self.path = path
      rates = []
      return
    }
    var stages: [Direction: [StagePlan]] = [:]
    var rates: [SharedRate] = []
    for direction in Direction.allCases {
      if let bytesPerSecond = spec.bytesPerSecond(direction) {
        let rate = SharedRate(bytesPerSecond: bytesPerSecond, at: .zero)
        rates.append(rate)
        stages[direction, default: []].append(StagePlan(name: "path/rate", kind: .sharedRate(rate)))
      }
      if spec.latencyMilliseconds > 0 {
        let latency = Latency.Parameters(
          latency: .milliseconds(spec.latencyMilliseconds / 2), jitter: .milliseconds(spec.jitterMilliseconds / 2))
        stages[direction, default: []].append(StagePlan(name: "path/latency", kind: .latency(latency)))
      }
    }
    self.stages = stages
    self.rates = rates
    path = nil
  }

  var deadline: Instant? {
    (rates.compactMap(\.deadline) + [path?.deadline].compactMap { $0 }).min()
  }

  /// Every session is driven after it, so whose turn it is doesn't matter.
  func poll(at now: Instant) {
    while path?.poll(at: now) != nil {}
    for rate in rates {
      while rate.poll(at: now) != nil {}
    }
  }
}
