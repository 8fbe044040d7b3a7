import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Failures that were reported of other proxies, as small cases: here the whole kind is to be impossible.
@Suite
struct CaseTests {
  struct ToxicBody: Sendable, CustomTestStringConvertible {
    let type: String
    let attributes: String
    var testDescription: String { "\(type) \(attributes)" }
  }

  static let slowing = [
    ToxicBody(type: "latency", attributes: #"{"latency":100}"#),
    ToxicBody(type: "bandwidth", attributes: #"{"rate":100000}"#),
    ToxicBody(type: "slicer", attributes: #"{"average_size":1000,"size_variation":100,"delay":1}"#),
  ]

  func expectPrompt(_ response: API.Response, _ status: Int) {
    #expect(response.status == status, "\(response.error)")
    #expect(response.time < Machine.promptly)
  }

  @Test(.heavy, arguments: slowing)
  func case1ReaderThatStopsReading(toxic: ToxicBody) throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.addToxic(toxic.type, toxic.attributes)
    let stopped = try daemon.connect()
    pause(.milliseconds(2500))
    expectPrompt(try daemon.api.delete("/proxies/p/toxics/t"), 204)
    expectPrompt(try daemon.api.get("/proxies"), 200)
    expectPrompt(
      try daemon.api.post("/proxies/p/toxics", #"{"name":"u","type":"latency","attributes":{"latency":1}}"#), 200)
    expectPrompt(try daemon.api.post("/reset"), 204)
    let other = try daemon.connect()
    var (otherChecker, checker) = (NumberedStream.Checker(), NumberedStream.Checker())
    try otherChecker.read(other, to: 1_000_000)
    other.close()
    try checker.read(stopped, to: 30_000_000)
  }

  @Test(.heavy) func case2DeadSinks() throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.addToxic("latency", #"{"latency":2000}"#)
    let clients = try (0..<5).map { _ in try daemon.connect() }
    pause(.milliseconds(300))
    for client in clients { client.abort() }
    expectPrompt(try daemon.api.delete("/proxies/p/toxics/t"), 204)
    expectPrompt(try daemon.api.get("/proxies"), 200)
    expectPrompt(try daemon.api.delete("/proxies/p"), 204)
    let second = #"{"name":"q","listen":"127.0.0.1:0","upstream":"\#(upstream.address)"}"#
    expectPrompt(try daemon.api.post("/proxies", second), 201)
    #expect(try eventually { try daemon.sessions.isEmpty })
  }

  @Test(.heavy, .enabled(if: Machine.tellsResidentMemory))
  func case3MemoryUnderAbandonedDownloads() throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.addToxic("latency", #"{"latency":200}"#)
    let before = try Machine.residentBytes(of: daemon.program.identifier)
    let descriptors = try Machine.openDescriptors(of: daemon.program.identifier)
    let readers = (0..<40).map { _ in
      Worker {
        let client = try daemon.connect()
        let end = ContinuousClock.now + .milliseconds(250)
        while ContinuousClock.now < end { _ = try client.receive(upTo: 1 << 18, within: end - .now) }
      }
    }
    for reader in readers { try reader.value() }
    #expect(try eventually(within: .seconds(5)) { try daemon.sessions.isEmpty })
    let limit = before + 30_000_000
    #expect(
      try eventually(within: .seconds(5)) { try Machine.residentBytes(of: daemon.program.identifier) < limit })
    #expect(try eventually { try Machine.openDescriptors(of: daemon.program.identifier) <= descriptors })
  }

  @Test(
    .heavy, .enabled(if: Machine.tellsResidentMemory),
    arguments: [("limit_data", #"{"bytes":1000}"#), ("reset_peer", #"{"timeout":0}"#)])
  func case3NothingIsKeptOfClosedConnections(type: String, attributes: String) throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.addToxic(type, attributes)
    let before = try Machine.residentBytes(of: daemon.program.identifier)
    let descriptors = try Machine.openDescriptors(of: daemon.program.identifier)
    for _ in 0..<200 {
      let client = try daemon.connect()
      let outcome = try client.outcome()
      #expect(outcome == (type == "reset_peer" ? .reset : .end))
    }
    #expect(try eventually { try daemon.sessions.isEmpty })
    let limit = before + 30_000_000
    #expect(
      try eventually(within: .seconds(5)) { try Machine.residentBytes(of: daemon.program.identifier) < limit })
    #expect(try eventually { try Machine.openDescriptors(of: daemon.program.identifier) <= descriptors })
  }

  // MARK: Case 4

  @Test(
    .blocking,
    arguments: [
      #"{"type":"slicer"}"#, #"{"type":"slicer","attributes":{"average_size":10,"size_variation":100}}"#,
      #"{"type":"slicer","attributes":{"average_size":-1,"size_variation":-9223372036854775808,"delay":-1}}"#,
      #"{"type":"slicer","attributes":{"average_size":1,"size_variation":9223372036854775807}}"#,
      #"{"type":"latency","attributes":{"latency":-9223372036854775808,"jitter":-4611686018427387903}}"#,
      #"{"type":"slow_close","attributes":{"delay":9223372036854775807}}"#,
      #"{"type":"timeout","attributes":{"timeout":9223372036854775807},"toxicity":0}"#,
      #"{"type":"reset_peer","attributes":{"timeout":9223372036854775807},"toxicity":0}"#,
      #"{"type":"limit_data","attributes":{"bytes":9223372036854775807}}"#,
      #"{"type":"bandwidth","attributes":{"rate":90000000000000000}}"#,
    ])
  func case4BodiesThatKilledAreHarmless(body: String) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    #expect(try daemon.api.post("/proxies/p/toxics", body).status == 200)
    let client = try daemon.connect()
    let bytes = NumberedStream.bytes(0..<2_000)
    try client.send(bytes)
    #expect(try client.receive(exactly: 2_000) == bytes)
  }

  @Test(
    .blocking,
    arguments: [
      #"{"type":"bandwidth","attributes":{"rate":-1}}"#,
      #"{"type":"bandwidth","attributes":{"rate":90000000000000001}}"#,
      #"{"type":"latency","attributes":{"latency":1,"jitter":9000000000000000000}}"#,
      #"{"type":"latency","attributes":{"latency":1,"jitter":-4611686018427387904}}"#,
    ])
  func case4BodiesThatCannotBeHonouredAreRefused(body: String) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let response = try daemon.api.post("/proxies/p/toxics", body)
    #expect(response.status == 400 && response.json["status"] == 400 && !response.error.isEmpty)
    #expect(try daemon.api.get("/proxies/p/toxics").json == [])
    #expect(daemon.isEchoing())
  }

  // MARK: Case 5

  @Test(.blocking) func case5ResetPeerLeftOutLeavesAClose() throws {
    let upstream = try Upstream { connection in
      _ = try connection.receive()
      try connection.send("reply")
      connection.close()
    }
    let daemon = try Daemon(["p": upstream.address])
    #expect(try daemon.api.post("/proxies/p/toxics", #"{"type":"reset_peer","toxicity":0}"#).status == 200)
    let client = try daemon.connect()
    try client.send("x")
    #expect(try client.receiveToEnd() == Array("reply".utf8))
  }

  @Test(.blocking, arguments: [false, true]) func case5ResetPeerResetsALiveConnection(isIdle: Bool) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    if !isIdle { #expect(try client.echo("x") == "x") }
    #expect(try eventually { try !daemon.sessions.isEmpty })
    try daemon.api.addToxic("reset_peer", #"{"timeout":200}"#)
    #expect(try client.receive(within: .seconds(5)) == .reset)
  }

  // MARK: Case 8

  @Test(.blocking) func case8ACutThatHeals() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    #expect(try client.echo("x") == "x")
    try daemon.api.addToxic("bandwidth", #"{"rate":0}"#)
    try client.send("12345")
    #expect(try client.receive(within: .seconds(2)) == .nothing)
    expectPrompt(try daemon.api.delete("/proxies/p/toxics/t"), 204)
    #expect(try client.receive(exactly: 5) == Array("12345".utf8))
  }

  @Test(.blocking) func case8ATimeoutDoesNotHeal() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    #expect(try client.echo("x") == "x")
    try daemon.api.addToxic("timeout", #"{"timeout":0}"#)
    try client.send("12345")
    #expect(try client.receive(within: .milliseconds(500)) == .nothing)
    expectPrompt(try daemon.api.delete("/proxies/p/toxics/t"), 204)
    #expect(try client.receive(within: .seconds(5)) == .end)
  }

  @Test(.heavy) func case8AStallHeals() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    #expect(try client.echo("x") == "x")
    try daemon.api.addToxic("stall", "{}")
    let bytes = NumberedStream.bytes(0..<10_000_000)
    let sent = Counter()
    let sender = Worker {
      for start in stride(from: 0, to: bytes.count, by: 100_000) {
        try client.send(Array(bytes[start..<start + 100_000]))
        sent.add(100_000)
      }
    }
    // Full windows, here and in the kernel: the sender stands.
    #expect(
      eventually(within: .seconds(20)) {
        let before = sent.value
        pause(.milliseconds(300))
        return sent.value == before && before > 0
      })
    #expect(sent.value < bytes.count)
    #expect(try client.receive(within: .milliseconds(300)) == .nothing)
    expectPrompt(try daemon.api.delete("/proxies/p/toxics/t"), 204)
    expectSame(try client.receive(exactly: bytes.count, within: .seconds(30)), bytes)
    try sender.value()
  }

  // MARK: Case 9

  /// Bytes per second that each of `count` readers gets over 4 s.
  private func rates(_ daemon: Daemon, readers count: Int) throws -> [Double] {
    let start = ContinuousClock.now + .milliseconds(500)
    let workers = try (0..<count).map { _ in
      let client = try daemon.connect()
      return Worker {
        var bytes = 0
        // The first half second is not counted: connecting, and what the pipeline holds at first.
        while ContinuousClock.now < start { _ = try client.receive(within: start - .now) }
        let begin = ContinuousClock.now
        let end = begin + .seconds(4)
        while ContinuousClock.now < end {
          if case .bytes(let more) = try client.receive(within: end - .now) { bytes += more.count }
        }
        return Double(bytes) / (ContinuousClock.now - begin).seconds
      }
    }
    return try workers.map { try $0.value() }
  }

  private func isNear(_ rate: Double, _ wanted: Double) -> Bool {
    (wanted * 0.95...wanted * 1.05).contains(rate)
  }

  @Test(.blocking, arguments: [1, 4])
  func case9AToxicsRateIsEachConnectionsOwn(readers: Int) throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.addToxic("bandwidth", #"{"rate":500}"#)
    let total = try rates(daemon, readers: readers).reduce(0, +)
    #expect(isNear(total, Double(readers) * 500_000), "\(total)")
  }

  @Test(.blocking, arguments: [1, 4])
  func case9AProfilesRateIsShared(readers: Int) throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address])
    let body = #"{"summary":"-","source":"-","path":{"downstream_bytes_per_second":500000}}"#
    #expect(try daemon.api.put("/profiles/shared", body).status == 201)
    try daemon.api.use("shared")
    let rates = try rates(daemon, readers: readers)
    let total = rates.reduce(0, +)
    #expect(isNear(total, 500_000), "\(rates)")
    if readers > 1 { for rate in rates { #expect((0.15...0.4).contains(rate / total), "\(rates)") } }
  }

  // Case 10, half-close, is `EndingTests`.
}
