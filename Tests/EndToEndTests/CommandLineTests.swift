import Foundation
import Testing

/// The commands, their exit statuses, and where they write: data on standard output, all else on standard error.
@Suite(.blocking)
struct CommandLineTests {
  static let commands = [
    "serve", "run", "with", "use", "leases", "status", "proxies", "toxics", "rules", "sessions", "events", "assert",
    "reset", "populate", "profiles", "wait",
    "check-config", "demo", "selftest",
  ]

  // MARK: Help and usage

  @Test(arguments: commands)
  func eachCommandHelpsAndTellsItsVersion(command: String) throws {
    for words in [[command, "--help"], [command, "-h"], ["help", command]] {
      let help = try Program.run(words)
      #expect(help.status == 0)
      #expect(help.output.contains("Usage: headwind \(command)"))
      #expect(help.errors.isEmpty)
    }
    let version = try Program.run([command, "--version"])
    #expect(version.status == 0)
    #expect(version.output.hasPrefix("headwind "))
  }

  @Test func theCommandsOfACommandHelpToo() throws {
    for words in [
      ["proxies", "create", "--help"], ["help", "proxies", "create"], ["proxies", "-h", "c"], ["help", "proxy", "add"],
    ] {
      let help = try Program.run(words)
      #expect(help.status == 0)
      #expect(help.output.contains("Usage: headwind proxies create [options] NAME"))
      #expect(help.output.contains("-l, --listen HOST:PORT") && help.output.contains("every interface"))
    }
    #expect(try Program.run(["help", "profiles", "shwo"]).status == 64)
  }

  @Test func theOverviewNamesEachCommand() throws {
    for words in [["--help"], ["-h"], ["help"]] {
      let help = try Program.run(words)
      #expect(help.status == 0)
      for command in Self.commands { #expect(help.output.contains("\n  \(command) ")) }
    }
    #expect(try Program.run(["--version"]).output == Program.run(["version"]).output)
  }

  static let usageErrors: [(words: [String], says: String)] = [
    ([], "command"), (["serv"], #""serve""#), (["serve", "--bogus"], "--bogus"),
    (["serve", "--profil", "x"], "--profile"),
    (["serve", "extra"], "extra"), (["serve", "--proxy"], "--proxy"),
    (["serve", "--proxy", "x"], "NAME=LISTEN,UPSTREAM"),
    (["serve", "--proxy", "x=127.0.0.1:99999,y:1"], "port"), (["serve", "--seed", "-1"], "-1"),
    (["serve", "--seed", "NaN"], "NaN"), (["serve", "--seed", "1e3"], "1e3"),
    (["serve", "--seed", "99999999999999999999"], "99999999999999999999"),
    (["serve", "--log-level", "loud"], "loud"), (["serve", "--log-format", "xml"], "xml"),
    (["serve", "--connect-timeout", "0s"], "0s"), (["serve", "--control", "x"], #""x""#),
    (["serve", "--http-proxy", ""], "no address"), (["serve", "--socks", "x"], "missing port"),
    (["serve", "--rule", "a"], "PATTERN=USE"), (["serve", "--via", "ftp://u:secret@h"], "ftp://…@h"),
    (["serve", "--allow-client", "10.0.0.1/8"], "first 8"), (["rules", "add", "a b=deny"], "host name"),
    (["serve", "--demo=yes"], "--demo"), (["serve", "-demo"], "-demo"), (["serve", "-port"], "--port"),
    (["serve", "-proxy-metrics=maybe"], "maybe"), (["serve", "--port", "99999"], "99999"),
    (["serve", "-port=0", "--control=127.0.0.1:0"], "--control"), (["serve", "--proxy-metrics", "extra"], "extra"),
    (["use"], "PROFILE"), (["use", "3g", "edge"], "edge"), (["use", "--proxy", "p"], "missing: PROFILE"),
    (["use", "3g", "--for", "soon"], "soon"), (["use", "3g", "--for", "-5s"], "-5s"), (["status", "--jsno"], "--json"),
    (["profiles", "show"], "missing: PROFILE"), (["profiles", "shoe"], "profiles show"),
    (["use", ""], "PROFILE is empty"),
    (["use", "3g", "--clear"], #"--clear and the profile "3g" exclude each other"#),
    (["use", "--clear", "--for", "3s"], "--clear and --for exclude each other"),
    (["leases", "take"], "missing: PROFILE"), (["leases", "take", "3g", "--for", "soon"], "soon"),
    (["leases", "release"], "missing: ID"), (["leases", "renew", "a", "b"], #""b""#),
    (["leases", "tkae"], "leases take"),
    (["wait", "--timeout", "forever"], "forever"),
    (["demo", "--bytes", "-1"], "-1"), (["demo", "--bytes", "1000000000"], "50000000"),
    (["check-config", "a", "b"], #""b""#),
    (["--loops", "3"], "a command is missing: --loops is an option of headwind serve, headwind check-config"),
    (["--demo"], "a command is missing: --demo is an option of headwind serve"),
    (["--loops=3", "--log-level", "info"], "a command is missing: --loops is an option of headwind serve"),
    (["status", "--loops", "3"], "unknown option --loops; it is one of headwind serve, headwind check-config"),
    (["status", "--control", "https://127.0.0.1:8474"], "the control API speaks http, without TLS"),
    (["serve", "--control", "http://127.0.0.1:8474"], "a URL; write HOST:PORT, without http://"),
    (["serve", "--proxy", "web=http://example.com:80"], "a URL; write HOST:PORT, without http://"),
    (["help", "toxics", "ad"], #"unknown command "toxics ad"; did you mean "toxics add"?"#),
    (["--control", "127.0.0.1:0"], "a command is missing: --control is an option of headwind serve"),
    (["--token-file=x"], "a command is missing: --token-file is an option of headwind serve"),
    (["-host", "0.0.0.0"], "a command is missing: -host is an option of headwind serve"),
    (["-port=3"], "a command is missing: -port is an option of headwind serve"),
    (["status", "-seed", "3"], "unknown option -seed; it is one of headwind serve"),
    (["--bogus", "3"], "unknown option --bogus"), (["use", "3g", "--prxoy", "p"], "did you mean --proxy?"),
    (["selftest", "3g", "--quick", "--seconds", "9"], "--quick and --seconds exclude each other"),
    (["selftest", "--seconds", "1"], #"--seconds is "1"; allowed: a whole number from 2 to 600"#),
    (["selftest", "3g", "edge"], #"unexpected argument "edge""#),
  ]

  @Test(arguments: usageErrors)
  func whatCanNotBeUnderstoodIsAUsageError(words: [String], says: String) throws {
    let result = try Program.run(words)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("headwind: "))
    #expect(result.errors.contains(says), "\(result.errors)")
  }

  static let failuresAsJSON: [(words: [String], status: Int32, says: String)] = [
    (["status", "--json", "--control", "127.0.0.1:1"], 1, "no daemon at http://127.0.0.1:1"),
    (["--json", "check-config", "/nowhere.json"], 1, "/nowhere.json: cannot be read"),
    (["demo", "nope", "--json"], 1, #"unknown profile "nope""#), (["use", "--json"], 64, "missing: PROFILE"),
    (["status", "--bogus", "--json"], 64, "unknown option --bogus"),
    (["selftest", "--svg", "-", "--json"], 64, "both want standard output"),
    (["--json", "statsu"], 64, #"did you mean "status""#),
  ]

  @Test(arguments: failuresAsJSON)
  func withJSONAnErrorIsJSONToo(words: [String], status: Int32, says: String) throws {
    let result = try Program.run(words)
    #expect(result.status == status)
    #expect(result.output.isEmpty)
    let error = try JSONValue(result.errors)
    #expect(error.keys == ["error"])
    #expect(error["error"].string?.contains(says) == true, "\(result.errors)")
  }

  // MARK: toxiproxy-server's flags

  static let serverFlags: [[String]] = [
    ["-port", "0"], ["--port=0"],
    ["-host", "127.0.0.1", "-port=0", "-seed=5", "-runtime-metrics", "-proxy-metrics=true"],
    ["-host=[::1]", "-host=localhost", "-port", "1", "-port", "0", "-proxy-metrics=0"],
    ["-seed", "4", "-seed", "5", "-port", "0", "--version=false"],
  ]

  @Test(arguments: serverFlags)
  func serveTakesToxiproxysFlags(words: [String]) throws {
    let server = try NamedServer(try Program(Program.headwind, ["serve", "--profile", "lte"] + words))
    #expect(server.ready["control"].string?.hasPrefix("127.0.0.1:") == true)
    #expect(server.ready["profile"] == "lte")
    if words.contains(where: { $0.hasPrefix("-seed") }) { #expect(server.ready["seed"] == 5) }
    #expect(try server.api.get("/version").status == 200)
  }

  @Test func aConfigsControlAddressIsChangedByHalves() throws {
    let directory = try TemporaryDirectory()
    let upstream = try Upstream.echo()
    let file = try directory.write(
      #"{"control":"127.0.0.1:1","proxies":[{"name":"p","listen":"127.0.0.1:0","upstream":"\#(upstream.address)"}]}"#,
      to: "config.json")
    let server = try NamedServer(try Program(Program.headwind, ["serve", "-config", file, "-port=0"]))
    #expect(server.ready["control"].string?.hasPrefix("127.0.0.1:") == true)
    #expect(server.ready["proxies"].keys == ["p"])
  }

  /// One socket for both families, as a proxy's.
  @Test(arguments: [["--control", "0.0.0.0:0"], ["-host=", "-port=0"], ["-host", "0.0.0.0", "-port", "0"]])
  func allInterfacesAreBothFamiliesAndNeedAWord(words: [String]) throws {
    let refused = try Program.run(["serve"] + words)
    #expect(refused.status == 1 && refused.errors.contains("--allow-remote"))
    let server = try NamedServer(try Program(Program.headwind, ["serve", "--allow-remote"] + words))
    for host in Machine.localhosts {
      #expect(try API(address: Address(host: host, port: server.api.address.port)).get("/version").status == 200)
    }
    #expect(try server.api.send("GET", "/version", headers: ["Host": "proxy.example.com"]).status == 403)
  }

  @Test func helpNamesToxiproxysFlagsInAParagraph() throws {
    for word in ["-help", "--help", "-h"] {
      let help = try Program.run(["serve", word])
      #expect(help.status == 0)
      for flag in ["-host HOST", "-port PORT", "-runtime-metrics", "-proxy-metrics", "toxiproxy-server"] {
        #expect(help.output.replacingOccurrences(of: "\n", with: " ").contains(flag), "\(flag)")
      }
      #expect(!help.output.contains("\n  --host"))
    }
    #expect(try Program.run(["serve", "-version"]).output.hasPrefix("headwind "))
  }

  // MARK: A running daemon

  @Test func useSwitchesAndStatusShows() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["a": upstream.address, "b": upstream.address])
    let here = ["HEADWIND_URL": daemon.url]
    #expect(try Program.run(["use", "3g"], environment: here).status == 0)
    #expect(try daemon.api.get("/profile").json["name"] == "3g")
    let other = try Program.run(["use", "--proxy", "a", "edge", "--control", daemon.url, "--json"])
    #expect(other.json["name"] == "edge")
    #expect(try daemon.api.get("/proxies/a/profile").json["name"] == "edge")
    #expect(try daemon.api.get("/proxies/b/profile").json["name"] == "none")

    let client = try daemon.connect("b")
    #expect(try client.echo("x") == "x")
    let status = try Program.run(["status", "--json"], environment: here)
    #expect(status.status == 0)
    #expect(status.json["profile"]["name"] == "3g")
    #expect(status.json["proxies"].keys == ["a", "b"])
    #expect(status.json["sessions"].array.count == 1)
    let text = try Program.run(["status"], environment: here).output
    #expect(text.contains("profile: 3g") && text.contains("  edge (own)  ") && text.contains("  3g  "), "\(text)")
    #expect(text.contains(try daemon.listen("a").description))
  }

  @Test func useClearTakesAProfileAway() throws {
    let daemon = try Daemon(["web": Address(host: "127.0.0.1", port: 1)])
    let here = ["HEADWIND_URL": daemon.url]
    for words in [["use", "3g"], ["use", "none", "--proxy", "web"]] {
      #expect(try Program.run(words, environment: here).status == 0)
    }
    #expect(try Program.run(["status"], environment: here).output.contains("  none (own)  "))
    let own = try Program.run(["use", "--proxy", "web", "--clear"], environment: here)
    #expect(own.output == "proxy web: no profile of its own, that of all proxies is 3g\n")
    #expect(try daemon.api.get("/proxies/web").json.keys.contains("profile") == false)
    #expect(try Program.run(["use", "--clear", "--proxy", "web", "--json"], environment: here).json["name"] == "none")
    #expect(try Program.run(["use", "--clear"], environment: here).output == "all proxies: none\n")
    #expect(try daemon.api.get("/profile").json["name"] == "none")
    let unknown = try Program.run(["use", "--clear", "--proxy", "nope"], environment: here)
    #expect(unknown.status == 1)
    #expect(unknown.errors == "headwind: proxy \"nope\": proxy not found; known: web\n")
  }

  @Test func useForRevertsByItself() throws {
    let daemon = try Daemon()
    let used = try Program.run(["use", "edge", "--for=500ms", "--control", daemon.url, "--json"])
    #expect(used.status == 0)
    #expect(used.json["reverts_at"].string != nil)
    #expect(try eventually { try daemon.api.get("/profile").json["name"] == "none" })
  }

  @Test func useNamesTheKnownProfilesWhenOneIsNot() throws {
    let daemon = try Daemon()
    let result = try Program.run(["use", "7g", "--control", daemon.url])
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    for name in ["7g", "3g", "edge", "lte"] { #expect(result.errors.contains(name)) }
    #expect(try daemon.api.get("/profile").json["name"] == "none")
    #expect(try Program.run(["use", "3g", "--proxy", "nope", "--control", daemon.url]).status == 1)
  }

  @Test(arguments: [
    ["use", "3g"], ["status"], ["profiles", "list"], ["wait", "--timeout", "200ms"], ["proxies"], ["reset"],
    ["proxies", "delete", "p"], ["toxics", "add", "p", "latency"],
  ])
  func withoutADaemonItFailsAndNamesTheAddress(words: [String]) throws {
    // A free port of the system's choice could be the next test's daemon; nobody gets this one.
    let url = "http://127.0.0.1:1"
    let result = try Program.run(words, environment: ["HEADWIND_URL": url])
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(url), "\(result.errors)")
  }

  @Test func waitReturnsAsSoonAsTheDaemonIsReady() throws {
    let control = Address(host: "127.0.0.1", port: try ListeningSocket.freePort())
    let waiting = try Program(Program.headwind, ["wait", "--control", "http://\(control)", "--timeout", "20s"])
    pause(.milliseconds(200))
    #expect(waiting.ended() == nil)
    let daemon = try Daemon(control: control.description)
    #expect(waiting.exit() == 0)
    #expect(daemon.program.ended() == nil)
  }

  @Test func profilesAreListedAndShown() throws {
    let daemon = try Daemon()
    let listed = try Program.run(["profiles", "list", "--json"])
    #expect(listed.status == 0)
    #expect(listed.json == (try daemon.api.get("/profiles").json))
    #expect(try Program.run(["profiles", "list", "--json", "--control", daemon.url]).json == listed.json)
    let shown = try Program.run(["profiles", "show", "edge", "--json"])
    #expect(shown.json == (try daemon.api.get("/profiles/edge").json))
    #expect(try Program.run(["profiles"]).output.contains("edge"))
    let unknown = try Program.run(["profiles", "show", "edgee"])
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains(#"did you mean "edge""#))
  }

  @Test func aDirectoryOfProfilesWins() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      #"{"name":"3g","summary":"mine","source":"a test","path":{"latency_ms":7}, /* JSON5 */ }"#, to: "3g.json")
    for (words, environment) in [
      (["--profiles", directory.path], [:]), ([], ["HEADWIND_PROFILES": directory.path]),
    ] as [([String], [String: String])] {
      let shown = try Program.run(["profiles", "show", "3g", "--json"] + words, environment: environment)
      #expect(shown.json["path"]["latency_ms"] == 7)
    }
    let daemon = try Daemon([:], ["--profiles", directory.path])
    #expect(try daemon.api.get("/profiles/3g").json["summary"] == "mine")
    try directory.write(#"{"name":"3g","summary":"-","source":"-","path":{"latency_ms":-1}}"#, to: "3g.json")
    let bad = try Program.run(["check-config", "--profiles", directory.path])
    #expect(bad.status == 1)
    for part in ["3g.json", "path.latency_ms", "-1", "allowed"] { #expect(bad.errors.contains(part), "\(bad.errors)") }
  }

  @Test func theDemoMeasuresWhatItPromises() throws {
    let demo = try Program.run(["demo", "3g", "offline", "--json", "--bytes", "20000"])
    #expect(demo.status == 0)
    let profiles = demo.json["profiles"].array
    #expect(profiles.map { $0["name"] } == ["3g", "offline"])
    let fetch = profiles[0]["fetches"][0]
    #expect(fetch["ok"] == true)
    #expect((50...2000).contains(fetch["first_byte_ms"].number ?? 0), "100 ± 50 ms")
    #expect((100...3000).contains(fetch["total_ms"].number ?? 0), "20 kB at 200 kB/s")
    #expect(profiles[1]["fetches"][0]["ok"] == false)
    let table = try Program.run(["demo", "lte", "--bytes", "1000"])
    #expect(table.output.contains("PROFILE") && table.output.contains("lte") && table.output.contains("ok"))
  }
}
