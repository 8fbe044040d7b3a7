import Conditioning

// What toxiproxy's POST /populate takes, with the toxics that its POST /proxies/NAME/toxics takes, one by one.
extension Profile {
  func toxiproxy(_ proxy: ExportedProxy) -> ProfileExport {
    let toxics = pathToxics + toxics.flatMap(\.classicToxics).map(\.toxic)
    let isEnabled = !self.toxics.contains(where: \.refusesAll)
    let entry: JSON = [
      "name": .string(name), "listen": .string(proxy.listen), "upstream": .string(proxy.upstream),
      "enabled": .bool(isEnabled), "toxics": .array(Self.uniquelyNamed(toxics).map(\.json)),
    ]
    var notes = toxics.isEmpty ? [] : ["toxiproxy's populate ignores toxics: POST each to /proxies/\(name)/toxics"]
    notes += toxiproxyNotes + self.toxics.flatMap(\.notesOnClassic)
    return ProfileExport(body: .document([entry]), notes: notes)
  }

  /// Delay first, as a packet's way begins with it.
  private var pathToxics: [ToxicSpec] {
    let streams: [(Direction, Stream)] = [(.upstream, .upstream), (.downstream, .downstream)]
    var toxics: [ToxicSpec] = []
    for (direction, stream) in streams {
      let delay = path.wholeOneWay(direction, of: path.latencyMilliseconds)
      let jitter = path.wholeOneWay(direction, of: path.jitterMilliseconds)
      guard delay > 0 || jitter > 0 else { continue }
      toxics.append(ToxicSpec(.latency(milliseconds: delay, jitterMilliseconds: jitter), stream: stream))
    }
    for (direction, stream) in streams {
      guard let rate = path.bytesPerSecond(direction) else { continue }
      toxics.append(ToxicSpec(.bandwidth(kilobytesPerSecond: Self.kilobytes(rate)), stream: stream))
    }
    return toxics
  }

  /// Toxiproxy counts in kilobytes of 1,000; 0 holds everything, so a slow rate is at least 1.
  private static func kilobytes(_ bytes: Int64) -> Int64 { bytes == 0 ? 0 : max(1, (bytes + 500) / 1000) }

  private static func uniquelyNamed(_ toxics: [ToxicSpec]) -> [ToxicSpec] {
    var names: Set<String> = []
    return toxics.map { toxic in
      var toxic = toxic
      let name = toxic.name
      var number = 2
      while !names.insert(toxic.name).inserted {
        toxic.name = "\(name)_\(number)"
        number += 1
      }
      return toxic
    }
  }

  private var toxiproxyNotes: [String] {
    var notes: [String] = []
    for direction in Direction.allCases {
      if let rate = path.bytesPerSecond(direction), Self.kilobytes(rate) * 1000 != rate {
        notes.append(
          "\(direction)_bytes_per_second \(rate): \(Self.kilobytes(rate)) kB/s, as toxiproxy takes whole ones")
      }
      if path.loss(direction).meanShare > 0 { notes.append("\(direction)_loss: left out; toxiproxy knows no packets") }
    }
    for (key, value) in [("latency_ms", path.latencyMilliseconds), ("jitter_ms", path.jitterMilliseconds)]
    where value != value.rounded() {
      notes.append("\(key) \(JSON.decimalText(of: value)): rounded to whole milliseconds")
    }
    if path.downstreamBytesPerSecond != nil || path.upstreamBytesPerSecond != nil {
      notes.append("rates: toxiproxy's are those of each connection, Headwind's of all together")
    }
    return notes + notesOnTime + notesOnBytes(of: "toxiproxy")
  }
}

extension ToxicSpec {
  /// The toxic in kinds that toxiproxy has, with what is different then; none where it has no such kind.
  fileprivate var classicToxics: [(toxic: ToxicSpec, note: String?)] {
    guard trigger.isEmpty else { return [] }
    guard case .drop(let drop) = attributes else {
      guard type.isClassic else { return [] }
      let streams = stream.map { [$0] } ?? [.upstream, .downstream]
      return streams.map {
        (ToxicSpec(attributes, name: stream == nil ? nil : name, stream: $0, toxicity: toxicity), nil)
      }
    }
    guard drop.per == .connection else { return [] }
    let odds = Float(drop.probability) * toxicity
    // One stream, so that one throw of the dice decides for the connection.
    return switch drop.how {
    case .refuse: []
    case .reset: [(ToxicSpec(.resetPeer(milliseconds: 0), stream: .downstream, toxicity: odds), nil)]
    case .close:
      [(ToxicSpec(.limitData(bytes: 0), stream: .downstream, toxicity: odds), "closes when the server answers")]
    case .hang: [(ToxicSpec(.timeout(milliseconds: 0), stream: .upstream, toxicity: odds), nil)]
    }
  }

  fileprivate var notesOnClassic: [String] {
    let name = "toxic \(JSON.string(name).excerpt)"
    if refusesAll { return ["\(name): the proxy is disabled; toxiproxy then leaves its port"] }
    let toxics = classicToxics
    if toxics.isEmpty { return ["\(name): left out; toxiproxy has nothing like it"] }
    return toxics.compactMap { $0.note.map { "\(name): \($0)" } }
  }
}
