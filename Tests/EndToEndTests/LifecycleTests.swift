import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Start, reload and end of the daemon.
@Suite(.blocking)
struct LifecycleTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  // MARK: Start

  @Test func theReadyLineSaysWhereEverythingIs() throws {
    let upstream = try Upstream.echo()
    let file = directory.path + "/ready"
    let daemon = try Daemon(["web": upstream.address, "db": upstream.address], ["--ready-file", file])
    let ready = daemon.ready
    #expect(ready.keys.isSuperset(of: ["event", "control", "proxies", "http_proxy", "socks", "pid"]))
    #expect(ready["event"] == "ready")
    #expect(ready["proxies"].keys == ["web", "db"])
    #expect(ready["pid"].int == Int(daemon.program.identifier))
    #expect(ready["http_proxy"] == nil && ready["socks"] == nil)
    #expect(daemon.program.output.filter { $0 == "\n" }.count == 1)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == daemon.program.output)
    #expect(try daemon.api.get("/readyz").status == 200)
    #expect(daemon.isEchoing("web") && daemon.isEchoing("db"))
    daemon.program.send(SIGTERM)
    #expect(daemon.program.exit() == 0)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  #if os(Linux)
    /// Else a socket would get the number of standard error, and log lines.
    @Test func closedStandardStreamsAreFilled() throws {
      let file = directory.path + "/ready-without-streams"
      let words = ["serve", "--control", "127.0.0.1:0", "--ready-file", file]
      let program = try Program("/bin/sh", ["-c", #"exec "$0" "$@" <&- >&- 2>&-"#, Program.headwind] + words)
      #expect(eventually { FileManager.default.fileExists(atPath: file) })
      for descriptor in 0...2 {
        let link = "/proc/\(program.identifier)/fd/\(descriptor)"
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
      }
      program.send(SIGTERM)
      #expect(program.exit() == 0)
    }
  #endif

  struct FailedStart: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// "TAKEN" stands for an address in use.
    let words: [String]
    let says: String
  }

  static let failedStarts = [
    FailedStart(testDescription: "control port in use", words: ["--control", "TAKEN"], says: "in use"),
    FailedStart(testDescription: "proxy port in use", words: ["--proxy", "p=TAKEN,127.0.0.1:1"], says: "in use"),
    FailedStart(
      testDescription: "unresolvable listen name", words: ["--proxy", "p=nowhere.invalid:0,127.0.0.1:1"],
      says: "nowhere.invalid"),
    FailedStart(
      testDescription: "address of another machine", words: ["--proxy", "p=192.0.2.1:0,x:1"], says: "192.0.2.1"),
    FailedStart(testDescription: "unknown profile", words: ["--profile", "3gg"], says: #"did you mean "3g""#),
    FailedStart(testDescription: "control for everybody", words: ["--control", "0.0.0.0:0"], says: "--allow-remote"),
    FailedStart(testDescription: "absent profiles", words: ["--profiles", "/nowhere"], says: "/nowhere"),
    FailedStart(
      testDescription: "ready file in no directory", words: ["--ready-file", "/nowhere/ready"], says: "/nowhere"),
  ]

  @Test(arguments: failedStarts)
  func aStartThatFailsSaysWhyInOneLine(start: FailedStart) throws {
    let taken = try ListeningSocket()
    let words = start.words.map { $0.replacingOccurrences(of: "TAKEN", with: "\(taken.address)") }
    let control = words.contains("--control") ? [] : ["--control", "127.0.0.1:0"]
    var result: Program.Result?
    let time = try elapsed { result = try Program.run(["serve"] + control + words) }
    #expect(result?.status == 1)
    #expect(result?.output == "")
    let errors = try #require(result?.errors)
    #expect(errors.split(separator: "\n").count == 1, "\(errors)")
    #expect(errors.contains(start.says), "\(errors)")
    #expect(time < .seconds(1) + Machine.promptly)
  }

  @Test func afterAKillItStartsAgainOnTheSamePorts() throws {
    let upstream = try Upstream.echo()
    var daemon: Daemon? = try Daemon(["p": upstream.address])
    let control = try #require(daemon).api.address
    let listen = try #require(daemon).listen()
    let clients = try (0..<5).map { _ in try Connection(to: listen) }
    for client in clients { #expect(try client.echo("x") == "x") }
    daemon?.program.send(SIGKILL)
    #expect(eventually { daemon?.program.ended()?.signal == SIGKILL })
    daemon = nil
    let next = try Daemon([:], ["--proxy", "p=\(listen),\(upstream.address)"], control: control.description)
    #expect(next.isEchoing())
    #expect(try next.api.get("/readyz").status == 200)
  }

  // MARK: End

  private func daemonHolding(_ text: String, latency: Int, _ options: [String]) throws -> (Daemon, Connection, Upstream)
  {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], options)
    try daemon.api.addToxic("latency", #"{"latency":\#(latency)}"#)
    let client = try daemon.connect()
    try client.send(text)
    #expect(try eventually { try daemon.sessions.first?["buffered_bytes"].int == text.utf8.count })
    return (daemon, client, upstream)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func aStopDeliversWhatIsDelayed(signal: Int32) throws {
    let (daemon, client, _) = try daemonHolding("delayed", latency: 1500, [])
    let address = try daemon.listen()
    daemon.program.send(signal)
    #expect(eventually { daemon.log.contains("stopping") })
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try Connection(to: address) }
    #expect(daemon.program.ended() == nil)
    #expect(try client.receive(exactly: 7) == Array("delayed".utf8))
    // The upstream is gone and had ended: this end is its own.
    #expect(try client.receive() == .end)
    #expect(daemon.program.exit() == 0)
  }

  @Test func aSecondSignalEndsItAtOnce() throws {
    let (daemon, client, _) = try daemonHolding("never", latency: 30_000, ["--drain-timeout", "60s"])
    daemon.program.send(SIGTERM)
    #expect(eventually { daemon.log.contains("stopping") })
    #expect(try client.receive(within: .milliseconds(200)) == .nothing)
    #expect(daemon.program.ended() == nil)
    daemon.program.send(SIGTERM)
    #expect(daemon.program.exit(within: .seconds(1) + Machine.promptly) == 0)
    #expect(try client.outcome() == .reset)
  }

  @Test func theDrainTimeoutBoundsTheStop() throws {
    let (daemon, client, _) = try daemonHolding("never", latency: 30_000, ["--drain-timeout", "300ms"])
    daemon.program.send(SIGTERM)
    #expect(daemon.program.exit(within: .seconds(3)) == 0)
    #expect(try client.outcome() == .reset)
  }

  /// An end would tell a client that reads to the end that it has everything.
  @Test func aDownloadThatAStopCutsOffEndsWithAReset() throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address], ["--profile", "lte"])
    let client = try daemon.connect()
    var checker = NumberedStream.Checker()
    try checker.read(client, to: 100_000)
    daemon.program.send(SIGTERM)
    #expect(try client.outcome() == .reset)
    #expect(daemon.program.exit() == 0)
  }

  /// A second daemon that can't start must not take the first one's ready file away.
  @Test func aFailedStartLeavesTheReadyFileOfAnother() throws {
    let file = directory.path + "/shared-ready"
    let daemon = try Daemon([:], ["--ready-file", file])
    let second = try Program.run(["serve", "--control", "\(daemon.api.address)", "--ready-file", file])
    #expect(second.status == 1)
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func waitCanTellItsOwnDaemonFromAnother() throws {
    let daemon = try Daemon()
    let control = ["--control", "http://\(daemon.api.address)", "--timeout", "1s"]
    #expect(try Program.run(["wait", "--pid", "\(daemon.program.identifier)"] + control).status == 0)
    let other = try Program.run(["wait", "--pid", "1"] + control)
    #expect(other.status == 1 && other.errors.contains("another daemon"), "\(other.errors)")
  }

  /// The second has ended, and nobody has asked how: its number is still there.
  @Test func waitingForAProcessThatHasEndedIsOverAtOnce() throws {
    let script = """
      sleep 0 & wait $!; "$0" wait --pid $! --timeout 20s --control 127.0.0.1:1; echo $?
      exec /bin/bash -c 'sleep 0 & exec "$0" wait --pid $! --timeout 20s --control 127.0.0.1:1' "$0"
      """
    let time = try elapsed {
      let program = try Program("/bin/bash", ["-c", script, Program.headwind])
      #expect(program.exit() == 1)
      #expect(program.output == "1\n")
      #expect(program.errors.split(separator: "\n").count { $0.contains(/: process \d+ is not running;/) } == 2)
    }
    #expect(time < .seconds(8))
    #expect(try Program.run(["wait", "--pid", "0"]).status == 64)
  }

  @Test func idleSessionsDoNotHoldUpTheStop() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    #expect(try client.echo("x") == "x")
    daemon.program.send(SIGTERM)
    #expect(daemon.program.exit(within: .seconds(3)) == 0)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalThatTheParentBlocksArrivesAllTheSame(signal: Int32) throws {
    let daemon = try Daemon(blocked: [SIGTERM, SIGINT, SIGHUP])
    daemon.program.send(signal)
    #expect(daemon.program.exit() == 0)
  }

  // MARK: Reload

  @Test func aReloadBringsNewProxiesAndProfiles() throws {
    let upstream = try Upstream.echo()
    func entry(_ name: String) -> String {
      #"{"name":"\#(name)","listen":"127.0.0.1:0","upstream":"\#(upstream.address)"}"#
    }
    let config = try directory.write(#"{"proxies":[\#(entry("a")),\#(entry("b"))],"profiles":"."}"#, to: "config.json5")
    let daemon = try Daemon([:], ["--config", config])
    let client = try daemon.connect("a")
    #expect(try client.echo("before") == "before")

    try directory.write(#"{"name":"mine","summary":"-","source":"-","path":{"latency_ms":80}}"#, to: "mine.json")
    try directory.write(
      #"{"proxies":[\#(entry("a")),\#(entry("c"))],"profiles":".","profile":"mine"}"#, to: "config.json5")
    daemon.program.send(SIGHUP)
    #expect(try eventually { try daemon.events("reloaded").count == 1 })
    #expect(try daemon.api.get("/proxies").json.keys == ["a", "c"])
    #expect(try daemon.api.get("/profile").json["name"] == "mine")
    #expect(daemon.isEchoing("c"))
    #expect(try client.echoTime("after") >= .milliseconds(80), "the connection of an unchanged proxy lives")
  }

  static let badConfigs = [
    #"{"proxies":"#, #"{"proxies":[],"profile":"unknown"}"#, #"{"nonsense":1}"#,
    #"[{"name":"x","listen":"TAKEN","upstream":"x:1"},{"name":"y","listen":"127.0.0.1:0","upstream":"x:1"}]"#,
    #"[{"name":"x","listen":"nowhere.invalid:0","upstream":"x:1"}]"#,
  ]

  @Test(arguments: badConfigs)
  func aBadReloadChangesNothing(text: String) throws {
    let taken = try ListeningSocket()
    let upstream = try Upstream.echo()
    let good = #"{"proxies":[{"name":"a","listen":"127.0.0.1:0","upstream":"\#(upstream.address)"}],"profile":"lte"}"#
    let config = try directory.write(good, to: "config.json")
    let daemon = try Daemon([:], ["--config", config])
    let client = try daemon.connect("a")
    #expect(try client.echo("before") == "before")
    let before = try daemon.api.get("/proxies").json
    try directory.write(text.replacingOccurrences(of: "TAKEN", with: "\(taken.address)"), to: "config.json")
    daemon.program.send(SIGHUP)
    #expect(try eventually { try daemon.events("reload_refused").count == 1 })
    #expect(eventually { daemon.log.contains("not reloaded") })
    #expect(try daemon.api.get("/proxies").json == before)
    #expect(try daemon.api.get("/profile").json["name"] == "lte")
    #expect(try client.echo("after") == "after")
    try directory.write(good, to: "config.json")
    daemon.program.send(SIGHUP)
    #expect(try eventually { try daemon.events("reloaded").count == 1 })
    #expect(try client.echo("still") == "still")
  }
}
