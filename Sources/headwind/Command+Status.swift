import Reactor
import Settings

extension Command {
  static let status = Command(
    name: "status",
    summary: "Show a running daemon's profile and its proxies, with what they carry.",
    options: [.watch, .control, .json],
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
    let head = "profile: \(profile["name"]?.string ?? "none")\(until)\n\n"
    let foot = leases.isEmpty ? "" : "\n" + LeaseText.table(leases).text()
    if proxies.members.isEmpty { return head + "no proxies\n" + foot }
    let heading =
      ["PROXY", "LISTEN", "UPSTREAM", "STATE", "PROFILE", "TOXICS", "OPEN", "TOTAL", "UP", "DOWN", "DROPS"]
      + (isWatched ? ["UP/s", "DOWN/s"] : [])
    var table = TextTable(heading, rightAligned: Set(5..<heading.count))
    for (name, json) in proxies.members {
      let proxy = ProxyText(json)
      let drops = count("drops", of: name)
      let row = [
        name, proxy.listen, proxy.upstream, proxy.state, proxy.profile(global: profile, leases),
        "\(proxy.toxics.count)",
        "\(count("open", of: name))", "\(count("connections", of: name))",
        UnitText.roundedBytes(count("upstream_bytes", of: name)),
        UnitText.roundedBytes(count("downstream_bytes", of: name)), "\(drops)",
      ]
      table.add(
        row + (isWatched ? ["upstream_bytes", "downstream_bytes"].map { rate($0, of: name, after: last) } : []),
        colours: drops > 0 ? [3: proxy.stateColour, 10: .red] : [3: proxy.stateColour])
    }
    return head + table.text() + foot
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
