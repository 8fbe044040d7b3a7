import Conditioning

/// A laboratory in virtual time: links and shared paths, driven as the proxy drives them, by jumping to the next deadline.
final class Bench {
  private(set) var now = Instant.zero
  private var stepsWithoutProgress = 0
  private(set) var links: [BenchLink] = []
  var paths: [SharedRate] = []
  /// How much later than asked every deadline is served.
  var lateness = Interval.zero

  func addPath(_ bytesPerSecond: Int64?) -> SharedRate {
    let path = SharedRate(bytesPerSecond: bytesPerSecond, at: now)
    paths.append(path)
    return path
  }

  func addLink(
    _ plan: [StagePlan], seed: UInt64 = 1, session: Int = 1, direction: Direction = .upstream
  ) -> BenchLink {
    let identity = LinkIdentity(seed: seed, proxy: "web", session: session, direction: direction)
    let link = BenchLink(Link(identity, plan: plan, owner: links.count, at: now))
    links.append(link)
    drive(link)
    return link
  }

  /// The next moment at which something may happen by itself.
  var deadline: Instant? {
    (links.map(\.deadline) + paths.map(\.deadline)).compactMap { $0 }.min()
  }

  /// Jumps to the next deadline and serves it; false when there is none.
  @discardableResult
  func step(notAfter limit: Instant = .distantFuture) -> Bool {
    guard let deadline, deadline <= limit, deadline < .distantFuture else { return false }
    let time = max(now, min(limit, deadline + lateness))
    stepsWithoutProgress = time > now ? 0 : stepsWithoutProgress + 1
    precondition(stepsWithoutProgress < 1_000, "a deadline asks again and again, and nothing comes")
    now = time
    driveAll()
    return true
  }

  /// Serves every deadline up to `time` and stops there.
  func advance(to time: Instant) {
    precondition(time >= now, "time does not go back")
    while step(notAfter: time) {}
    now = time
  }

  /// Time passes and no deadline is served.
  func jump(to time: Instant) {
    precondition(time >= now, "time does not go back")
    now = time
  }

  func advance(by interval: Interval) {
    advance(to: now + interval)
  }

  /// Serves deadlines until none is left.
  func settle() {
    while step() {}
  }

  func send(_ count: Int, opens: Bool = false, to link: BenchLink) {
    link.receive(count, opens: opens, at: now)
    drive(link)
  }

  func send(_ segment: Segment, to link: BenchLink) {
    link.link.receive(segment, at: now)
    drive(link)
  }

  func change(_ link: BenchLink, to plan: [StagePlan]) {
    link.link.change(to: plan, at: now)
    driveAll()
  }

  func setRate(_ bytesPerSecond: Int64?, of path: SharedRate) {
    path.setRate(bytesPerSecond, at: now)
    driveAll()
  }

  func driveAll() {
    for path in paths {
      while let flow = path.poll(at: now) { drive(links[flow.owner]) }
    }
    for link in links { drive(link) }
  }

  private func drive(_ link: BenchLink) {
    link.drain(at: now)
  }
}

/// A link, what was sent into it and what came out of it, when.
final class BenchLink {
  struct Output: Equatable {
    var time: Instant
    var segment: Segment

    init(_ time: Instant, _ segment: Segment) {
      self.time = time
      self.segment = segment
    }
  }

  struct Input {
    var time: Instant
    var extent: Extent
  }

  var link: Link
  private(set) var inputs: [Input] = []
  private(set) var outputs: [Output] = []
  private(set) var sentBytes = 0
  private(set) var receivedBytes = 0

  init(_ link: consuming Link) {
    self.link = link
  }

  var heldBytes: Int { sentBytes - receivedBytes }

  // The link itself can't be copied into an expectation.
  var allowance: Int { link.allowance }
  var deadline: Instant? { link.deadline }
  var isTransparent: Bool { link.isTransparent }
  var deliverableBytes: Int? { link.deliverableBytes }
  func takeDecisions() -> [Decision] { link.takeDecisions() }

  func receive(_ count: Int, opens: Bool, at now: Instant) {
    let extent = Extent(start: Int64(sentBytes), count: count, opensExchange: opens)
    inputs.append(Input(time: now, extent: extent))
    sentBytes += count
    link.receive(.bytes(extent), at: now)
  }

  func drain(at now: Instant) {
    while let segment = link.poll(at: now) {
      outputs.append(Output(now, segment))
      if case .bytes(let extent) = segment { receivedBytes += extent.count }
    }
  }

  /// When the byte before `offset` had left; nil when it has not.
  func time(of offset: Int) -> Instant? {
    outputs.first {
      if case .bytes(let extent) = $0.segment { extent.end >= Int64(offset) } else { false }
    }?.time
  }

  /// Time and bytes of each output, for tables.
  var table: [Row] {
    outputs.map { output in
      switch output.segment {
      case .bytes(let extent): Row(output.time, "\(extent.count)")
      case .end: Row(output.time, "end")
      case .close: Row(output.time, "close")
      case .reset: Row(output.time, "reset")
      }
    }
  }
}

/// A line of a table: milliseconds, and what came out ("1448", "end", "close", "reset").
struct Row: Equatable, CustomStringConvertible {
  var milliseconds: Double
  var what: String

  init(_ time: Instant, _ what: String) {
    self.init((time - .zero).milliseconds, what)
  }

  init(_ milliseconds: Double, _ what: String) {
    self.milliseconds = milliseconds
    self.what = what
  }

  var description: String { "\(milliseconds) ms: \(what)" }
}

extension Instant {
  static func milliseconds(_ value: Double) -> Instant { .zero + .milliseconds(value) }
  static func seconds(_ value: Double) -> Instant { .zero + .seconds(value) }
}

extension StagePlan {
  static func latency(_ milliseconds: Double, jitter: Double = 0, name: String = "latency") -> StagePlan {
    StagePlan(
      name: name,
      kind: .latency(.init(latency: .milliseconds(milliseconds), jitter: .milliseconds(jitter))))
  }

  static func rate(_ bytesPerSecond: Int64, name: String = "rate") -> StagePlan {
    StagePlan(name: name, kind: .bandwidth(.init(bytesPerSecond: bytesPerSecond)))
  }

  static func path(_ path: SharedRate, name: String = "path") -> StagePlan {
    StagePlan(name: name, kind: .sharedRate(path))
  }

  static func stall(_ duration: Interval? = nil, name: String = "stall") -> StagePlan {
    StagePlan(name: name, kind: .stall(.init(duration: duration)))
  }

  static func slowClose(_ milliseconds: Double, name: String = "slow_close") -> StagePlan {
    StagePlan(name: name, kind: .slowClose(.init(delay: .milliseconds(milliseconds))))
  }

  static func timeout(_ milliseconds: Double, name: String = "timeout") -> StagePlan {
    StagePlan(name: name, kind: .timeout(.init(timeout: .milliseconds(milliseconds))))
  }

  static func resetPeer(_ milliseconds: Double, name: String = "reset_peer") -> StagePlan {
    StagePlan(name: name, kind: .resetPeer(.init(timeout: .milliseconds(milliseconds))))
  }

  static func limit(_ bytes: Int64, name: String = "limit_data") -> StagePlan {
    StagePlan(name: name, kind: .limitData(.init(bytes: bytes)))
  }

  static func slicer(
    _ averageSize: Int64, variation: Int64 = 0, milliseconds: Double = 0, name: String = "slicer"
  ) -> StagePlan {
    StagePlan(
      name: name,
      kind: .slicer(.init(averageSize: averageSize, sizeVariation: variation, delay: .milliseconds(milliseconds))))
  }

  /// The stage with a trigger.
  func triggered(bytes: Int64 = 0, milliseconds: Double = 0) -> StagePlan {
    var copy = self
    copy.trigger = Trigger(bytes: bytes, delay: .milliseconds(milliseconds))
    return copy
  }

  static func drop(
    _ probability: Double, per: Drop.Scope, how: Drop.How = .reset, name: String = "drop"
  ) -> StagePlan {
    StagePlan(name: name, kind: .drop(.init(probability: probability, per: per, how: how)))
  }

  static func noop(_ name: String = "noop") -> StagePlan {
    StagePlan(name: name, kind: .noop)
  }
}
