import Testing

/// What many connections cost, and what happens when there are too many.
@Suite(.heavy)
struct LimitTests {
  @Test(.enabled(if: Machine.tellsResidentMemory))
  func idleSessionsCostLittleMemory() throws {
    let upstream = try Upstream.silent()
    let daemon = try Daemon(["p": upstream.address])
    func connect(_ count: Int) throws -> [Connection] {
      let target = try daemon.sessions.count + count
      let clients = try (0..<count).map { _ in try daemon.connect() }
      #expect(try eventually { try daemon.sessions.count { $0["upstream"] != nil } == target })
      return clients
    }
    let process = daemon.program.identifier
    // Whatever is made only once is there after the first ones, and after the first long listing.
    var clients = try connect(500)
    for client in clients { client.abort() }
    #expect(try eventually { try daemon.sessions.isEmpty })
    clients = try connect(20)
    let before = try Machine.residentBytes(of: process)
    clients += try connect(500)
    #expect(eventually { upstream.count == 1020 })
    let each = (try Machine.residentBytes(of: process) - before) / 500
    #expect(each <= 4_000, "bytes each")
    #expect(try clients[519].receive(within: .zero) == .nothing)
  }

  /// Before descriptors run out accepting rests, so that the control port is still there to end something.
  @Test func fewDescriptorsLeaveTheControlPortAlone() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], descriptors: 128)
    var clients = try (0..<200).map { _ in try daemon.connect() }
    // As many as there is room for are served; the rest wait.
    #expect(eventually { upstream.count >= 10 })
    #expect(try daemon.api.get("/healthz").status == 200)
    #expect(try (10..<64).contains(daemon.sessions.count))
    #expect(try clients[0].echo("still served") == "still served")
    let first = try #require(daemon.sessions.first?["id"].int)
    #expect(try daemon.api.delete("/sessions/\(first)").status == 204)
    clients.removeAll()
    #expect(eventually { daemon.isEchoing() })
    // It was said, and not with every try.
    #expect(try (1...5).contains(daemon.events("accepting_rests").count))
    #expect(daemon.log.contains("limit reached limit=connections value="))
    #expect(try eventually { try daemon.sessions.isEmpty })
    for _ in 1...30 { #expect(daemon.isEchoing()) }
  }
}
