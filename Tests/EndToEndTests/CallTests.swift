import Testing

/// Every call is answered soon, whatever the sessions do. How soon exactly is what `scripts/bench calls` measures; the limit
/// here is only to tell an answer from a hang.
@Suite(.heavy)
struct CallTests {
  private static let limit = Duration.seconds(2)
  private static let stalled = 100

  /// Connections that wait for a word from the test, then send without end.
  private final class Gate: Sendable {
    private let opened = Counter()
    func open() { opened.add(1) }
    var isOpen: Bool { opened.value > 0 }
  }

  private func flood(behind gate: Gate) throws -> Upstream {
    try Upstream { connection in
      guard eventually(within: .seconds(60), { gate.isOpen }) else { return }
      try NumberedStream.flood(connection)
    }
  }

  /// Calls of all kinds; each is answered as it should be, and in time.
  private func expectAnswers(_ daemon: Daemon, at location: SourceLocation = #_sourceLocation) throws {
    let toxic = #"{"name":"t","type":"latency","attributes":{"latency":50}}"#
    let other = #"{"name":"other","listen":"127.0.0.1:0","upstream":"127.0.0.1:9"}"#
    let calls: [(String, String, String?, Int)] = [
      ("GET", "/version", nil, 200), ("GET", "/proxies", nil, 200), ("GET", "/sessions", nil, 200),
      ("GET", "/events", nil, 200), ("PUT", "/profile/3g", nil, 200), ("PUT", "/profile/lte", nil, 200),
      ("DELETE", "/profile", nil, 200), ("POST", "/proxies/p/toxics", toxic, 200),
      ("PATCH", "/proxies/p/toxics/t", #"{"attributes":{"latency":100}}"#, 200),
      ("DELETE", "/proxies/p/toxics/t", nil, 204), ("POST", "/proxies", other, 201),
      ("POST", "/populate", "[\(other)]", 201), ("DELETE", "/proxies/other", nil, 204), ("POST", "/reset", nil, 204),
    ]
    for (method, path, body, status) in calls {
      let response = try daemon.api.send(method, path, body)
      #expect(response.status == status, "\(method) \(path): \(response.error)", sourceLocation: location)
      #expect(response.time < Self.limit, "\(method) \(path)", sourceLocation: location)
    }
  }

  @Test func callsAreAnsweredWhileAThousandSessionsNeitherReadNorWrite() throws {
    let upstream = try Upstream.silent()
    let daemon = try Daemon(["p": upstream.address])
    let clients = try (0..<1_000).map { _ in try daemon.connect() }
    #expect(try eventually { try daemon.sessions.count { $0["upstream"] != nil } == 1_000 })
    try expectAnswers(daemon)
    let response = try daemon.api.delete("/proxies/p")
    #expect(response.status == 204 && response.time < Self.limit)
    #expect(try daemon.sessions.isEmpty)
    for client in clients { #expect(try client.outcome() == .reset) }
  }

  @Test func callsAreAnsweredWhileManyFloodsStartAndStall() throws {
    let gate = Gate()
    let upstream = try flood(behind: gate)
    let daemon = try Daemon(["p": upstream.address])
    let clients = try (0..<Self.stalled).map { _ in try daemon.connect() }
    #expect(eventually { upstream.count == Self.stalled })
    gate.open()
    for _ in 0..<5 { try expectAnswers(daemon) }
    let response = try daemon.api.post("/proxies/p", #"{"enabled":false}"#)
    #expect(response.status == 200 && response.time < Self.limit)
    #expect(try daemon.sessions.isEmpty)
    #expect(throws: SocketError.self) { try Connection(to: daemon.listen()) }
    for client in clients { #expect(try client.outcome() == .reset) }
  }

  /// What a call that ends sessions says holds when it has answered.
  @Test func sessionsAreOverAtBothEndsWhenTheCallHasAnswered() throws {
    let upstream = try Upstream.silent()
    let daemon = try Daemon(["p": upstream.address])
    for round in 1...5 {
      let clients = try (0..<10).map { _ in try daemon.connect() }
      #expect(eventually { upstream.count == 10 * round })
      try daemon.api.post("/proxies/p", #"{"enabled":false}"#)
      // On one machine a reset is there as soon as it is sent.
      for client in clients { #expect(try client.receive(within: .zero) == .reset) }
      try daemon.api.post("/proxies/p", #"{"enabled":true}"#)
    }
  }

  @Test func manyEventReadersOfWhomSomeDontReadDontHoldUpCalls() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let streams = try (0..<64).map { _ in try Connection(to: daemon.api.address) }
    for stream in streams {
      try stream.send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    }
    #expect(
      try eventually { try daemon.api.send("GET", "/events", headers: ["Accept": "text/event-stream"]).status == 503 })
    let entries = (0..<300).map { #"{"name":"n\#($0)","listen":"127.0.0.1:0","upstream":"127.0.0.1:9"}"# }
    for _ in 0..<3 {
      try expectAnswers(daemon)
      let response = try daemon.api.post("/populate", "[\(entries.joined(separator: ","))]")
      #expect(response.status == 201 && response.time < Self.limit)
    }
    let newest = try #require(daemon.api.get("/events").json["events"].array.last?["id"].int)
    for stream in streams.prefix(3) {
      var text = ""
      #expect(
        try eventually {
          if case .bytes(let bytes) = try stream.receive() { text += String(decoding: bytes, as: UTF8.self) }
          return text.contains("id: \(newest)\n")
        })
    }
  }

  @Test func silentConnectionsDontFillTheControlPort() throws {
    let daemon = try Daemon()
    let silent = try (0..<300).map { _ in try Connection(to: daemon.api.address) }
    for _ in 0..<3 {
      let response = try daemon.api.get("/version")
      #expect(response.status == 200 && response.time < Self.limit)
    }
    #expect(try silent.count { try $0.receive(within: .zero) == .nothing } < 257)
  }

  @Test func aProxyThatIsItsOwnUpstreamIsToldAndCostsNothing() throws {
    let daemon = try Daemon(["p": Address("127.0.0.1:9")])
    let own = try daemon.listen()
    try daemon.api.post("/proxies/p", #"{"upstream":"localhost:\#(own.port)"}"#)
    for _ in 0..<20 { #expect(try Connection(to: own).outcome() == .reset) }
    #expect(try eventually { try daemon.sessions.isEmpty })
    let failures = try daemon.events("dial_failed").map { $0["reason"].string }
    #expect(failures == Array(repeating: "upstream localhost:\(own.port) is this proxy itself", count: 20))
    #expect(try daemon.api.get("/proxies/p/counters").json["sessions"].int == 20)
    #expect(daemon.log.contains("is this proxy itself"))
  }
}
