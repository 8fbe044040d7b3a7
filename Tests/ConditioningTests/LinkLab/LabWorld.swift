import Conditioning

/// Paths and sessions in virtual time, without sockets: each session has two links over a path, driven as the proxy drives
/// them, and two applications that write when there is room and take what arrives at once.
final class LabWorld {
  private(set) var now: Instant
  private(set) var paths: [NetworkPath] = []
  private(set) var sessions: [LabSession] = []
  private var stepsInPlace = 0
  private var alarms: [(due: Instant, action: () -> Void)] = []
  let seed: UInt64

  init(seed: UInt64, startingAt start: Instant = .zero) {
    self.seed = seed
    now = start
  }

  func addPath(_ parameters: PathParameters) -> NetworkPath { addPath(PathTimeline(parameters)) }

  func addPath(_ timeline: PathTimeline) -> NetworkPath {
    let path = NetworkPath(timeline, seed: seed, name: "lab \(paths.count)", at: now)
    paths.append(path)
    return path
  }

  /// A new connection over `path`; its client begins with SYN.
  func connect(over path: NetworkPath) -> LabSession {
    let session = LabSession(number: sessions.count, seed: seed, plan: Self.plan(path), at: now)
    sessions.append(session)
    session.connection?.connect(at: now)
    return session
  }

  static func plan(_ path: NetworkPath?) -> [StagePlan] {
    path.map { [StagePlan(name: "path/tcp", kind: .tcp($0), isInBothLinks: true)] } ?? []
  }

  func after(_ delay: Interval, _ action: @escaping () -> Void) {
    let due = now + delay
    let index = alarms.firstIndex { $0.due <= due } ?? alarms.count
    alarms.insert((due, action), at: index)
  }

  private var deadline: Instant? {
    (paths.map(\.deadline) + sessions.map(\.deadline) + [alarms.last?.due]).compactMap { $0 }.min()
  }

  /// Serves the next deadline; false when there is none up to `limit`.
  func step(notAfter limit: Instant = .distantFuture) -> Bool {
    guard let deadline, deadline <= limit else { return false }
    stepsInPlace = deadline > now ? 0 : stepsInPlace + 1
    precondition(stepsInPlace < 10_000, "a deadline asks again and again")
    now = max(now, deadline)
    if let alarm = alarms.last, alarm.due <= now {
      alarms.removeLast()
      alarm.action()
    }
    for path in paths {
      while let token = path.poll(at: now) { sessions[token].drive(at: now) }
    }
    for session in sessions where session.deadline ?? .distantFuture <= now { session.drive(at: now) }
    return true
  }

  func run(until limit: Instant = .distantFuture, while goesOn: () -> Bool = { true }) {
    while goesOn(), step(notAfter: limit) {}
    if limit < .distantFuture, goesOn() { now = max(now, limit) }
  }
}

/// One side of a session: what its application still has to write, and what it has got.
struct LabApplication {
  var toWrite = 0
  /// Written behind all bytes.
  var marks: [Segment] = []
  var writtenBytes: Int64 = 0
  var receivedBytes = 0
  var received: [Segment] = []
  /// When, and how many bytes there were then.
  var arrivals: [(at: Instant, bytes: Int)] = []
  /// Whether these two are kept.
  var keepsRecord = false
}

final class LabSession {
  private var upstream: Link
  private var downstream: Link
  var client = LabApplication()
  var server = LabApplication()
  /// Called when something has arrived at either side, or the handshake has come on.
  var hasNews: () -> Void = {}
  /// The server's application answers when it is reached.
  var accepts = true

  init(number: Int, seed: UInt64, plan: [StagePlan], at now: Instant) {
    let ways = [Direction.upstream, .downstream].map {
      LinkIdentity(seed: seed, proxy: "lab", session: number, direction: $0)
    }
    upstream = Link(ways[0], plan: plan, owner: number, at: now)
    downstream = Link(ways[1], plan: plan, owner: number, at: now)
  }

  /// That of toxics beside the path.
  var deadline: Instant? { [upstream.deadline, downstream.deadline].compactMap { $0 }.min() }

  var connection: TCPConnection? { upstream.connection }

  /// Writes at once, room or not.
  func write(_ segment: Segment, _ direction: Direction, at now: Instant) {
    switch direction {
    case .upstream: upstream.receive(segment, at: now)
    case .downstream: downstream.receive(segment, at: now)
    }
    drive(at: now)
  }

  func change(to plan: [StagePlan], at now: Instant) {
    upstream.change(to: plan, at: now)
    downstream.change(to: plan, at: now)
    drive(at: now)
  }

  func drive(at now: Instant) {
    if accepts, connection?.handshake == .atServer { connection?.serverAccepted(at: now) }
    var moves = true
    while moves {
      moves = Self.move(&client, &upstream, &server, at: now)
      if Self.move(&server, &downstream, &client, at: now) { moves = true }
      if moves { hasNews() }
    }
    hasNews()
  }

  /// From the writer's application through its link to the reader's.
  private static func move(
    _ writer: inout LabApplication, _ link: inout Link, _ reader: inout LabApplication, at now: Instant
  ) -> Bool {
    var hasMoved = write(&writer, to: &link, at: now)
    while let segment = link.poll(at: now) {
      if case .bytes(let extent) = segment { reader.receivedBytes += extent.count }
      if reader.keepsRecord {
        reader.received.append(segment)
        reader.arrivals.append((now, reader.receivedBytes))
      }
      hasMoved = true
      _ = write(&writer, to: &link, at: now)
    }
    return hasMoved
  }

  private static func write(_ writer: inout LabApplication, to link: inout Link, at now: Instant) -> Bool {
    var hasWritten = false
    while writer.toWrite > 0 {
      // The proxy's read buffer holds 256 KiB.
      let count = min(writer.toWrite, link.allowance, 256 << 10)
      guard count > 0 else { return hasWritten }
      link.receive(.bytes(Extent(start: writer.writtenBytes, count: count)), at: now)
      writer.toWrite -= count
      writer.writtenBytes += Int64(count)
      hasWritten = true
    }
    for mark in writer.marks { link.receive(mark, at: now) }
    hasWritten = hasWritten || !writer.marks.isEmpty
    writer.marks = []
    return hasWritten
  }
}
