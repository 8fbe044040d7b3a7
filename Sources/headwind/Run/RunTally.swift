import Settings

/// What went through the proxies.
struct RunTraffic: Equatable {
  var connections: Int64 = 0
  /// What the command's connections sent on to the upstreams, after the toxics, and what they were sent.
  var upstreamBytes: Int64 = 0
  var downstreamBytes: Int64 = 0
  /// Bytes that came to the daemon from either side, whatever became of them.
  var receivedBytes: Int64 = 0
  var drops: Int64 = 0

  private func combined(_ other: RunTraffic, _ operation: (Int64, Int64) -> Int64) -> RunTraffic {
    RunTraffic(
      connections: operation(connections, other.connections),
      upstreamBytes: operation(upstreamBytes, other.upstreamBytes),
      downstreamBytes: operation(downstreamBytes, other.downstreamBytes),
      receivedBytes: operation(receivedBytes, other.receivedBytes), drops: operation(drops, other.drops))
  }

  static func + (a: RunTraffic, b: RunTraffic) -> RunTraffic { a.combined(b, +) }
  static func - (a: RunTraffic, b: RunTraffic) -> RunTraffic { a.combined(b, -) }
  static func larger(_ a: RunTraffic, _ b: RunTraffic) -> RunTraffic { a.combined(b, max) }

  var isNothing: Bool { upstreamBytes + downstreamBytes + receivedBytes + drops == 0 }
}

/// A decision by chance about a connection or an exchange.
struct RunDecision: Equatable {
  let proxy: String
  /// Of the session within its proxy; nil where the daemon doesn't say.
  let session: Int64?
  let stream: String?
  let exchange: Int64?
  let toxic: String
  let outcome: String
  let how: String?

  var json: JSON {
    .object([
      ("proxy", .string(proxy)), ("session", session.map(JSON.integer) ?? .null),
      ("stream", stream.map(JSON.string) ?? .null), ("exchange", exchange.map(JSON.integer) ?? .null),
      ("toxic", .string(toxic)), ("outcome", .string(outcome)), ("how", how.map(JSON.string) ?? .null),
    ])
  }
}

/// Collects what a daemon tells in the course of a run.
///
/// Neither source is complete: counters go with a proxy that is deleted, and of events only the last are kept. Both count
/// nothing twice, so for each proxy the larger one is nearer to what was.
struct RunTally {
  /// More are counted but not kept.
  private static let decisionsMax = 100_000

  /// The last event that was seen.
  private(set) var newestEvent: Int64
  private(set) var eventsLost: Int64 = 0
  private(set) var decisionsOmitted: Int64 = 0
  private var decided: [RunDecision] = []
  /// From daemons that tell of no decisions but those to drop something.
  private var dropped: [RunDecision] = []
  private var fromEvents: [String: RunTraffic] = [:]
  /// What else came in force meanwhile, though a lease held another profile: its name.
  private(set) var otherProfile: String?
  private let expected: (profile: String, proxies: [String])?
  private let countersBefore: [String: RunTraffic]
  private var fromCounters: [String: RunTraffic] = [:]

  /// - Parameters:
  ///   - events: the answer to `GET /events` before the command is started.
  ///   - counters: the answers to `GET /proxies/NAME/counters` then, by name.
  ///   - expected: the profile that is to hold for these proxies (empty: all) from now to the end.
  init(events: JSON, counters: [String: JSON], expected: (profile: String, proxies: [String])? = nil) {
    self.expected = expected
    newestEvent = events["events"]?.array.last?["id"]?.integerValue ?? 0
    countersBefore = counters.mapValues(RunTraffic.init(counters:))
  }

  var decisions: [RunDecision] { decided.isEmpty ? dropped : decided }

  var traffic: RunTraffic {
    let names = Set(fromEvents.keys).union(fromCounters.keys)
    return names.reduce(RunTraffic()) { sum, name in
      sum + .larger(fromEvents[name] ?? RunTraffic(), fromCounters[name] ?? RunTraffic())
    }
  }

  mutating func take(counters: JSON, of proxy: String) {
    let change = RunTraffic(counters: counters) - (countersBefore[proxy] ?? RunTraffic())
    // A proxy that was made anew counts from 0, which says nothing of what the one before it had.
    fromCounters[proxy] = .larger(change, fromCounters[proxy] ?? RunTraffic())
  }

  mutating func take(events: JSON) {
    for event in events["events"]?.array ?? [] {
      guard let id = event["id"]?.integerValue, id > newestEvent else { continue }
      eventsLost += id - newestEvent - 1
      newestEvent = id
      take(event)
    }
  }

  /// A change below a lease changes nothing yet.
  private mutating func noteSwitch(_ event: JSON) {
    guard let expected, let name = event["to"]?.string, event["below_lease"] == nil, name != expected.profile
    else { return }
    let proxy = event["proxy"]?.string
    guard expected.proxies.isEmpty || proxy.map(expected.proxies.contains) ?? true else { return }
    otherProfile = otherProfile ?? name
  }

  private mutating func take(_ event: JSON) {
    if event["type"]?.string == "profile_switched" { noteSwitch(event) }
    guard let proxy = event["proxy"]?.string else { return }
    switch event["type"]?.string {
    case "session_opened":
      fromEvents[proxy, default: RunTraffic()].connections += 1
    case "session_closed":
      fromEvents[proxy, default: RunTraffic()].upstreamBytes += event["upstream_bytes"]?.integerValue ?? 0
      fromEvents[proxy, default: RunTraffic()].downstreamBytes += event["downstream_bytes"]?.integerValue ?? 0
    case "dropped":
      fromEvents[proxy, default: RunTraffic()].drops += 1
      keep(RunDecision(event, of: proxy, outcome: "dropped"), in: \.dropped)
    case "decision":
      keep(RunDecision(event, of: proxy, outcome: event["outcome"]?.string ?? ""), in: \.decided)
    default: break
    }
  }

  private mutating func keep(_ decision: RunDecision, in list: WritableKeyPath<RunTally, [RunDecision]>) {
    guard self[keyPath: list].count < RunTally.decisionsMax else {
      decisionsOmitted += 1
      return
    }
    self[keyPath: list].append(decision)
  }
}

extension RunTraffic {
  /// - Parameter counters: the answer to `GET /proxies/NAME/counters`.
  init(counters: JSON) {
    func bytes(_ stream: String, _ what: String) -> Int64 { counters[stream]?[what]?.integerValue ?? 0 }
    connections = counters["sessions"]?.integerValue ?? 0
    upstreamBytes = bytes("upstream", "sent_bytes")
    downstreamBytes = bytes("downstream", "sent_bytes")
    receivedBytes = bytes("upstream", "received_bytes") + bytes("downstream", "received_bytes")
    drops = counters["drops"]?.integerValue ?? 0
  }
}

extension RunDecision {
  fileprivate init(_ event: JSON, of proxy: String, outcome: String) {
    self.init(
      proxy: proxy, session: event["number"]?.integerValue, stream: event["stream"]?.string,
      exchange: event["exchange"]?.integerValue, toxic: event["toxic"]?.string ?? "", outcome: outcome,
      how: event["how"]?.string)
  }
}
