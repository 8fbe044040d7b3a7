import Settings

/// What a daemon has, as `proxies` and `status` show it.
struct ProxyTable {
  /// Answers of `/proxies`, `/profile` and `/sessions`.
  let proxies: JSON
  let profile: JSON
  let sessions: JSON
  /// Newest first.
  let leases: [JSON]

  init(_ client: ControlClient) throws(CommandError) {
    self.init(
      proxies: try client.get(ProxyTable.target), profile: try client.get("/profile"),
      sessions: try client.get("/sessions"), leases: try client.leases())
  }

  init(proxies: JSON, profile: JSON, sessions: JSON, leases: [JSON] = []) {
    self.leases = leases
    self.proxies = proxies
    self.profile = profile
    self.sessions = sessions
  }

  /// All toxics, those too that clients of the classic API don't know.
  static let target = "/proxies?all=true"

  func text() -> String {
    if proxies.members.isEmpty { return "no proxies\n" }
    var open: [String: Int] = [:]
    for session in sessions["sessions"]?.array ?? [] { open[session["proxy"]?.string ?? "", default: 0] += 1 }
    var table = TextTable(
      ["PROXY", "LISTEN", "UPSTREAM", "STATE", "PROFILE", "TOXICS", "SESSIONS"], rightAligned: [5, 6])
    for (name, json) in proxies.members {
      let proxy = ProxyText(json)
      table.add(
        [
          name, proxy.listen, proxy.upstream, proxy.state, proxy.profile(global: profile, leases),
          "\(proxy.toxics.count)", "\(open[name, default: 0])",
        ], colours: [3: proxy.stateColour])
    }
    return table.text()
  }
}

/// One proxy, from the API's object.
struct ProxyText {
  private let proxy: JSON

  init(_ proxy: JSON) { self.proxy = proxy }

  var name: String { proxy["name"]?.string ?? "" }
  var listen: String { proxy["listen"]?.string ?? "" }
  /// Of a forward proxy, how its clients name it: `any (http)`.
  var upstream: String { proxy["mode"]?.string.map { "any (\($0))" } ?? proxy["upstream"]?.string ?? "" }
  var isEnabled: Bool { proxy["enabled"]?.bool == true }
  var state: String { isEnabled ? "enabled" : "disabled" }
  var stateColour: Colour { isEnabled ? .green : .yellow }
  var toxics: [JSON] { proxy["toxics"]?.array ?? [] }

  /// The profile in force: by the newest lease, else the proxy's own, else that of all proxies.
  func profile(global: JSON, _ leases: [JSON]) -> String {
    if let lease = leases.first(where: { LeaseText($0).covers(name) }).map(LeaseText.init) {
      return "\(lease.profile) (lease \(lease.id))"
    }
    if let own = proxy["profile"]?.string { return "\(own) (own)" }
    return global["name"]?.string ?? "none"
  }

  /// `proxy web: 127.0.0.1:8080 -> example.com:80, enabled`
  var line: String { "proxy \(name.printable): \(listen.printable) -> \(upstream.printable), \(state)\n" }

  /// Everything about it.
  ///
  /// - Parameter counters: the answer of `/proxies/NAME/counters`.
  func text(global: JSON, leases: [JSON], counters: JSON, openSessions: Int) -> String {
    let drops = counters["drops"]?.integerValue ?? 0
    let failures = counters["dial_failures"]?.integerValue ?? 0
    var table = TextTable()
    table.add(["proxy", name])
    table.add(["listen", listen])
    table.add(["upstream", upstream])
    table.add(["state", state], colours: [1: stateColour])
    table.add(["profile", profile(global: global, leases)])
    table.add(["sessions", "\(openSessions) open, \(counters["sessions"]?.text ?? "0") in all"])
    table.add(["bytes up", ProxyText.bytes(counters["upstream"], from: "clients", to: "the upstream")])
    table.add(["bytes down", ProxyText.bytes(counters["downstream"], from: "the upstream", to: "clients")])
    table.add(["drops", "\(drops)"], colours: drops > 0 ? [1: .red] : [:])
    table.add(["dial failures", "\(failures)"], colours: failures > 0 ? [1: .red] : [:])
    return table.text() + "\n" + (toxics.isEmpty ? "no toxics\n" : ToxicText.table(toxics).text())
  }

  private static func bytes(_ counters: JSON?, from source: String, to target: String) -> String {
    let received = UnitText.roundedBytes(counters?["received_bytes"]?.integerValue ?? 0)
    let sent = UnitText.roundedBytes(counters?["sent_bytes"]?.integerValue ?? 0)
    return "\(received) from \(source), \(sent) to \(target)"
  }
}
