import Reactor
import Settings

extension Command {
  static let status = Command(
    name: "status",
    summary: "Show a running daemon's profile and its proxies, with what they carry.",
    options: [.watch, .control, .tokenFile, .json],
    details: """
      OPEN are the connections of now, TOTAL all since the daemon began; UP is from clients to servers, DOWN back, as far
      as it was delivered. Bytes are counted while they flow. With --watch there are rates, too.
      """,
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      guard arguments.has("--watch") else {
        let status = try StatusText(client)
        return StandardOutput.write(arguments.has("--json") ? status.json.text + "\n" : status.text(after: nil))
      }
      var last: StatusText?
      try Screen.show(isLines: arguments.has("--json")) { () throws(CommandError) in
        let status = try StatusText(client)
        defer { last = status }
        return arguments.has("--json") ? status.json.text + "\n" : status.text(after: last, isWatched: true)
      }
    })
}

/// What a daemon has and carries, as `status` shows it.
struct StatusText {
  private let health: JSON
  private let profile: JSON
  private let proxies: JSON
  private let sessions: JSON
  private let traffic: JSON
  private let leases: [JSON]
  private let readAt = ContinuousClock.now

  init(_ client: ControlClient) throws(CommandError) {
    health = try client.get("/healthz")
    profile = try client.get("/profile")
    proxies = try client.get(ProxyTable.target)
    sessions = try client.get("/sessions")["sessions"] ?? []
    traffic = try client.get("/traffic")
    leases = try client.leases()
  }

  var json: JSON {
    .object([
      ("health", health), ("profile", profile), ("proxies", proxies), ("sessions", sessions), ("traffic", traffic),
      ("leases", .array(leases)),
    ])
  }

  /// - Parameters:
  ///   - last: what it was like before, for the rates.
  ///   - isWatched: whether there is a place for rates.
  func text(after last: StatusText?, isWatched: Bool = false) -> String {
    let until = profile["reverts_at"]?.string.map { " (until \($0))" } ?? ""
    let head = "profile: \(profile["name"]?.string ?? "none")\(until)\n\(step)\n"
    let foot = leases.isEmpty ? "" : "\n" + LeaseText.table(leases).text()
    if proxies.members.isEmpty { return head + "no proxies\n" + foot }
    let places = ["LISTEN", "UPSTREAM"]
    let counts = ["OPEN", "TOTAL", "UP", "DOWN", "DROPS"]
    // A narrow terminal cuts a watched table off: what changes comes first.
    let heading =
      isWatched
      ? ["PROXY", "STATE", "PROFILE"] + counts + ["UP/s", "DOWN/s", "TOXICS"] + places
      : ["PROXY"] + places + ["STATE", "PROFILE", "TOXICS"] + counts
    let numbers = heading.indices.filter { (counts + ["TOXICS", "UP/s", "DOWN/s"]).contains(heading[$0]) }
    var table = TextTable(heading, rightAligned: Set(numbers))
    for (name, json) in proxies.members {
      let cells = cells(of: name, ProxyText(json), after: last)
      var colours: [Int: Colour] = [:]
      for (place, title) in heading.enumerated() { colours[place] = cells[title]?.colour }
      table.add(heading.map { cells[$0]?.text ?? "" }, colours: colours)
    }
    return head + table.text() + foot
  }

  /// `step: 2, tunnel, round 1 (until 2026-11-30T10:00:00.000Z)`, counted from 1; empty without a timeline.
  private var step: String {
    guard let step = profile["step"], let index = step["index"]?.integerValue else { return "" }
    let round = (step["round"]?.integerValue ?? 0) + 1
    let until = step["until"]?.string.map { " (until \($0))" } ?? ""
    return "step: \(index + 1), \((step["name"]?.string ?? "-").printable), round \(round)\(until)\n"
  }

  /// By heading.
  private func cells(
    of name: String, _ proxy: ProxyText, after last: StatusText?
  ) -> [String: (text: String, colour: Colour?)] {
    func bytes(_ key: String) -> String { UnitText.roundedBytes(count(key, of: name)) }
    let drops = count("drops", of: name)
    return [
      "PROXY": (name, nil), "LISTEN": (proxy.listen, nil), "UPSTREAM": (proxy.upstream, nil),
      "STATE": (proxy.state, proxy.stateColour), "PROFILE": (proxy.profile(global: profile, leases), nil),
      "TOXICS": ("\(proxy.toxics.count)", nil), "OPEN": ("\(count("open", of: name))", nil),
      "TOTAL": ("\(count("connections", of: name))", nil), "UP": (bytes("upstream_bytes"), nil),
      "DOWN": (bytes("downstream_bytes"), nil), "DROPS": ("\(drops)", drops > 0 ? .red : nil),
      "UP/s": (rate("upstream_bytes", of: name, after: last), nil),
      "DOWN/s": (rate("downstream_bytes", of: name, after: last), nil),
    ]
  }

  private func count(_ key: String, of proxy: String) -> Int64 {
    traffic["proxies"]?[proxy]?[key]?.integerValue ?? 0
  }

  private func rate(_ key: String, of proxy: String, after last: StatusText?) -> String {
    guard let last else { return "-" }
    let (whole, parts) = last.readAt.duration(to: readAt).components
    let seconds = Double(whole) + Double(parts) * 1e-18
    // A daemon that was started anew counts from 0 again.
    let bytes = Double(max(0, count(key, of: proxy) - last.count(key, of: proxy)))
    return UnitText.roundedBytes(Int64(bytes / max(seconds, 0.001)))
  }
}
