import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Forward proxies as options, config file, reload and command line have them.
@Suite(.blocking)
struct ForwardProxyTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func config(_ text: String) throws -> String { try directory.write(text, to: "config.json5") }

  private func reload(_ daemon: Daemon, to event: String = "reloaded") throws {
    let before = try daemon.events(event).count
    daemon.program.send(SIGHUP)
    #expect(try eventually { try daemon.events(event).count == before + 1 }, "\(daemon.log)")
  }

  private func rules(_ daemon: Daemon) throws -> [String] {
    try daemon.api.get("/rules").json["rules"].array.map { "\($0["host"].string ?? "")=\($0["use"].string ?? "")" }
  }

  @Test func optionsMakeThemAndTheReadyLineTellsWhereTheyAre() throws {
    let none = try Daemon()
    #expect(none.ready["http_proxy"] == .null && none.ready["socks"] == .null)
    let daemon = try Daemon(
      [:], ["--http-proxy", "0", "--socks", "localhost:0", "--rule", "*.a=edge", "--rule", "*=deny"])
    for (key, name, mode) in [("http_proxy", "http-proxy", "http"), ("socks", "socks", "socks")] {
      let address = try #require(daemon.ready[key].string)
      #expect(address.hasPrefix("127.0.0.1:") && !address.hasSuffix(":0"))
      #expect(daemon.ready["proxies"][name].string == address)
      let proxy = try daemon.api.get("/proxies/\(name)").json
      #expect(proxy["mode"].string == mode && proxy["upstream"] == "*:*" && proxy["listen"].string == address)
      _ = try Connection(to: Address(address))
    }
    #expect(try rules(daemon) == ["*.a=edge", "*=deny"])
    let pac = try daemon.api.send("GET", "/proxy.pac", headers: ["User-Agent": "Mozilla/5.0"])
    #expect(pac.status == 200 && String(decoding: pac.body, as: UTF8.self).contains("function FindProxyForURL("))
  }

  @Test func theConfigFileStandsBehindTheCommandLine() throws {
    let file = try config(
      "{http_proxy: '1', socks: '0', rules: ['b=3g'], proxies: [{name: 'p', mode: 'http', listen: '127.0.0.1:0'}]}")
    #expect(try Program.run(["check-config", file]).status == 0)
    let daemon = try Daemon([:], ["--config", file, "--http-proxy", "0", "--rule", "a=edge"])
    #expect(daemon.ready["proxies"].keys == ["p", "http-proxy", "socks"])
    #expect(try rules(daemon) == ["a=edge", "b=3g"])
  }

  static let refusals: [(config: String, options: [String], says: [String])] = [
    ("{http_proxy: ':0'}", [], ["http-proxy", "open proxy", "--allow-client"]),
    ("{}", ["--socks", "0.0.0.0:0"], ["socks", "open proxy", "--allow-client"]),
    ("[{name: 'p', mode: 'http', listen: ':0'}]", [], [#""p""#, "open proxy", "--allow-client"]),
    ("{rules: ['a=3gg']}", [], ["rules[0].use", "3gg", #"did you mean "3g""#]),
    ("{}", ["--rule", "a=3gg"], ["--rule a=3gg", #"did you mean "3g""#]),
    ("{}", ["--socks", "0", "--proxy", "socks=127.0.0.1:0,x:1"], [#""socks""#, "--socks", "one proxy of a name"]),
    ("[{name: 'http-proxy', upstream: 'x:1'}]", ["--http-proxy", "0"], ["http-proxy", "one proxy of a name"]),
    ("{socks: '0'}", ["--proxy", "socks=127.0.0.1:0,x:1"], [#""socks""#, "one proxy of a name"]),
    ("{via: 'https://u:secret@h'}", [], ["via", "https://…@h", "only http://"]),
    ("{allow_clients: ['10.0.0.0/33']}", [], ["allow_clients[0]", "10.0.0.0/33", "allowed"]),
  ]

  @Test(arguments: refusals)
  func whatCannotBeIsRefusedInOneLine(text: String, options: [String], says: [String]) throws {
    let result = try Program.run(["serve", "--control", "127.0.0.1:0", "--config", try config(text)] + options)
    #expect(result.status == 1 || result.status == 64)
    #expect(result.output.isEmpty && !result.errors.contains("secret"))
    for part in says { #expect(result.errors.contains(part), "\(result.errors)") }
  }

  @Test func checkConfigReadsIt() throws {
    for text in ["{rules: ['a=3gg']}", "{http_proxy: 'x'}", "{socks: '0', proxies: [{name: 'socks', mode: 'socks'}]}"] {
      let file = try config(text)
      let result = try Program.run(["check-config", file])
      #expect(result.status == 1 && result.errors.contains(file) && result.output.isEmpty, "\(result.errors)")
    }
  }

  @Test func otherMachinesMayComeWhereTheyAreAllowed() throws {
    let daemon = try Daemon([:], ["--socks", ":0", "--allow-client", "10.0.0.0/8"])
    #expect(daemon.ready["socks"].string?.hasPrefix("[::]:") == true)
    #expect(try daemon.api.post("/proxies", #"{"name":"p","mode":"http","listen":":0"}"#).status == 201)
  }

  @Test(.enabled(if: Machine.outsideAddress != nil, "this machine has loopback addresses alone"))
  func othersAreRefused() throws {
    let own = try #require(Machine.outsideAddress)
    let (target, inside) = (try Upstream.echo(host: own), try Upstream.echo())
    for (network, target, says) in [
      ("198.51.100.0/24", target, "is in none of the networks that --allow-client names\n"),
      ("\(own)/32", target, "HTTP/1.1 200 Connection established\r\n"),
      ("\(own)/32", inside, "what is on this machine's loopback is not for other machines\n"),
    ] {
      let daemon = try Daemon([:], ["--http-proxy", "\(own):0", "--allow-client", network])
      let client = try Connection(to: Address(#require(daemon.ready["http_proxy"].string)))
      try client.send("CONNECT \(target.address) HTTP/1.1\r\nHost: \(target.address)\r\n\r\n")
      guard !says.contains("200") else {
        #expect(try String(decoding: client.receive(exactly: says.utf8.count), as: UTF8.self) == says)
        continue
      }
      let answer = String(decoding: try client.receiveToEnd(), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 403 Forbidden\r\n") && answer.hasSuffix(says), "\(answer)")
    }
  }

  // MARK: Reload

  @Test func aReloadTakesOverWhatTheFileSays() throws {
    let file = try config("{http_proxy: '0', rules: ['a=3g']}")
    let daemon = try Daemon([:], ["--config", file, "--rule", "first=edge"])
    let listen = daemon.ready["http_proxy"].string
    _ = try config("{http_proxy: '0', socks: ':0', allow_clients: ['10.0.0.0/8'], rules: ['a=3g', 'b=deny']}")
    try reload(daemon)
    #expect(try rules(daemon) == ["first=edge", "a=3g", "b=deny"])
    #expect(try daemon.api.get("/proxies/http-proxy").json["listen"].string == listen)
    #expect(try daemon.api.get("/proxies/socks").json["mode"] == "socks")
    // What came by a call stays as long as the file says the same.
    #expect(try daemon.api.put("/rules", #"{"rules":["c=lte"]}"#).status == 200)
    try reload(daemon)
    #expect(try rules(daemon) == ["c=lte"])
    // It would leave the proxy open.
    _ = try config("{http_proxy: '0', socks: ':0', rules: ['z=deny']}")
    try reload(daemon, to: "reload_refused")
    #expect(eventually { daemon.log.contains("open proxy") }, "\(daemon.log)")
    #expect(try rules(daemon) == ["c=lte"])
    let other = #"{"name":"other","mode":"http","listen":":0"}"#
    #expect(try daemon.api.post("/proxies", other).status == 201, "the networks are still allowed")
    #expect(try daemon.api.delete("/proxies/other").status == 204)
    _ = try config("{socks: '0', rules: []}")
    try reload(daemon)
    #expect(try daemon.api.get("/proxies").json.keys == ["socks"])
    #expect(try daemon.api.get("/proxies/socks").json["listen"].string?.hasPrefix("127.0.0.1:") == true)
    #expect(try rules(daemon) == ["first=edge"])
  }

  @Test func aReloadKeepsTheListenersOfTheCommandLine() throws {
    let file = try config("{http_proxy: '0'}")
    let daemon = try Daemon([:], ["--config", file, "--http-proxy", "0"])
    let listen = daemon.ready["http_proxy"].string
    _ = try config("{http_proxy: '1'}")
    try reload(daemon)
    _ = try config("{}")
    try reload(daemon)
    #expect(try daemon.api.get("/proxies/http-proxy").json["listen"].string == listen)
  }

  @Test func aReloadThatNamesAnUnknownProfileIsRefused() throws {
    let daemon = try Daemon([:], ["--config", try config("{http_proxy: '0'}")])
    _ = try config("{http_proxy: '0', rules: ['a=3gg']}")
    try reload(daemon, to: "reload_refused")
    #expect(eventually { daemon.log.contains("rules[0].use") && daemon.log.contains("3gg") }, "\(daemon.log)")
  }

  // MARK: The next proxy

  @Test func theEnvironmentCountsOnlyWhenAsked() throws {
    let words = ["serve", "--control", "127.0.0.1:0", "--http-proxy", "0"]
    let bad = ["HTTPS_PROXY": "socks5://u:secret@h:1"]
    _ = try Daemon.readyLine(of: Program(Program.headwind, words, environment: bad))
    let refused = try Program.run(words + ["--via", "env"], environment: bad)
    #expect(refused.status == 1 && refused.errors.contains("HTTPS_PROXY is \"socks5://…@h:1\""), "\(refused.errors)")
    #expect(!refused.errors.contains("secret"))
    let none = try Program(Program.headwind, words + ["--via", "env"])
    _ = try Daemon.readyLine(of: none)
    #expect(eventually { none.errors.contains("neither HTTPS_PROXY nor ALL_PROXY is set") })
  }

  // MARK: Commands

  @Test func rulesAreListedAndChangedByCommands() throws {
    let daemon = try Daemon([:], ["--http-proxy", "0"])
    func run(_ words: String...) throws -> Program.Result {
      try Program.run(["rules"] + words, environment: ["HEADWIND_URL": daemon.url])
    }
    #expect(try run().output == "no rules\n")
    #expect(
      try run("set", "*.example.com=edge", "*:25=deny").output
        == "HOST           USE\n*.example.com  edge\n*:25           deny\n")
    #expect(try run("add", "a=direct", "--first", "--json").json["rules"].array.first?["host"] == "a")
    #expect(try run("add", "z=3g").output.hasSuffix("\nz              3g\n"))
    #expect(try run("list", "--json").json == (try daemon.api.get("/rules").json))
    let unknown = try run("add", "y=3gg")
    #expect(unknown.status == 1 && unknown.errors.contains(#"did you mean "3g""#))
    let wrong = try run("set", "a", "--json")
    #expect(
      try wrong.status == 64 && JSONValue(wrong.errors)["error"].string?.hasPrefix("RULE is \"a\": no =") == true)
    #expect(try run("clear").output == "no rules\n")
  }

  @Test func proxiesAreMadeAndListedByCommands() throws {
    let daemon = try Daemon()
    func run(_ words: String...) throws -> Program.Result {
      try Program.run(["proxies"] + words, environment: ["HEADWIND_URL": daemon.url])
    }
    let made = try run("create", "p", "--mode", "http")
    #expect(made.output == "proxy p: \(try daemon.listen("p")) -> any (http), enabled\n")
    #expect(try run().output.contains("  any (http)  enabled  "))
    #expect(try run("show", "p").output.contains("any (http)"))
    for (words, says) in [
      (["create", "q", "--mode", "ftp"], #"--mode is "ftp"; allowed: tcp, http, socks"#),
      (["create", "q", "--mode", "socks", "-u", "x:1"], "exclude each other"),
      (["create", "q", "--mode", "tcp"], "missing: --upstream"),
    ] {
      let result = try Program.run(["proxies"] + words, environment: ["HEADWIND_URL": daemon.url])
      #expect(result.status == 64 && result.errors.contains(says), "\(result.errors)")
    }
    let update = try run("update", "p", "-u", "x:1")
    #expect(update.status == 1 && update.errors.contains("clients of mode"))
  }
}
