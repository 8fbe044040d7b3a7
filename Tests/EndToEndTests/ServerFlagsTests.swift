import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program under the name toxiproxy-server.
@Suite(.blocking)
struct ServerFlagsTests {
  private let link: ServerLink

  init() throws { link = try ServerLink() }

  // MARK: The command line

  static let starts: [[String]] = [
    ["-port", "0"], ["-port=0"], ["--port=0", "--host", "localhost"], ["-port=99999", "-port=0"],
    ["-host=127.0.0.1", "-port=0", "-proxy-metrics", "-runtime-metrics=true"],
    ["-port", "0", "-proxy-metrics=F", "--runtime-metrics=0", "-config="], ["-version=false", "-port=0"],
    ["-port=0", "word", "-port", "99999"], ["-port=0", "--", "-bogus"], ["-port=0", "-", "-bogus"],
  ]

  @Test(arguments: starts)
  func flagsAreTakenAsTheReferenceTakesThem(words: [String]) throws {
    let server = try link.start(words)
    let control = try #require(server.ready["control"].string)
    #expect(control.hasPrefix("127.0.0.1:") && control != "127.0.0.1:0")
    #expect(try server.api.get("/version").json["version"] == "2.12.0")
    #expect(try server.api.get("/metrics").status == 200)
    server.program.send(SIGINT)
    #expect(server.program.exit() == 0)
  }

  @Test(arguments: [("5", 5), ("0x2A", 42), ("-seed=7", 7), ("017", 15), ("1_000", 1000), ("0b_101", 5)])
  func theSeedIsReadAsGoReadsNumbers(word: String, seed: Int) throws {
    let words = word.hasPrefix("-") ? [word] : ["-seed", word]
    #expect(try link.start(["-port=0"] + words).ready["seed"].int == seed)
  }

  static let mistakes: [(words: [String], says: String)] = [
    (["-bogus"], "-bogus"), (["--profile=3g"], "-profile"), (["-port"], "-port needs"), (["-seed", "x"], #""x""#),
    (["-seed="], #""""#), (["-seed", "1e3"], "1e3"), (["-seed", "9223372036854775808"], "9223372036854775808"),
    (["-seed", "_1"], "_1"), (["-seed", "--5"], "--5"), (["-seed", "0x"], "0x"),
    (["-proxy-metrics=maybe"], "maybe"), (["---port=0"], "---port"), (["-=x"], "-=x"), (["-host"], "-host needs"),
    (["-proxy-metrics", "-bogus", "-help"], "-bogus"), (["-loops", "3"], "headwind serve --loops"),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsToldWithTheUsageAndExit2(words: [String], says: String) throws {
    let result = try link.run(words)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.first?.hasPrefix("toxiproxy-server: ") == true && lines.first?.contains(says) == true)
    #expect(result.errors.contains("Usage of toxiproxy-server:") && result.errors.contains("\n  -port PORT"))
  }

  @Test func versionAndHelp() throws {
    for words in [["-version"], ["--version"], ["-version=true"], ["-port", "99999", "-version", "word"]] {
      let result = try link.run(words)
      #expect(result.status == 0)
      #expect(result.output == "toxiproxy-server version 2.12.0\n")
      #expect(result.errors.isEmpty)
    }
    for words in [["-help"], ["--help"], ["-h"], ["-port=0", "-h", "-bogus"]] {
      let result = try link.run(words)
      #expect(result.status == 0)
      #expect(result.output.isEmpty)
      for flag in ["host", "port", "config", "seed", "runtime-metrics", "proxy-metrics", "version", "help"] {
        #expect(result.errors.contains("\n  -\(flag) "), "\(flag)")
      }
    }
  }

  @Test func anotherNameIsHeadwind() throws {
    let other = try ServerLink(name: "toxiproxy-serverless")
    #expect(try other.run(["-port", "0"]).status == 64)
    #expect(try other.run(["--version"]).output.hasPrefix("headwind "))
  }

  // MARK: Where it listens

  @Test(arguments: [["-host=0.0.0.0"], ["-host="], ["-host", ""]])
  func aContainersAPIIsReachedUnderAnyName(words: [String]) throws {
    let server = try link.start(words + ["-port", "0"])
    for host in [
      "127.0.0.1", "toxiproxy:8474", "toxiproxy.default.svc.cluster.local:8474", "toxiproxy.my_network",
      "proxy.example.com",
    ] {
      #expect(try server.api.send("GET", "/proxies", headers: ["Host": host]).status == 200, "\(host)")
      #expect(try server.api.send("POST", "/reset", headers: ["Host": host]).status == 204, "\(host)")
    }
    // A page that lets its own name stand for this address is told by what its browser sends.
    for method in ["GET", "POST", "DELETE"] {
      let headers = ["Host": "rebound.example", "Origin": "http://rebound.example", "User-Agent": "none"]
      let refused = try server.api.send(method, "/proxies", headers: headers)
      #expect(refused.status == 403 && refused.error.contains("rebound.example"), "\(method)")
    }
    let browser = ["Host": "toxiproxy.default.svc", "User-Agent": "Mozilla/5.0"]
    #expect(try server.api.send("GET", "/proxies", headers: browser).status == 403)
  }

  @Test func onLoopbackOnlyNamesThatCannotBePublicAreServed() throws {
    let server = try link.start(["-port", "0"])
    for (host, status) in [("localhost:8474", 200), ("toxiproxy", 200), ("proxy.example.com", 403)] {
      #expect(try server.api.send("GET", "/proxies", headers: ["Host": host]).status == status, "\(host)")
    }
  }

  /// As release binaries are called.
  @Test func aPlatformMayStandBehindTheName() throws {
    let server = try ServerLink(name: "toxiproxy-server-linux-amd64").start(["-port", "0"])
    #expect(try server.api.get("/version").json["version"] == "2.12.0")
  }

  // MARK: Config

  @Test func kindsThatOldClientsDontKnowAreNotListed() throws {
    let file = try link.directory.write(
      #"""
      [{"name": "p", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1",
        "toxics": [{"type": "stall"}, {"type": "noop"}]}]
      """#, to: "own.json")
    let server = try link.start(["-config", file, "-port=0"])
    #expect(try server.api.get("/proxies/p/toxics").json.array.map { $0["type"].string } == ["noop"])
    #expect(try server.api.get("/proxies/p/toxics?all=true").json.array.map { $0["type"].string } == ["stall", "noop"])
  }

  @Test func aConfigIsReadWithTheReferencesLeniency() throws {
    let upstream = try Upstream.echo()
    let file = try link.directory.write(
      #"""
      [{"Name": "web", "LISTEN": "127.0.0.1:0", "upstream": "\#(upstream.address)", "Comment": "who knows",
        "toxics": [{"type": "latency", "attributes": {"Latency": 120}}]},
       {"name": "off", "listen": "nonsense", "upstream": "no port at all", "enabled": false},
       {"name": "nulls", "listen": "localhost:0", "upstream": "x:1", "enabled": null, "toxics": null}] and so on
      """#, to: "config.json")
    let server = try link.start(["-config", file, "-port=0"])
    #expect(server.ready["proxies"].keys == ["web", "off", "nulls"])
    let listen = try Address(try #require(server.ready["proxies"]["web"].string))
    #expect(try Connection(to: listen).echoTime("x") >= .milliseconds(120))
    #expect(try server.api.get("/proxies/off").json["enabled"] == false)
    let warnings = try server.logAtItsEnd().filter { $0["level"] == "warning" }.compactMap { $0["message"].string }
    #expect(warnings.count == 2 && warnings.allSatisfy { $0.contains(file) }, "\(warnings)")
    for odd in ["Comment", "no port at all"] { #expect(warnings.contains { $0.contains(odd) }, "\(warnings)") }
    // Our own command reads strictly.
    let strict = try Program.run(["serve", "-config", file, "-port", "0"])
    #expect(strict.status == 1 && strict.errors.contains("config.json"))
  }

  static let failures: [(config: String?, words: [String], says: String)] = [
    (nil, ["-config", "/nowhere/proxies.json"], "/nowhere/proxies.json"), (nil, ["-config", "/"], "directory"),
    (nil, ["-port", "99999"], "99999"), (nil, ["-port", "no-such-service"], "no-such-service"),
    (nil, ["-host", "nowhere.invalid"], "nowhere.invalid"), (nil, ["-host", "192.0.2.1"], "192.0.2.1"),
    (nil, ["-port", "TAKEN"], "in use"),
    ("", [], "EOF"), ("{", [], "config.json"), (#"{"name":"p"}"#, [], "an array of proxies"),
    (#"[{"name":"p"}]"#, [], "missing required field: upstream at proxy 1"),
    (#"[{"name":5,"upstream":"x:1"}]"#, [], "name"),
    (#"[{"name":"p","upstream":"x:1","listen":"nonsense"}]"#, [], "nonsense"),
    (#"[{"name":"p","upstream":"x:1","listen":"127.0.0.1:TAKEN"}]"#, [], "in use"),
    (#"[{"name":"p","upstream":"x:1","toxics":[{"type":"nope"}]}]"#, [], "invalid toxic type"),
    (#"[{"name":"p","upstream":"x:1","profile":"3gg"}]"#, [], #"did you mean "3g""#),
  ]

  @Test(arguments: failures)
  func aStartThatFailsSaysWhyInOneLine(config: String?, words: [String], says: String) throws {
    let taken = try ListeningSocket()
    func filled(_ text: String) -> String { text.replacingOccurrences(of: "TAKEN", with: "\(taken.address.port)") }
    var words = words.map(filled)
    if !words.contains("-port") { words += ["-port", "0"] }
    if let config { words += ["-config", try link.directory.write(filled(config), to: "config.json")] }
    var result: Program.Result?
    let time = try elapsed { result = try link.run(words) }
    #expect(result?.status == 1)
    #expect(result?.output == "")
    let errors = try #require(result?.errors)
    #expect(errors.split(separator: "\n").count == 1 && errors.hasPrefix("toxiproxy-server: "), "\(errors)")
    #expect(errors.contains(says), "\(errors)")
    #expect(time < .seconds(1) + Machine.promptly)
  }

  /// Who waits for the API uses the proxies at once.
  @Test func theConfigIsInForceBeforeTheAPIAnswers() throws {
    let entries = (0..<200).map { #"{"name":"p\#($0)","listen":"localhost:0","upstream":"x:1"}"# }
    let file = try link.directory.write("[\(entries.joined(separator: ","))]", to: "config.json")
    let control = Address(host: "127.0.0.1", port: try ListeningSocket.freePort())
    let asker = Worker {
      var count: Int?
      _ = eventually {
        count = try? API(address: control).get("/proxies").json.keys.count
        return count != nil
      }
      return count
    }
    let server = try link.start(["-port", "\(control.port)", "-config", file])
    #expect(try asker.value() == 200)
    #expect(server.ready["proxies"].keys.count == 200)
  }

  @Test func aReloadReadsAsTheStartDid() throws {
    let file = try link.directory.write(#"[{"NAME":"a","upstream":"x:1"}]"#, to: "config.json")
    let server = try link.start(["-port=0", "-config", file])
    try link.directory.write(#"[{"NAME":"a","upstream":"x:1"},{"Name":"b","upstream":"x:1"}]"#, to: "config.json")
    server.program.send(SIGHUP)
    #expect(try eventually { try server.api.get("/proxies").json.keys == ["a", "b"] })
    try link.directory.write("[", to: "config.json")
    server.program.send(SIGHUP)
    #expect(eventually { server.program.errors.contains("not reloaded") })
    #expect(try server.api.get("/proxies").json.keys == ["a", "b"])
  }
}
