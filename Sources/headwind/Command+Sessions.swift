import Reactor
import Settings

extension Command {
  static let sessions = group(
    name: "sessions", aliases: ["session"], summary: "List the connections through a running daemon, or end some.",
    of: [listSessions, endSessions])

  private static let listSessions = Command(
    name: "sessions list", aliases: ["ls", "l"], summary: "List the live connections, with what they have carried.",
    options: [
      OptionSpec(name: "--proxy", value: "NAME", kind: .name(.proxies), help: "Only those of this proxy."), .watch,
      .control, .tokenFile, .json,
    ],
    details: """
      UP is from the client to the server, DOWN back; HELD is what toxics hold, or a peer hasn't taken. DELAY is what
      latencies add to the way up and down. NO is the session's number within its proxy: with the seed it decides what the
      toxics do to it.
      """,
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      let proxy = arguments.value("--proxy")
      func text() throws(CommandError) -> String {
        // So that a name that isn't there is no empty list.
        if let proxy { _ = try ProxyCall(proxy, client).get() }
        let answer = try client.get("/sessions" + (proxy.map { "?proxy=\(percentEncoded($0))" } ?? ""))
        if arguments.has("--json") { return answer.text + "\n" }
        return SessionText.table(answer["sessions"]?.array ?? [], atNanoseconds: WallTime.now.nanoseconds)
      }
      guard arguments.has("--watch") else { return StandardOutput.write(try text()) }
      try Screen.show(isLines: arguments.has("--json"), text)
    })

  private static let endSessions = Command(
    name: "sessions end", aliases: ["kill", "rm"], summary: "End connections: both sides see a reset.",
    operands: [.several("ID", .name(.sessions))], options: [.control, .tokenFile, .json],
    details: "IDs are those of `headwind sessions`. One that isn't there makes the exit status 1; others are ended.",
    run: { arguments throws(CommandError) in
      for id in arguments.operands where UInt64(id) == nil {
        throw arguments.usage("ID is \(quoted(id)); allowed: a whole number, as `headwind sessions` lists them")
      }
      let client = try ControlClient(arguments)
      try forEach(arguments.operands, arguments, done: "ended") { id throws(CommandError) in
        try client.send("DELETE", "/sessions/\(percentEncoded(id))", about: "session \(id)")
        return "session \(id): ended\n"
      }
    })
}

/// A live session as people would read it, from the API's object.
struct SessionText {
  private let session: JSON

  /// - Parameter now: since 1970-01-01 00:00 UTC, for the ages.
  static func table(_ sessions: [JSON], atNanoseconds now: Int64) -> String {
    if sessions.isEmpty { return "no sessions\n" }
    var table = TextTable(
      ["ID", "PROXY", "NO", "CLIENT", "UPSTREAM", "PROFILE", "STATE", "AGE", "UP", "DOWN", "HELD", "DELAY", "DROPS"],
      rightAligned: [0, 2, 7, 8, 9, 10, 11, 12])
    for session in sessions.map(SessionText.init) {
      table.add(session.row(now), colours: session.drops > 0 ? [12: .red] : [:])
    }
    return table.text()
  }

  private func row(_ now: Int64) -> [String] {
    [
      text("id"), text("proxy"), text("number"), text("client"), upstream, profile, text("state"), age(now),
      bytes("upstream_bytes"), bytes("downstream_bytes"), bytes("buffered_bytes"), delay, "\(drops)",
    ]
  }

  /// Where a client of a forward proxy wants to go says more than the address that this has.
  private var upstream: String { session["target"]?.string ?? text("upstream") }

  /// With the rule that chose it.
  private var profile: String {
    text("profile") + (session["rule"]?.string.map { " (rule \($0))" } ?? "")
  }

  private var drops: Int { (session["decisions"]?.array ?? []).count { $0["outcome"] == "dropped" } }

  private var delay: String {
    let ways = ["upstream_delay_ms", "downstream_delay_ms"].map { session[$0]?.text ?? "0" }
    return ways == ["0", "0"] ? "-" : ways.joined(separator: "/") + " ms"
  }

  private func age(_ now: Int64) -> String {
    guard let opened = session["opened_at"]?.string.flatMap(TimeText.parse) else { return "-" }
    let seconds = max(0, now - opened) / 1_000_000_000
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min \(seconds % 60) s"
    default: "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    }
  }

  private func text(_ key: String) -> String { session[key].map { $0.string ?? $0.text } ?? "-" }
  private func bytes(_ key: String) -> String { UnitText.roundedBytes(session[key]?.integerValue ?? 0) }
}
