import Conditioning
import Settings

/// Chooses what is measured of one path, and how often.
struct PathPlanner {
  let promise: PathPromise
  /// For all of it, see ``SelfTestPlanner/seconds``.
  let seconds: Double
  /// The profile's.
  let name: String

  private static let silenceSeconds = 1.5
  /// Full packets and round trips that a rate is measured over at least, but for what that may take.
  private static let packetsMin = 20.0
  private static let roundTripsMin = 15.0
  private static let bulkSecondsMax = 6.0
  /// So that a few milliseconds of the machine's are less than what is allowed for them.
  private static let jointSecondsMin = 1.0
  /// However unlucky a path may be, no task takes longer.
  private static let limitSecondsMax = 90.0

  private var path: PathSpec { promise.path }

  func tasks() -> [SelfTestTask] {
    guard let size = fetchSize() else { return [silence] }
    var tasks = [pings(seconds: seconds * 0.16), fetches(size, seconds: seconds * 0.26)]
    if canBeFilled(.downstream) { tasks.append(bulk(.downstream, seconds: seconds * 0.17)) }
    if canBeFilled(.upstream) { tasks.append(bulk(.upstream, seconds: seconds * 0.17)) }
    if canBeFilled(.downstream) { tasks.append(joint(size, seconds: seconds * 0.2)) }
    return tasks
  }

  private var silence: SelfTestTask {
    let duration = Interval.seconds(Self.silenceSeconds)
    let row = SelfTestRow(
      figure: .silence, promised: 0, source: .formula("nothing gets through"), band: 0...0, allowed: 0...0)
    return SelfTestTask(
      title: "nothing gets through", work: .silence(duration), profile: bare, expected: duration,
      limit: duration + .seconds(5), rows: [row])
  }

  /// The path alone: what toxics do is tested apart.
  private var bare: Profile { Profile(name: name, path: path) }

  /// - Parameters:
  ///   - size: see ``SelfTestRow/size``.
  ///   - isByFormula: false where the formulas don't hold.
  private func task(_ title: String, _ spec: WorkloadSpec, size: Int = 0, isByFormula: Bool = true) -> SelfTestTask {
    let runs = promise.runs(spec)
    let rows = spec.figures.map { figure in
      SelfTestRow.byModel(
        figure, size: size, runs: runs.compactMap { $0.workload.figures[figure] },
        formula: isByFormula ? promise.formula(figure) : nil)
    }
    let durations = runs.map(\.duration.seconds)
    let limit = min(Self.limitSecondsMax, (durations.max() ?? 0) * 1.5 + 5)
    return SelfTestTask(
      title: title, work: .path(spec), profile: bare, expected: .seconds(durations.median ?? 0),
      limit: .seconds(limit), rows: rows, modelRuns: runs.flatMap { ($0.workload as? Fetches)?.runs ?? [] })
  }

  // MARK: Requests

  /// How large a transfer is that doesn't take too long, and how long it takes; nil where nothing gets through.
  private func fetchSize() -> (bytes: Int, seconds: Double)? {
    var last: (bytes: Int, seconds: Double)?
    for bytes in [102_400, 10_240, 1_024] {
      guard let median = pilots(.fetches(1, bytes: bytes), count: 9).map(\.duration.seconds).median else { continue }
      last = (bytes, median)
      if median <= max(6, seconds * 0.3) { break }
    }
    return last
  }

  private func fetches(_ size: (bytes: Int, seconds: Double), seconds: Double) -> SelfTestTask {
    let count = min(30, max(2, Int(seconds / max(size.seconds, 0.001))))
    return task("new connections", .fetches(count, bytes: size.bytes), size: size.bytes)
  }

  private func pings(seconds: Double) -> SelfTestTask {
    let opens = path.jitterMilliseconds > 0 && canOpen
    let means = pilots(.pings(8), count: 5).compactMap { ($0.workload as? Pings)?.milliseconds.mean }
    let count = min(60, max(8, Int(seconds * 1000 / max(means.median ?? 0, 0.1))))
    let spec = WorkloadSpec.pings(count, openingBytes: opens ? Pings.openingBytes : Pings.messageBytes)
    return task("round trips", spec, isByFormula: opens || path.jitterMilliseconds == 0)
  }

  /// Whether ``Pings/openingBytes`` take no more than a few seconds.
  private var canOpen: Bool {
    Direction.allCases.allSatisfy { (path.bytesPerSecond($0) ?? .max) >= 15_000 }
  }

  /// Runs of the model that are for the plan alone.
  private func pilots(_ spec: WorkloadSpec, count: Int) -> [PathPromise.Run] {
    (1...(promise.hasChance ? count : 1)).compactMap { promise.run(spec, number: -$0) }
  }

  // MARK: Rates

  /// There is something that holds a sender back.
  private func canBeFilled(_ direction: Direction) -> Bool {
    path.modelInForce == .tcp || path.bytesPerSecond(direction) != nil
  }

  private func bulk(_ direction: Direction, seconds: Double) -> SelfTestTask {
    let rate = promise.payloadRate(direction)
    let packets = rate.map { Self.packetsMin * 1500 / max($0, 1) } ?? 0
    let roundTrips = Self.roundTripsMin * path.latencyMilliseconds / 1000
    let asked = max(seconds, min(Self.bulkSecondsMax, max(packets, roundTrips)) * 1.6)
    // What a window or a queue keeps from the rate is the model's to say.
    let reached = rate.flatMap { speedUp(direction, rate: $0, seconds: asked) }
    let (beginning, total) = reached ?? (asked * 0.4, asked)
    return task(
      direction == .downstream ? "rate down" : "rate up",
      .bulk(direction, from: .seconds(beginning), for: .seconds(total - beginning)),
      isByFormula: reached != nil)
  }

  /// From when on a transfer has the rate, by the model, in a test that is at most twice as long as asked for; all in
  /// seconds. Nil: not in that time.
  private func speedUp(_ direction: Direction, rate: Double, seconds: Double) -> (beginning: Double, total: Double)? {
    for total in [seconds, seconds * 1.5, seconds * 2] {
      let spec = WorkloadSpec.bulk(direction, from: .zero, for: .seconds(total))
      let transfers = pilots(spec, count: 3).compactMap { $0.workload as? BulkTransfer }
      for share in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] {
        let found = transfers.map { $0.rate(from: .seconds(total * share)) }
        // Packets may be early at one end of the time and late at the other.
        let off = 0.005 + path.jitterMilliseconds / 1000 / (total * (1 - share))
        if !found.isEmpty, found.allSatisfy({ ($0 / rate - 1).magnitude <= off }) { return (total * share, total) }
      }
    }
    return nil
  }

  /// As much for each as fits into the time, by how long other amounts take in the model; a second look, because a
  /// transfer's beginning is slower than the rest.
  private func joint(_ size: (bytes: Int, seconds: Double), seconds: Double) -> SelfTestTask {
    let seconds = max(seconds, Self.jointSecondsMin)
    var bytes = size.bytes
    for _ in 0..<2 {
      let pilot = pilots(.joint(JointTransfers.connections, bytes: bytes), count: 1).map(\.duration.seconds).median
      let fitting = Double(bytes) * seconds / max(pilot ?? size.seconds, 0.001)
      bytes = 1024 * min(16_384, max(min(16, size.bytes / 1024), Int(fitting / 1024)))
    }
    return task(
      "\(JointTransfers.connections) connections at once", .joint(JointTransfers.connections, bytes: bytes), size: bytes
    )
  }
}
