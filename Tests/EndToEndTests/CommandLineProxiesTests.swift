import Testing

/// `headwind proxies`, `reset` and `populate` against a running daemon.
@Suite(.blocking)
struct CommandLineProxiesTests {
  let daemon: Daemon
  let upstream: Upstream

  init() throws {
    daemon = try Daemon()
    upstream = try Upstream.echo()
  }

  private func run(_ words: String...) throws -> Program.Result {
    try Program.run(words, environment: ["HEADWIND_URL": daemon.url])
  }

  /// Succeeds without a complaint, and gives what it printed.
  @discardableResult
  private func succeed(_ words: String..., at location: SourceLocation = #_sourceLocation) throws -> Program.Result {
    let result = try Program.run(words, environment: ["HEADWIND_URL": daemon.url])
    #expect(result.status == 0, sourceLocation: location)
    #expect(result.errors == "", sourceLocation: location)
    return result
  }

  /// Cells of the table's rows, without the heading.
  private func rows(_ output: String) -> [[String]] {
    output.split(separator: "\n").dropFirst().map { $0.split(separator: "  ").map { $0.filter { $0 != " " } } }
  }

  // MARK: Create, show, list

  @Test func createTellsTheRealAddressAndTheProxyServes() throws {
    let made = try succeed("proxies", "create", "web", "--upstream", "\(upstream.address)")
    let listen = try daemon.listen("web")
    #expect(listen.host == "127.0.0.1" && listen.port > 0)
    #expect(made.output == "proxy web: \(listen) -> \(upstream.address), enabled\n")
    #expect(daemon.isEchoing("web"))
  }

  @Test func createTakesToxiproxysOptionsInAnyOrderAndPrintsTheAPIsObject() throws {
    let made = try succeed(
      "proxies", "c", "-u", "x:1", "--json", "-l=localhost:0", "db", "--disabled", "--profile", "edge")
    #expect(made.json == (try daemon.api.get("/proxies/db").json))
    #expect(made.json["listen"] == "localhost:0")
    #expect(made.json["enabled"] == false)
    #expect(made.json["profile"] == "edge")
  }

  @Test func listShowsEachProxyWithTheProfileInForce() throws {
    #expect(try succeed("proxies").output == "no proxies\n")
    #expect(try succeed("proxies", "--json").output == "{}\n")
    try daemon.api.create("b", to: upstream.address)
    try daemon.api.create("a", to: upstream.address, #","enabled":false,"profile":"edge""#)
    try daemon.api.addToxic("latency", #"{"latency":1}"#, to: "b")
    try daemon.api.use("lte")
    let client = try daemon.connect("b")
    #expect(try client.echo("x") == "x")
    let listed = try succeed("proxies", "ls").output
    #expect(listed.hasPrefix("PROXY  LISTEN "))
    #expect(!listed.contains("\t") && !listed.contains("\u{1B}"))
    #expect(
      rows(listed) == [
        ["a", "127.0.0.1:0", "\(upstream.address)", "disabled", "edge(own)", "0", "0"],
        ["b", "\(try daemon.listen("b"))", "\(upstream.address)", "enabled", "lte", "1", "1"],
      ])
    #expect(try succeed("proxies", "list", "--json").json == (try daemon.api.get("/proxies").json))
  }

  @Test func showTellsToxicsAndWhatTheProxyHasCarried() throws {
    try daemon.api.create("web", to: upstream.address)
    let client = try daemon.connect("web")
    #expect(try client.echo("hello") == "hello")
    #expect(try eventually { try daemon.api.get("/proxies/web/counters").json["downstream"]["sent_bytes"] == 5 })
    let bare = try succeed("proxies", "show", "web").output
    for part in ["enabled", "none", "1 open, 1 in all", "5 B from clients, 5 B to the upstream", "\nno toxics\n"] {
      #expect(bare.contains(part), "\(bare)")
    }
    try daemon.api.addToxic("latency", #"{"latency":100,"jitter":20}"#, to: "web")
    #expect(
      try succeed("proxies", "inspect", "web").output.contains("t      latency  downstream     100 %  100 ms ± 20 ms\n")
    )
    let json = try succeed("proxies", "i", "web", "--json").json
    let proxy = try daemon.api.get("/proxies/web").json
    #expect(json.keys == proxy.keys.union(["counters"]))
    for key in proxy.keys { #expect(json[key] == proxy[key]) }
    #expect(json["counters"] == (try daemon.api.get("/proxies/web/counters").json))
  }

  // MARK: Change, delete

  @Test func enableDisableAndToggleTellTheState() throws {
    try daemon.api.create("web", to: upstream.address)
    let line = "proxy web: \(try daemon.listen("web")) -> \(upstream.address)"
    #expect(try succeed("proxies", "disable", "web").output == "\(line), disabled\n")
    #expect(!daemon.isEchoing("web"))
    #expect(try succeed("proxies", "disable", "web").output == "\(line), disabled\n", "twice is no mistake")
    #expect(try succeed("proxies", "toggle", "web").output == "\(line), enabled\n")
    #expect(daemon.isEchoing("web"))
    #expect(try succeed("proxies", "tog", "web", "--json").json["enabled"] == false)
    #expect(try succeed("proxies", "enable", "web").output == "\(line), enabled\n")
  }

  @Test func updateChangesWhatIsNamedAlone() throws {
    try daemon.api.create("web", to: Address(host: "127.0.0.1", port: 1))
    try daemon.api.addToxic("latency", #"{"latency":1}"#, to: "web")
    let listen = try daemon.listen("web")
    let updated = try succeed("proxies", "update", "web", "-u", "\(upstream.address)")
    #expect(updated.output == "proxy web: \(listen) -> \(upstream.address), enabled\n")
    #expect(daemon.isEchoing("web"))
    #expect(try daemon.api.get("/proxies/web").json["toxics"].array.count == 1)
    let port = try ListeningSocket.freePort()
    let moved = try succeed("proxies", "update", "--listen", "127.0.0.1:\(port)", "web", "--json")
    #expect(moved.json["listen"].string == "127.0.0.1:\(port)")
    #expect(moved.json["upstream"].string == "\(upstream.address)")
  }

  @Test func deleteTakesSeveralAndTellsThoseThatAreNotThere() throws {
    for name in ["a", "b", "c"] { try daemon.api.create(name, to: upstream.address) }
    #expect(try succeed("proxies", "d", "a").output == "proxy a: deleted\n")
    let mixed = try run("proxies", "delete", "nope", "b", "nay", "--json")
    #expect(mixed.status == 1)
    #expect(mixed.output == "{\"deleted\":[\"b\"]}\n")
    let error = try JSONValue(mixed.errors)["error"]
    #expect(error == #"proxy "nope": proxy not found; known: b, c; proxy "nay": proxy not found; known: c"#)
    #expect(try daemon.api.get("/proxies").json.keys == ["c"])
  }

  @Test(arguments: ["a/b", "..", ".", "two words", "?q#%zz", "é", "new\nline", "--dashed"])
  func anyNameCanBeUsed(name: String) throws {
    try succeed("proxies", "create", "-u", "x:1", "--", name)
    #expect(try daemon.api.get("/proxies").json.keys == [name])
    let shown = name == "new\nline" ? #"new\nline"# : name
    #expect(try succeed("proxies").output.contains("\n\(shown)  "))
    #expect(try succeed("toxics", "add", "-t", "latency", "-n", "t", "--", name).output.hasPrefix("proxy \(shown): "))
    try succeed("proxies", "delete", "--", name)
    #expect(try daemon.api.get("/proxies").json.keys == [])
  }

  // MARK: Mistakes

  static let failures: [(words: [String], says: String)] = [
    (["show", "nope"], #"proxy "nope": proxy not found; known: web"#),
    (["show", "wbe"], #"proxy "wbe": proxy not found; did you mean "web"?"#),
    (["toggle", "nope"], #"proxy "nope": proxy not found"#),
    (["enable", "nope"], #"proxy "nope": proxy not found"#), (["delete", "nope"], #"proxy "nope": proxy not found"#),
    (["update", "nope", "-u", "x:1"], #"proxy "nope": proxy not found"#),
    (["create", "web", "-u", "x:1"], #"proxy "web": proxy already exists; `headwind proxies update` changes it"#),
    (["create", "p", "-u", "x:1", "--profile", "3gg"], #"proxy "p": unknown profile "3gg"; did you mean "3g"?"#),
    (["create", "p", "-u", "x:1", "-l", "198.51.100.1:80"], #"proxy "p": listen "#),
  ]

  @Test(arguments: failures)
  func aRefusalNamesTheProxyAndFails(words: [String], says: String) throws {
    try daemon.api.create("web", to: upstream.address)
    let result = try Program.run(["proxies"] + words, environment: ["HEADWIND_URL": daemon.url])
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("headwind: \(says)"), "\(result.errors)")
  }

  static let usageErrors: [(words: [String], says: String)] = [
    (["create"], "missing: NAME"), (["create", "web"], "missing: --upstream HOST:PORT"),
    (["create", "-u", "x:1"], "missing: NAME"), (["create", "", "-u", "x:1"], "NAME is empty"),
    (["create", "a", "b", "-u", "x:1"], #"unexpected argument "b""#),
    (["create", "a", "-u", "x"], #"--upstream is "x": missing port"#),
    (["create", "a", "-u", "x:1", "-l", ""], #"--listen is "": no address"#),
    (["create", "a", "-u", "x:1", "-l", "127.0.0.1:99999"], "invalid port"),
    (["create", "a", "--upstrem", "x:1"], "unknown option --upstrem; did you mean --upstream?"),
    (["list", "--bogus"], "unknown option --bogus"), (["list", "x"], #"unexpected argument "x""#),
    (["show"], "missing: NAME"), (["toggle"], "missing: NAME"), (["delete"], "missing: NAME..."),
    (["update", "web"], "nothing to change; give --listen, --upstream or both"),
    (["crate", "web"], #"unknown command "proxies crate"; did you mean "proxies create"?"#),
  ]

  @Test(arguments: usageErrors)
  func whatIsMissingOrUnknownIsTold(words: [String], says: String) throws {
    let result = try Program.run(["proxies"] + words, environment: ["HEADWIND_URL": daemon.url])
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("headwind: ") && result.errors.contains(says), "\(result.errors)")
    #expect(try daemon.api.get("/proxies").json.keys == [])
  }

  // MARK: All proxies

  @Test func resetEnablesAllAndRemovesToxics() throws {
    try daemon.api.create("web", to: upstream.address, #","enabled":false"#)
    try daemon.api.addToxic("latency", #"{"latency":1}"#, to: "web")
    try daemon.api.use("lte")
    #expect(try succeed("reset").output == "all proxies: enabled, without toxics\n")
    #expect(try daemon.api.get("/proxies/web").json["enabled"] == true)
    #expect(try daemon.api.get("/proxies/web").json["toxics"] == [])
    #expect(try daemon.api.get("/profile").json["name"] == "lte")
    #expect(try succeed("reset", "--json").output == "{\"ok\":true}\n")
  }

  @Test func populateMakesTheProxiesOfAFile() throws {
    let directory = try TemporaryDirectory()
    let entry = #"{name: "web", listen: "127.0.0.1:0", upstream: "\#(upstream.address)", profile: "lte"}"#
    let file = try directory.write("{proxies: [\(entry),], profile: \"3g\"} // JSON5", to: "headwind.json5")
    let made = try run("populate", file)
    #expect(made.output == "proxy web: \(try daemon.listen("web")) -> \(upstream.address), enabled\n")
    #expect(daemon.isEchoing("web"))
    #expect(try daemon.api.get("/profile").json["name"] == "none", "only the proxies count")
    #expect(made.errors.hasPrefix("headwind: warning: of the file only the proxies count, not profile: "))
    #expect(try run("populate", file).output == made.output, "the same again changes nothing")
    let piped = try populate(from: #"printf '[{"name":"db","upstream":"x:1","enabled":false}]'"#)
    #expect(try JSONValue(piped.output)["proxies"].array.map { $0["name"] } == ["db"])
    #expect(try populate(from: "printf ''").errors.contains("standard input: is empty"))
    #expect(try populate(from: "head -c 4000001 /dev/zero").errors.contains("standard input: more than 4000000 bytes"))
    let bad = try directory.write(#"[{"name":"x","upstream":"x:1"},{"name":"y"}]"#, to: "bad.json")
    let refused = try run("populate", bad)
    #expect(refused.status == 1)
    #expect(refused.errors.hasPrefix("headwind: \(bad): proxies[1].upstream is missing"), "\(refused.errors)")
    #expect(try daemon.api.get("/proxies").json.keys == ["web", "db"])
  }

  /// With the output of a command as standard input.
  private func populate(from command: String) throws -> Program {
    let words = ["-c", "\(command) | \"$@\"", "sh", Program.headwind, "populate", "-", "--json"]
    let program = try Program("/bin/sh", words, environment: ["HEADWIND_URL": daemon.url])
    #expect(program.exit() != nil)
    return program
  }
}
