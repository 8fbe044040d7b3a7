import Synchronization
import Testing

/// Ends and resets pass through as what they are, behind the bytes before them.
@Suite(.blocking)
struct EndingTests {
  /// What stands between; nil for nothing.
  static let toxics: [String?] = [
    nil,
    #"{"type":"latency","attributes":{"latency":100}}"#,
    #"{"type":"latency","stream":"upstream","attributes":{"latency":100}}"#,
    #"{"type":"bandwidth","attributes":{"rate":1}}"#,
    #"{"type":"bandwidth","stream":"upstream","attributes":{"rate":1}}"#,
    #"{"type":"slow_close","attributes":{"delay":100}}"#,
    #"{"type":"slow_close","stream":"upstream","attributes":{"delay":100}}"#,
    #"{"type":"slicer","attributes":{"average_size":2,"delay":20000}}"#,
  ]

  private func daemon(_ upstream: Upstream, _ toxic: String?) throws -> Daemon {
    let daemon = try Daemon(["p": upstream.address])
    if let toxic { try #require(daemon.api.post("/proxies/p/toxics", toxic).status == 200) }
    return daemon
  }

  @Test(arguments: toxics)
  func theClientsEndLeavesTheAnswersWayOpen(toxic: String?) throws {
    let upstream = try Upstream.counting()
    let daemon = try daemon(upstream, toxic)
    let client = try daemon.connect()
    try client.send("12345")
    client.finish()
    #expect(try client.receiveToEnd() == Array("5".utf8))
    #expect(try eventually { try daemon.sessions.isEmpty })
  }

  @Test(arguments: toxics)
  func theUpstreamsEndLeavesTheClientsWayOpen(toxic: String?) throws {
    let counts = Counter()
    let upstream = try Upstream { connection in
      try connection.send("12345")
      connection.finish()
      counts.add(try connection.receiveToEnd().count)
    }
    let daemon = try daemon(upstream, toxic)
    let client = try daemon.connect()
    #expect(try client.receiveToEnd() == Array("12345".utf8))
    try client.send("1234567")
    client.finish()
    #expect(eventually { counts.value == 7 })
    #expect(try eventually { try daemon.sessions.isEmpty })
  }

  @Test(arguments: toxics)
  func aResetOfTheClientReachesTheUpstreamAsOne(toxic: String?) throws {
    let upstream = try Upstream.silent()
    let daemon = try daemon(upstream, toxic)
    let client = try daemon.connect()
    try client.send("x")
    let server = try upstream.accepted()
    #expect(try server.receive() == .bytes(Array("x".utf8)))
    client.abort()
    #expect(try server.outcome() == .reset)
    #expect(try eventually { try daemon.sessions.isEmpty })
  }

  @Test(arguments: toxics)
  func aResetOfTheUpstreamReachesTheClientAsOne(toxic: String?) throws {
    let upstream = try Upstream { connection in
      _ = try connection.receive()
      connection.abort()
    }
    let daemon = try daemon(upstream, toxic)
    let client = try daemon.connect()
    try client.send("x")
    #expect(try client.outcome() == .reset)
    #expect(try eventually { try daemon.sessions.isEmpty })
  }

  @Test func bytesBeforeAnEndAreDeliveredUnderLatency() throws {
    let upstream = try Upstream { connection in
      try connection.send(NumberedStream.bytes(0..<300_000))
      connection.finish()
    }
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.addToxic("latency", #"{"latency":200,"jitter":50}"#)
    let client = try daemon.connect()
    client.finish()
    expectSame(try client.receiveToEnd(), NumberedStream.bytes(0..<300_000))
  }

  @Test func anIdleConnectionIsClosedOnBothSides() throws {
    let upstream = try Upstream.silent()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    let server = try upstream.accepted()
    client.finish()
    #expect(try server.receive() == .end)
    server.finish()
    #expect(try client.receive() == .end)
    #expect(try eventually { try daemon.sessions.isEmpty })
    #expect(try daemon.events("session_closed").map { $0["reason"] } == ["closed"])
  }
}

/// A toxic closes while the server goes on sending.
@Suite(.blocking)
struct EndlessServerTests {
  /// Nobody is made to send for nothing: what is under way is thrown away, then the server sees a reset.
  @Test func isStoppedSoon() throws {
    let sent = Atomic(0)
    let upstream = try Upstream { connection in
      let block = [UInt8](repeating: 7, count: 65_536)
      while true {
        try connection.send(block)
        sent.add(block.count, ordering: .relaxed)
      }
    }
    let daemon = try Daemon(["p": upstream.address])
    let toxic = #"{"type":"limit_data","attributes":{"bytes":1000}}"#
    #expect(try daemon.api.post("/proxies/p/toxics", toxic).status == 200)
    let client = try daemon.connect()
    #expect(try client.receiveToEnd().count == 1_000)
    client.close()
    #expect(try eventually { try daemon.sessions.isEmpty })
    // A second of it would be gigabytes; what sockets hold is some megabytes.
    #expect(sent.load(ordering: .relaxed) < 64_000_000)
    #expect(try daemon.events("session_closed").map { $0["reason"] } == ["dropped"])
  }
}
