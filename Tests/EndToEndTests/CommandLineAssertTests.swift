import Testing

/// `headwind assert`: proof that traffic went through, or a sentence that says why not.
@Suite(.blocking)
struct CommandLineAssertTests {
  let daemon: Daemon
  let upstream: Upstream

  init() throws {
    upstream = try Upstream.echo()
    daemon = try Daemon(["api": upstream.address, "web": upstream.address])
  }

  private func check(_ words: String...) throws -> Program.Result {
    try Program.run(["assert"] + words, environment: ["HEADWIND_URL": daemon.url])
  }

  private func lastID() throws -> String {
    try Program.run(["events", "--last-id"], environment: ["HEADWIND_URL": daemon.url]).output.filter { $0 != "\n" }
  }

  private func pass(_ text: String, _ proxy: String) throws {
    let client = try daemon.connect(proxy)
    #expect(try client.echo(text) == text)
    client.finish()
    #expect(try client.outcome() == .end)
    #expect(try eventually { try daemon.sessions.isEmpty })
  }

  @Test func whatWentThroughIsProven() throws {
    let none = try check("--proxy", "api", "--min-connections", "1")
    #expect(none.status == 1 && none.output == "")
    #expect(none.errors.hasPrefix("headwind: proxy api since 20"), "\(none.errors)")
    let cause = "0 connections, expected at least 1; no proxy had any traffic: the client doesn't go through headwind\n"
    #expect(none.errors.hasSuffix(cause), "\(none.errors)")
    try pass("hello", "web")
    #expect(
      try check("--proxy", "api", "--min-bytes", "1").errors.hasSuffix(
        "0 bytes, expected at least 1; other proxies had traffic: web (1 connection)\n"))
    let start = try lastID()
    try pass("hello", "api")
    let found = try check("--proxy", "api", "--since", start, "--min-connections", "1", "--max-connections", "1")
    #expect(found.status == 0 && found.errors == "")
    #expect(found.output.hasPrefix("ok: proxy api: 1 connection, 10 bytes, 0 drops since 20"), "\(found.output)")
    #expect(try check("--min-connections", "2", "--max-bytes", "20", "--max-drops", "0").status == 0)
    let json = try check("--since", start, "--min-connections", "1", "--max-bytes", "9", "--json")
    #expect(json.status == 1)
    #expect(json.json["ok"] == false && json.json["found"] == ["connections": 1, "bytes": 10, "drops": 0])
    #expect(json.json["expected"] == ["min_connections": 1, "max_bytes": 9])
    #expect(json.json["reason"].string == (try JSONValue(json.errors)["error"].string))
  }

  @Test func itWaitsUntilItIsTrue() throws {
    let waiting = try Program(
      Program.headwind, ["assert", "--proxy", "web", "--min-connections", "1", "--wait", "20s"],
      environment: ["HEADWIND_URL": daemon.url])
    pause(.milliseconds(100))
    #expect(waiting.ended() == nil)
    try pass("x", "web")
    #expect(waiting.exit() == 0)
    let time = try elapsed {
      let vain = try check("--min-drops", "1", "--wait", "300ms")
      #expect(vain.status == 1)
    }
    #expect(time >= .milliseconds(299))
  }

  @Test func dropsAreCounted() throws {
    try daemon.api.addToxic("drop", #"{"probability":1,"how":"close"}"#, to: "web")
    let client = try daemon.connect("web")
    #expect(try client.outcome() == .end)
    #expect(try check("--proxy", "web", "--min-drops", "1", "--max-drops", "1", "--wait", "5s").status == 0)
    #expect(try check("--since", "1h", "--max-drops", "0").errors.contains("1 drop, expected at most 0"))
  }

  /// Ten thousand events are kept; what lies before is not guessed.
  @Test func aStartThatIsForgottenIsToldAndNotGuessed() throws {
    let start = try lastID()
    try pass("hello", "api")
    try daemon.api.forgetEvents()
    let forgotten = try check("--since", start, "--min-connections", "1")
    #expect(forgotten.status == 1)
    #expect(
      forgotten.errors.contains(#"since is "\#(start)", but the events that are kept reach back to "#),
      "\(forgotten.errors)")
    #expect(try check("--proxy", "api", "--min-connections", "1", "--max-connections", "1").status == 0)
    #expect(try check("--since", "999999", "--max-drops", "0").errors.contains("still to come"))
  }

  static let mistakes: [(words: [String], says: String)] = [
    ([], "nothing to check"), (["--since", "x", "--min-drops", "1"], #"--since is "x"; allowed: the id of an event"#),
    (["--wait", "5", "--min-drops", "1"], "--wait is"), (["web", "--min-drops", "1"], #"unexpected argument "web""#),
  ]

  @Test(arguments: mistakes)
  func mistakesAreUsageErrors(words: [String], says: String) throws {
    let result = try Program.run(["assert"] + words, environment: ["HEADWIND_URL": daemon.url])
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors.contains(says), "\(result.errors)")
  }
}
