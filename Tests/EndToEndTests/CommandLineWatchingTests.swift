import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `headwind sessions`, `events` and `status` against a running daemon: they show what goes on.
@Suite(.blocking)
struct CommandLineWatchingTests {
  let daemon: Daemon
  let upstream: Upstream

  init() throws {
    upstream = try Upstream.flood()
    daemon = try Daemon(["web": upstream.address])
  }

  private func run(_ words: String...) throws -> Program.Result {
    try Program.run(words, environment: ["HEADWIND_URL": daemon.url])
  }

  private func start(_ words: String...) throws -> Program {
    try Program(Program.headwind, words, environment: ["HEADWIND_URL": daemon.url])
  }

  /// A download at 100 kB/s that goes on and on.
  private func slowDownload() throws -> Connection {
    try daemon.api.addToxic("bandwidth", #"{"rate":100}"#, to: "web")
    return try daemon.connect("web")
  }

  // MARK: Sessions

  @Test func bytesGrowWhileAConnectionLives() throws {
    let client = try slowDownload()
    func bytes() throws -> Int { try run("sessions", "--json").json["sessions"][0]["downstream_bytes"].int ?? 0 }
    #expect(try eventually { try bytes() > 0 })
    let first = try bytes()
    #expect(try eventually { try bytes() > first + 10_000 })
    let status = try run("status", "--json").json
    let counted = status["traffic"]["proxies"]["web"]["downstream_bytes"].int ?? 0
    #expect(counted > first + 10_000 && status["traffic"]["proxies"]["web"]["open"] == 1)
    let listed = try run("sessions").output
    #expect(listed.hasPrefix("ID  PROXY  NO  CLIENT "), "\(listed)")
    #expect(listed.contains("  open  ") && listed.contains(" kB"), "\(listed)")
    client.close()
  }

  @Test func sessionsAreChosenAndEnded() throws {
    #expect(try run("sessions").output == "no sessions\n")
    let clients = try (0..<2).map { _ in try quickDownload() }
    #expect(try eventually { try daemon.sessions.count == 2 })
    let id = try #require(try daemon.sessions[0]["id"].int)
    #expect(try run("sessions", "--proxy", "nope").errors == "headwind: proxy \"nope\": proxy not found; known: web\n")
    #expect(try run("sessions", "list", "--proxy", "web", "--json").json["sessions"].array.count == 2)
    let ended = try run("sessions", "end", "\(id)", "999", "--json")
    #expect(ended.status == 1 && ended.output == "{\"ended\":[\"\(id)\"]}\n")
    #expect(ended.errors.contains("session 999: session not found"), "\(ended.errors)")
    #expect(try clients.contains { try $0.outcome() == .reset })
    let usage = try run("sessions", "end", "x")
    #expect(usage.status == 64 && usage.errors.contains(#"ID is "x"; allowed: a whole number"#))
    #expect(try run("sessions", "end", "\(id + 1)").output == "session \(id + 1): ended\n")
  }

  private func quickDownload() throws -> Connection {
    let client = try daemon.connect("web")
    _ = try client.receive()
    return client
  }

  // MARK: Status

  @Test func statusTellsWhatEachProxyCarries() throws {
    let client = try slowDownload()
    _ = try client.receive(exactly: 30_000)
    let output = try run("status").output
    let rows = output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(output.hasPrefix("profile: none\n\nPROXY  LISTEN "), "\(output)")
    #expect(rows[1].suffix(5) == ["OPEN", "TOTAL", "UP", "DOWN", "DROPS"])
    // … toxics, open, total, up with its unit
    #expect(rows[2].suffix(8).prefix(5) == ["1", "1", "1", "0", "B"], "\(output)")
  }

  @Test func statusIsShownAgainAndAgainUntilItIsInterrupted() throws {
    let client = try slowDownload()
    let watch = try start("status", "--watch")
    #expect(eventually { watch.output.components(separatedBy: "PROXY").count > 3 }, "\(watch.output)")
    watch.send(SIGINT)
    #expect(watch.exit() == nil && watch.ended()?.signal == SIGINT)
    #expect(watch.errors == "")
    let shown = watch.output.split(separator: "\n").filter { $0.hasPrefix("web ") }
    #expect(Set(shown).count == shown.count, "the numbers have changed: \(shown)")
    let heading = #/PROXY  STATE +PROFILE +OPEN .* UP/s +DOWN/s +TOXICS  LISTEN/#
    #expect(watch.output.contains(heading), "what changes comes first")
    #expect(watch.output.contains("UP/s  ") && shown.last?.contains(" kB") == true && !watch.output.contains("\u{1B}"))
    client.close()
  }

  /// Nobody is left behind who writes to nobody.
  @Test(arguments: [["status", "--watch"], ["sessions", "--watch", "--json"], ["events", "--follow"]])
  func whoIsNotReadAnyMoreEnds(words: [String]) throws {
    let script = "\"$@\" | { head -c 1 >/dev/null 2>&1; }; echo over"
    if words[0] == "events" {
      let pipe = try Program(
        "/bin/sh", ["-c", script, "sh", Program.headwind] + words, environment: ["HEADWIND_URL": daemon.url])
      #expect(
        try eventually {
          try daemon.api.use("3g")
          return pipe.output.contains("over")
        })
    } else {
      let pipe = try Program(
        "/bin/sh", ["-c", script, "sh", Program.headwind] + words, environment: ["HEADWIND_URL": daemon.url])
      #expect(pipe.exit() == 0 && pipe.output == "over\n")
    }
  }

  // MARK: Events

  @Test func eventsAreListedFilteredAndNumbered() throws {
    try daemon.api.use("3g")
    let last = try run("events", "--last-id").output
    try daemon.api.use("lte")
    let lines = try run("events").output.split(separator: "\n")
    #expect(lines.count == (try daemon.api.get("/events").json["events"].array.count))
    #expect(lines.last?.hasSuffix("profile_switched  from=3g to=lte cause=set reverts_at=null") == true, "\(lines)")
    let since = last.filter { $0 != "\n" }
    let behind = try run("events", "--since", since, "--json").json["events"].array
    #expect(behind.map { $0["to"] } == ["lte"])
    let time = try #require(behind[0]["at"].string)
    #expect(try run("events", "--since", time, "--type", "profile_switched").output.contains("to=lte"))
    #expect(try run("events", "--proxy", "web", "--limit", "1").output.contains("proxy_created"))
    #expect(try run("events", "--last-id", "--json").json["id"] == behind[0]["id"])
    let wrong = try run("events", "--type", "profile")
    #expect(wrong.status == 1 && wrong.errors.hasPrefix("headwind: type is \"profile\"; "), "\(wrong.errors)")
    for words in [["--since", "soon"], ["--last-id", "--follow"], ["--limit", "x"], ["--follow", "--limit", "1"]] {
      #expect(try Program.run(["events"] + words, environment: ["HEADWIND_URL": daemon.url]).status == 64, "\(words)")
    }
  }

  @Test func eventsAreFollowed() throws {
    let lines = try start("events", "--follow", "--since", "0")
    let values = try start("events", "--follow", "--json", "--type", "profile_switched")
    let name = "new\nline\u{1B}[31m"
    #expect(
      try eventually {
        try daemon.api.use("3g")
        return values.output.contains("\n")
      })
    try daemon.api.create(#"new\nline\u001b[31m"#, to: upstream.address)
    #expect(eventually { lines.output.contains(#"proxy_created     new\nline\u{1B}[31m  listen="#) }, "\(lines.output)")
    #expect(lines.output.contains("proxy_created     web  "), "the past came first")
    #expect(!lines.output.contains(name))
    let first = try JSONValue(String(try #require(values.output.split(separator: "\n").first)))
    #expect(first["type"] == "profile_switched" && first["to"] == "3g")
    for program in [lines, values] {
      program.send(SIGINT)
      #expect(program.exit() == nil && program.ended()?.signal == SIGINT && program.errors == "")
    }
  }

  /// Who was away too long, or for the time of a restart, is told.
  @Test func whatAFollowerMissedIsTold() throws {
    let port = try ListeningSocket.freePort()
    let first = try Daemon(["web": upstream.address], control: "127.0.0.1:\(port)")
    let follower = try Program(
      Program.headwind, ["events", "--follow", "--since", "0"], environment: ["HEADWIND_URL": first.url])
    #expect(eventually { follower.output.contains("proxy_created") })
    follower.send(SIGSTOP)
    try first.api.forgetEvents()
    follower.send(SIGCONT)
    #expect(
      eventually { follower.errors.contains(" events were forgotten before they were seen\n") }, "\(follower.errors)")
    follower.send(SIGSTOP)
    first.program.send(SIGTERM)
    #expect(first.program.exit() == 0)
    let second = try Daemon(["anew": upstream.address], control: "127.0.0.1:\(port)")
    follower.send(SIGCONT)
    #expect(eventually { follower.output.contains("  proxy_created     anew  ") }, "\(follower.errors)")
    #expect(follower.errors.contains("headwind: the daemon was started anew\n"))
    second.program.send(SIGTERM)
    #expect(second.program.exit() == 0)
    #expect(follower.exit() == 1)
    #expect(follower.errors.contains("no daemon at http://127.0.0.1:\(port)"), "\(follower.errors)")
  }
}
