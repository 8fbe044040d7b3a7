import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a SIGHUP brings, and what it must leave alone.
@Suite(.blocking)
struct ReloadTests {
  private let directory: TemporaryDirectory
  private let upstream: Upstream

  init() throws {
    directory = try TemporaryDirectory()
    upstream = try Upstream.echo()
  }

  private func entry(_ name: String, _ listen: String = "127.0.0.1:0", _ more: String = "") -> String {
    #"{"name":"\#(name)","listen":"\#(listen)","upstream":"\#(upstream.address)"\#(more)}"#
  }

  private func write(_ proxies: [String], _ more: String = "") throws -> String {
    try directory.write(#"{"proxies":[\#(proxies.joined(separator: ","))]\#(more)}"#, to: "config.json5")
  }

  private func reload(_ daemon: Daemon) throws {
    let before = try daemon.events("reloaded").count
    daemon.program.send(SIGHUP)
    #expect(try eventually { try daemon.events("reloaded").count == before + 1 }, "\(daemon.log)")
  }

  @Test func theCommandLineGoesOnWinning() throws {
    let config = try write([entry("web"), entry("other")], #","profile":"3g""#)
    let daemon = try Daemon(
      [:], ["--config", config, "--profile", "lte", "--proxy", "web=127.0.0.1:0,\(upstream.address)"])
    let listen = "\(try daemon.listen("web"))"
    _ = try write([entry("web", "127.0.0.1:0", #","enabled":false"#), entry("other")], #","profile":"edge""#)
    try reload(daemon)
    #expect(try daemon.api.get("/profile").json["name"] == "lte")
    #expect(try "\(daemon.listen("web"))" == listen)
    #expect(daemon.isEchoing("web"))
    _ = try write([entry("other")])
    try reload(daemon)
    #expect(daemon.isEchoing("web"))
  }

  @Test func whatAnEntryNoLongerSaysIsGone() throws {
    let more = #","toxics":[{"type":"latency","attributes":{"latency":20}}],"profile":"lte""#
    let config = try write([entry("a", "127.0.0.1:0", more), entry("b", "127.0.0.1:0", #","enabled":false"#)])
    let daemon = try Daemon([:], ["--config", config])
    #expect(try daemon.api.get("/proxies/a/profile").json["name"] == "lte")
    _ = try write([entry("a"), entry("b")])
    try reload(daemon)
    #expect(try daemon.api.get("/proxies/a/toxics").body == Array("[]".utf8))
    #expect(try daemon.api.get("/proxies/a/profile").json["name"] == "none")
    // The ready line was written before it had a port.
    let listen = try Address(try #require(daemon.api.get("/proxies/b").json["listen"].string))
    #expect(try Connection(to: listen).echo("enabled") == "enabled")
  }

  @Test func aFixedPortMayBeRenamedAndSwapped() throws {
    let ports = try (0..<2).map { _ in try ListeningSocket() }
    let (one, two) = ("\(ports[0].address)", "\(ports[1].address)")
    for port in ports { port.close() }
    let config = try write([entry("a", one), entry("b", two)])
    let daemon = try Daemon([:], ["--config", config])
    _ = try write([entry("c", one), entry("b", two)])
    try reload(daemon)
    #expect(try daemon.api.get("/proxies").json.keys == ["b", "c"])
    #expect(daemon.isEchoing("c"))
    _ = try write([entry("c", two), entry("b", one)])
    try reload(daemon)
    #expect(try daemon.api.get("/proxies/c").json["listen"].string == two)
    #expect(daemon.isEchoing("b") && daemon.isEchoing("c"))
  }

  @Test func profilesMadeAtRunTimeStay() throws {
    let daemon = try Daemon([:], ["--config", try write([entry("a")])])
    #expect(try daemon.api.put("/profiles/mine", #"{"path":{"latency_ms":5}}"#).status == 201)
    try daemon.api.use("mine")
    try reload(daemon)
    #expect(try daemon.api.get("/profiles/mine").status == 200)
    #expect(try daemon.api.get("/profile").json["name"] == "mine")
  }

  @Test func whatNeedsARestartIsSaid() throws {
    let daemon = try Daemon([:], ["--config", try write([entry("a")], #","seed":1"#)])
    _ = try write([entry("a")], #","seed":2,"connect_timeout_ms":500"#)
    try reload(daemon)
    #expect(eventually { daemon.log.contains("restart") })
    #expect(daemon.log.contains("seed") && daemon.log.contains("connect_timeout_ms"))
  }
}
