// toxiproxy's proxies with their toxics: the array that populate takes, what GET /proxies answers, or one proxy. Latency and
// bandwidth become the path; what a path can't say stays a toxic.
extension ImportRequest {
  func toxiproxy() throws(SettingsError) -> ProfileImport {
    let (name, fields) = try picked(from: try toxiproxyEntries(), "proxy", "proxies")
    let toxics = try ToxicSpec.nativeList(fields, absentStream: .classic) ?? []
    guard !toxics.isEmpty else {
      throw SettingsError(
        source: source, field: fields.pathOf("toxics"),
        message: "has none; allowed: a proxy with toxics, as GET /proxies answers it")
    }
    let way = ToxicPath(toxics)
    return try imported(
      named: name, of: "Toxics of toxiproxy's proxy \(JSON.string(name).excerpt)", path: way.path, toxics: way.rest,
      comments: way.comments)
  }

  private func toxiproxyEntries() throws(SettingsError) -> [(name: String, entry: Fields)] {
    let value = try JSON.settings(text, source: source)
    var found: [(name: String, entry: Fields)] = []
    func add(_ element: JSON, path: String, name: String) throws(SettingsError) {
      let fields = try Fields(element, source: source, path: path)
      found.append((try fields.string("name") ?? name, fields))
    }
    if let list = value.arrayValue ?? value["proxies"]?.arrayValue {
      let path = value.arrayValue == nil ? "proxies" : ""
      for (index, element) in list.enumerated() { try add(element, path: "\(path)[\(index)]", name: "\(index)") }
    } else if value["toxics"]?.arrayValue != nil {
      try add(value, path: "", name: "")
    } else if case .object(let proxies) = value {
      for proxy in proxies.members where proxy.value["toxics"] != nil {
        try add(proxy.value, path: proxy.key.plainExcerpt, name: proxy.key)
      }
    }
    return found
  }
}

/// Toxics taken as a path as far as that goes.
private struct ToxicPath {
  private(set) var path = PathSpec()
  private(set) var rest: [ToxicSpec] = []
  /// Of latency: by stream.
  private var delays: [Stream: Int64] = [:]

  init(_ toxics: [ToxicSpec]) {
    for toxic in toxics where !take(toxic) {
      rest.append(toxic)
    }
  }

  /// - Returns: false when a path has no word for it.
  private mutating func take(_ toxic: ToxicSpec) -> Bool {
    guard toxic.toxicity >= 1, toxic.trigger.isEmpty else { return false }
    let streams = toxic.stream.map { [$0] } ?? [.upstream, .downstream]
    switch toxic.attributes {
    case .latency(let delay, let jitter) where delay >= jitter && hasRoom(for: delay, streams.count):
      for stream in streams {
        delays[stream, default: 0] += delay
        path.latencyMilliseconds += Double(delay)
        path.jitterMilliseconds += Double(jitter)
      }
    case .bandwidth(let rate):
      for stream in streams {
        let bytes = rate * 1000
        if stream == .upstream {
          path.upstreamBytesPerSecond = min(bytes, path.upstreamBytesPerSecond ?? bytes)
        } else {
          path.downstreamBytesPerSecond = min(bytes, path.downstreamBytesPerSecond ?? bytes)
        }
      }
    default: return false
    }
    return true
  }

  /// Whether the round trip stays within what a path may have.
  private func hasRoom(for delay: Int64, _ directions: Int) -> Bool {
    path.latencyMilliseconds + Double(delay) * Double(directions) <= PathSpec.maximumLatencyMilliseconds
  }

  var comments: [String] {
    var comments: [String] = []
    let (up, down) = (delays[.upstream] ?? 0, delays[.downstream] ?? 0)
    if up + down > 0 {
      comments.append(
        "Latency: one way there, \(down) ms down and \(up) ms up; here their sum, the round trip (half of it in each direction)."
      )
    }
    if path.downstreamBytesPerSecond != nil || path.upstreamBytesPerSecond != nil {
      comments.append("Rates: of each connection there; here of all together, in each direction.")
    }
    if !path.isPassThrough {
      comments.append(
        "Here the path shows TCP's handshake, slow start and queue, too; \"model\": \"plain\" in it leaves them out.")
    }
    return comments
  }
}
