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
  ]

  private func expectPrompt(_ response: API.Response, _ status: Int) {
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

  enum Door: String, Sendable, CaseIterable { case create, populate, config }

  @Test(.blocking, arguments: Door.allCases)
  func case7AtomicStart(door: Door) throws {
    let upstream = try Upstream.echo()
    let address = Address(host: "127.0.0.1", port: try ListeningSocket.freePort())
    let entry = #"""
      {"name":"p","listen":"\#(address)","upstream":"\#(upstream.address)",
       "toxics":[{"type":"latency","attributes":{"latency":300}}]}
      """#
    let retrier = Worker {
      // Measured from the connect that succeeds: nothing of the time before counts.
      var time: Duration?
      _ = try eventually {
        guard let client = try? Connection(to: address) else {
          pause(.milliseconds(5))
          return false
        }
        time = try client.echoTime()
        return true
      }
      return time
    }
    let directory = try TemporaryDirectory()
    let options = door == .config ? ["--config", try directory.write("[\(entry)]", to: "proxies.json")] : []
    let daemon = try Daemon([:], options)
    switch door {
    case .create:
      let made = try daemon.api.post("/proxies", entry)
      #expect(made.status == 201)
      #expect(made.json["toxics"][0]["attributes"]["latency"] == 300)
    case .populate:
      let made = try daemon.api.post("/populate", "[\(entry)]")
      #expect(made.status == 201)
      #expect(made.json["proxies"][0]["toxics"][0]["attributes"]["latency"] == 300)
    case .config:
      #expect(try daemon.api.get("/proxies/p").json["toxics"][0]["attributes"]["latency"] == 300)
    }
    let first = try #require(try retrier.value())
    #expect(first >= .milliseconds(300))
  }

  @Test(.blocking, arguments: ["/proxies", "/populate"])
  func case7ABadToxicMakesNoListener(target: String) throws {
    let daemon = try Daemon()
    let address = Address(host: "127.0.0.1", port: try ListeningSocket.freePort())
    let entry = #"""
      {"name":"p","listen":"\#(address)","upstream":"127.0.0.1:1","toxics":[{"type":"latency"},{"type":"nonsense"}]}
      """#
    #expect(try daemon.api.post(target, target == "/populate" ? "[\(entry)]" : entry).status == 400)
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try Connection(to: address) }
    #expect(try daemon.api.get("/proxies").json == [:])
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
