import Conditioning

// What the other tools have no words for. Names of toxics are anybody's text and stand in scripts that root runs, so they
// are quoted as JSON quotes them, on one line.
extension Profile {
  /// What no other tool can be told.
  var notesOnTime: [String] {
    var notes: [String] = []
    if let timeline = path.timeline {
      let count = timeline.steps.count
      notes.append(
        "timeline: left out (\(count) \(count == 1 ? "step" : "steps")); the numbers are those of the path itself")
    }
    for direction in Direction.allCases where path.trace?[direction] != nil {
      notes.append("trace: left out; \(direction) has no limit here")
    }
    if path.dnsLatencyMilliseconds > 0 {
      notes.append("dns_latency_ms \(JSON.decimalText(of: path.dnsLatencyMilliseconds)): left out")
    }
    return notes
  }

  /// For tools under real TCP, which isn't modelled there.
  var notesOnRealTCP: [String] {
    var notes: [String] = []
    if path.congestionControl != .cubic {
      notes.append("congestion_control \(path.congestionControl.rawValue): left out; the hosts' own decides")
    }
    if path.model == .plain {
      notes.append("model plain: left out; real TCP adds its handshake, slow start and the link's queue")
    }
    return notes
      + toxics.compactMap { toxic in
        let name = "toxic \(JSON.string(toxic.name).excerpt)"
        if toxic.refusesAll { return "\(name): all packets are lost, so connections hang where they would be refused" }
        return toxic.isBlackHole ? nil : "\(name): left out; packets know no connections or requests"
      }
  }

  /// The share of packets that a tool for packets is to lose: all where nobody gets an answer.
  func packetLoss(_ direction: Direction) -> LossSpec {
    let isHeld = path.bytesPerSecond(direction) == 0
    return isHeld || toxics.contains { $0.refusesAll || $0.isBlackHole } ? .share(1) : path.loss(direction)
  }

  /// For tools that delay and pace bytes, and know no packets.
  func notesOnBytes(of tool: String) -> [String] {
    guard path.modelInForce == .tcp else { return [] }
    var notes: [String] = []
    if path.queue != nil { notes.append("queue: left out") }
    if path.congestionControl != .cubic {
      notes.append("congestion_control \(path.congestionControl.rawValue): left out")
    }
    return notes + ["model tcp: left out; \(tool) knows no handshake, slow start or queue"]
  }

  func notesOnRate(below least: Int64, becoming text: String) -> [String] {
    Direction.allCases.compactMap { direction in
      guard let rate = path.bytesPerSecond(direction), rate < least else { return nil }
      return "\(direction)_bytes_per_second \(rate): \(text)"
    }
  }
}

extension ToxicSpec {
  /// Whether nobody gets through: the state that other tools call offline.
  var refusesAll: Bool {
    guard case .drop(let drop) = attributes else { return false }
    return drop.how == .refuse
  }

  /// Whether nobody ever gets an answer: the state that other tools call 100 % loss.
  var isBlackHole: Bool {
    guard case .drop(let drop) = attributes, trigger.isEmpty, toxicity >= 1 else { return false }
    return drop.how == .hang && drop.per == .connection && drop.probability == 1
  }
}

extension LossSpec {
  /// The share of packets lost in the long run.
  var meanShare: Double {
    switch model {
    case .none: 0
    case .random(let share): share
    case .bursts(let bursts): bursts.meanLoss
    }
  }

  /// Nil: each packet by itself.
  var bursts: GilbertElliott? {
    if case .bursts(let bursts) = model { bursts } else { nil }
  }
}

extension PathSpec {
  /// IP bytes that wait at most, of the path itself; nil without a rate.
  func queueLimitBytes(_ direction: Direction) -> Int? {
    var path = self
    path.timeline = nil
    let parameters = path.coreTimeline.steps[0].parameters
    return (direction == .upstream ? parameters.upstream : parameters.downstream).queueBytes
  }

  /// Of one direction.
  var oneWayMilliseconds: Double { latencyMilliseconds / 2 }

  /// The round trip in whole milliseconds, shared out so that nothing is lost: an odd one is longer downstream.
  func wholeOneWay(_ direction: Direction, of roundTrip: Double) -> Int64 {
    let whole = Int64(roundTrip.rounded())
    return direction == .upstream ? whole / 2 : whole - whole / 2
  }
}
