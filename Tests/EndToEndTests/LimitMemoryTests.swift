import Testing

/// What hostile clients of the control port can make the daemon hold; `scripts/check-limits` does more of this.
@Suite(.heavy, .enabled(if: Machine.tellsResidentMemory))
struct LimitMemoryTests {
  private static let megabyte = 1_000_000

  private func growth(_ daemon: Daemon, _ before: Int) throws -> Int {
    try Machine.residentBytes(of: daemon.program.identifier) - before
  }

  private func measureAfterFirstCalls(_ daemon: Daemon) throws -> Int {
    for target in ["/openapi.json", "/metrics", "/limits"] { try daemon.api.get(target) }
    return try Machine.residentBytes(of: daemon.program.identifier)
  }

  private func limit(_ name: String, _ key: String, _ daemon: Daemon) throws -> Int? {
    let limits = try daemon.api.get("/limits").json["limits"].array
    return limits.first { $0["name"].string == name }?[key].int
  }

  /// As many as are let in hold a head each; the others wait outside, and the data path doesn't notice.
  @Test func halfHeadsAndHalfBodies() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], ["--max-control-body-bytes", "20000"])
    let before = try measureAfterFirstCalls(daemon)
    let head = "GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "x", count: 15_000)
    let body = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n" + String(repeating: "x", count: 19_999)
    var attackers: [Connection] = []
    for number in 0..<320 {
      attackers.append(try Connection(to: daemon.api.address))
      try attackers.last?.send(number % 2 == 0 ? head : body)
      #expect(number % 40 != 0 || daemon.isEchoing())
    }
    // 256 times 16 KiB, 20 kB and what a connection costs are 10 MB.
    #expect(try growth(daemon, before) < 20 * Self.megabyte)
    #expect(daemon.isEchoing())
    for attacker in attackers { attacker.abort() }
    #expect(eventually { (try? daemon.api.get("/healthz").status) == 200 })
    #expect(try limit("control_connections", "reached", daemon).map { $0 > 0 } == true)
    #expect(try eventually { try limit("control_connections", "used", daemon) == 1 })
  }
}
