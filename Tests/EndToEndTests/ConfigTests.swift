import Testing

/// Config files: what they may say, what they may not, and who wins.
@Suite(.blocking)
struct ConfigTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func toxiproxysArrayIsRead() throws {
    let upstream = try Upstream.echo()
    let file = try directory.write(
      #"[{"name":"web","listen":"127.0.0.1:0","upstream":"\#(upstream.address)","enabled":true}]"#, to: "proxies.json")
    #expect(try Program.run(["check-config", file]).status == 0)
    let daemon = try Daemon([:], ["--config", file])
    #expect(daemon.isEchoing("web"))
  }

  @Test func anObjectIsReadAndTheCommandLineWins() throws {
    let upstream = try Upstream.echo()
    let port = try ListeningSocket.freePort()
    let file = try directory.write(
      #"""
      { // JSON5
        "proxies": [
          {"name": "web", "listen": "127.0.0.1:0", "upstream": "\#(upstream.address)", "profile": "edge"},
          {"name": "db", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1"},
        ],
        "profile": "lte", "control": "127.0.0.1:\#(port)", "seed": 5,
      }
      """#, to: "headwind.json")
    #expect(try Program.run(["check-config", "--config", file, "--json"]).json["proxies"] == 2)
    let daemon = try Daemon(["db": upstream.address], ["--config", file, "--profile", "3g"])
    #expect(daemon.ready["control"].string != "127.0.0.1:\(port)")
    #expect(daemon.ready["seed"] == 5)
    #expect(try daemon.api.get("/profile").json["name"] == "3g")
    #expect(try daemon.api.get("/proxies/web/profile").json["name"] == "edge")
    #expect(daemon.isEchoing("db"), "the command line's upstream")
    let plain = try Program(Program.headwind, ["serve", "--config", file])
    let ready = try Daemon.readyLine(of: plain)
    #expect(ready["control"].string == "127.0.0.1:\(port)")
    #expect(ready["profile"] == "lte")
  }

  static let mistakes: [(text: String, says: [String])] = [
    ("", ["is empty; allowed: JSON or JSON5"]), (#"{"profile":"#, ["EOF"]),
    (#"{"profil":"3g"}"#, ["profil", #""profile""#]),
    (#"{"seed":-3}"#, ["seed", "-3", "allowed"]),
    (#"{"connect_timeout_ms":0}"#, ["connect_timeout_ms", "0", "allowed"]),
    (#"{"log_level":"loud"}"#, ["log_level", "loud", "allowed"]),
    (#"{"control":"nonsense"}"#, ["control", "nonsense"]),
    (#"{"profile":"3gg"}"#, ["profile", "3gg", #"did you mean "3g""#]),
    (#"[{"name":"p","upstream":"x:1","profile":"nope"}]"#, ["proxies[0].profile", "nope"]),
    (#"[{"name":"p"}]"#, ["proxies[0]", "upstream"]),
    (#"[{"name":"p","upstream":"x:1","listen":"127.0.0.1:99999"}]"#, ["proxies[0].listen", "99999"]),
    (
      #"[{"name":"p","upstream":"x:1","toxics":[{"type":"latency","attributes":{"latency":"x"}}]}]"#,
      ["proxies[0].toxics[0].attributes.latency", #""x""#, "allowed"]
    ),
    (#"[{"name":"p","upstream":"x:1"},{"name":"p","upstream":"x:1"}]"#, ["proxies[1].name", #""p""#, "allowed"]),
    (String(repeating: "[", count: 1000), ["deep"]),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsNamed(text: String, says: [String]) throws {
    let file = try directory.write(text, to: "bad.json")
    for words in [["check-config", file], ["serve", "--control", "127.0.0.1:0", "--config", file]] {
      let result = try Program.run(words)
      #expect(result.status == 1)
      #expect(result.output.isEmpty)
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      for part in says + [file] { #expect(result.errors.contains(part), "\(result.errors)") }
    }
  }

  @Test func anAbsentFileIsNamed() throws {
    for words in [["check-config", "/nowhere.json"], ["serve", "--config", "/nowhere.json"]] {
      let result = try Program.run(words)
      #expect(result.status == 1)
      #expect(result.errors.contains("/nowhere.json"))
    }
  }
}
