import Conditioning

/// What the link lab's clients do, and what they measure (in milliseconds).
enum LabWorkload: String, CaseIterable {
  case new1k = "new-1k"
  case new14k = "new-14k"
  case new100k = "new-100k"
  case new1m = "new-1m"
  case warm
  case put100k = "put-100k"
  case put1m = "put-1m"
  case par6 = "par6-100k"
  case pingpong
  case idleBurst = "idle-burst"
  case tls = "tls-14k"

  fileprivate var script: [LabStep] {
    switch self {
    case .new1k: [.fetch(1_024)]
    case .new14k: [.fetch(14_336)]
    case .new100k, .par6: [.fetch(102_400)]
    case .new1m: [.fetch(1_048_576)]
    case .put100k: [.put(102_400)]
    case .put1m: [.put(1_048_576)]
    case .warm:
      (0..<20).flatMap { _ in [.ask(200, 1_024, all: "request_ms"), .pause(200)] }
        + [.ask(200, 102_400, first: "then100k_ttfb_ms", all: "then100k_ms")]
    case .pingpong: (0..<200).map { _ in .ask(100, 100, all: "rtt_ms") }
    case .idleBurst:
      [
        .ask(200, 102_400, all: "first_ms"), .ask(200, 102_400, all: "second_ms"), .pause(5_000),
        .ask(200, 102_400, first: "after_idle_ttfb_ms", all: "after_idle_ms"),
      ]
    case .tls: LabStep.tls
    }
  }
}

struct LabStep {
  var up = 0
  var down = 0
  /// Instead of asking.
  var pause: Double?
  /// Names of the figures.
  var first: String?
  var all: String?
  /// Whether they count from the beginning of the connection.
  var sinceStart = false

  static func ask(_ up: Int, _ down: Int, first: String? = nil, all: String? = nil) -> LabStep {
    LabStep(up: up, down: down, first: first, all: all)
  }

  static func fetch(_ bytes: Int) -> LabStep {
    LabStep(up: 200, down: bytes, first: "ttfb_ms", all: "total_ms", sinceStart: true)
  }

  static func put(_ bytes: Int) -> LabStep { LabStep(up: bytes + 11, down: 1, all: "total_ms", sinceStart: true) }

  static func pause(_ milliseconds: Double) -> LabStep { LabStep(pause: milliseconds) }

  /// The sizes of TLS 1.3 with an RSA certificate and two session tickets. The answer is one record, readable when it is
  /// complete; 2 ms of computing.
  static let tls = [
    LabStep(up: 200, down: 1_290), .pause(2), LabStep(pause: 0, all: "handshake_ms", sinceStart: true),
    LabStep(up: 302, down: 14_868, all: "total_ms", sinceStart: true),
  ]
}

typealias LabFigures = [String: [Double]]

/// One client's run through its script.
final class LabClient {
  private let world: LabWorld
  private let session: LabSession
  private let start: Instant
  private var steps: ArraySlice<LabStep>
  private(set) var figures: LabFigures = [:]
  private var begin: Instant
  private var isWaiting = false
  private var hasFirst = false
  private var before = 0
  private var asked = 0
  private var told = 0
  private var answers: [(upTo: Int, bytes: Int)] = []

  init(_ world: LabWorld, _ path: NetworkPath, _ workload: LabWorkload) {
    self.world = world
    start = world.now
    begin = world.now
    steps = workload.script[...]
    session = world.connect(over: path)
    session.hasNews = { [unowned self] in look() }
    session.drive(at: world.now)
  }

  var isDone: Bool { steps.isEmpty }

  private func note(_ name: String?, since: Instant) {
    if let name { figures[name, default: []].append((world.now - since).milliseconds) }
  }

  private func look() {
    while let answer = answers.first, session.server.receivedBytes >= answer.upTo {
      answers.removeFirst()
      session.server.toWrite += answer.bytes
    }
    guard session.connection?.handshake == .established, let step = steps.first else { return }
    if !isWaiting { return enter(step) }
    guard step.pause == nil else { return }
    let reference = step.sinceStart ? start : begin
    if !hasFirst && session.client.receivedBytes > before {
      hasFirst = true
      note(step.first, since: reference)
    }
    if session.client.receivedBytes >= told {
      note(step.all, since: reference)
      leave()
    }
  }

  private func enter(_ step: LabStep) {
    isWaiting = true
    hasFirst = false
    begin = world.now
    before = told
    if let pause = step.pause {
      world.after(.milliseconds(pause)) { [unowned self] in
        note(step.all, since: start)
        leave()
        session.drive(at: world.now)
      }
    } else {
      asked += step.up
      told += step.down
      answers.append((asked, step.down))
      session.client.toWrite += step.up
      world.after(.zero) { [unowned self] in session.drive(at: world.now) }
    }
  }

  private func leave() {
    steps.removeFirst()
    isWaiting = false
    if let next = steps.first { enter(next) }
  }
}

extension LabWorkload {
  /// One repetition; nil: not over within ten minutes.
  func run(over link: LabLink, seed: UInt64) -> LabFigures? {
    var dice = SeededGenerator(seed: seed, "phase")
    let world = LabWorld(seed: seed, startingAt: Instant.zero + .seconds(dice.unit() * 2.048))
    let path = world.addPath(link.parameters)
    let clients = (0..<(self == .par6 ? 6 : 1)).map { _ in LabClient(world, path, self) }
    world.run(until: world.now + .seconds(600)) { !clients.allSatisfy(\.isDone) }
    guard clients.allSatisfy(\.isDone) else { return nil }
    var figures = clients.reduce(into: LabFigures()) { sum, client in
      sum.merge(client.figures) { $0 + $1 }
    }
    if self == .par6 { figures = Self.together(figures) }
    if self == .tls { figures["ttfb_ms"] = figures["total_ms"] }
    return figures
  }

  private static func together(_ each: LabFigures) -> LabFigures {
    let totals = each["total_ms"] ?? []
    let speeds = totals.map { 1 / $0 }
    let squares = speeds.reduce(0) { $0 + $1 * $1 }
    let sum = speeds.reduce(0, +)
    return [
      "each_ttfb_ms": each["ttfb_ms"] ?? [], "each_total_ms": totals, "total_ms": [totals.max() ?? 0],
      "jain": [sum * sum / (6 * squares)],
    ]
  }
}
