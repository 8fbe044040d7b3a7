import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// More than one event loop: all is as with one, whichever loop a proxy lives on.
///
/// `HEADWIND_TEST_LOOPS=3 swift test --filter EndToEndTests` puts every other test's daemon on three.
@Suite(.blocking)
struct LoopTests {
  private static let names = (0..<5).map { "p\($0)" }

  private func daemon(_ upstream: Address, _ options: [String] = [], loops: Int = 3) throws -> Daemon {
    let upstreams = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, upstream) })
    return try Daemon(upstreams, ["--loops", "\(loops)"] + options)
  }

  /// Live sessions by loop, as the metrics tell.
  private func sessions(_ daemon: Daemon) throws -> [Int] {
    let text = try String(decoding: daemon.api.get("/metrics").body, as: UTF8.self)
    return text.split(separator: "\n").filter { $0.hasPrefix("headwind_event_loop_sessions{") }
      .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
  }

  /// Proxies are shared out; under a modelled network all come together, and go home when it is over.
  @Test func proxiesLiveApartAndMeetUnderAProfile() throws {
    let upstream = try Upstream.echo()
    let daemon = try daemon(upstream.address)
    let clients = try Self.names.map { try daemon.connect($0) }
    for client in clients { #expect(try client.echo("hello") == "hello") }
    let apart = try sessions(daemon)
    #expect(apart.count == 3 && apart.reduce(0, +) == 5 && apart.allSatisfy { $0 > 0 })
    try daemon.api.use("wifi")
    #expect(try sessions(daemon) == [5, 0, 0])
    for client in clients { #expect(try client.echo("under way") == "under way") }
    let late = try daemon.connect("p1")
    #expect(try late.echo("late") == "late")
    #expect(try sessions(daemon) == [6, 0, 0])
    try daemon.api.use("none")
    #expect(try sessions(daemon).reduce(0, +) == 6 && sessions(daemon)[1] > 0)
    for client in clients + [late] { #expect(try client.echo("again") == "again") }
    // A toxic of its own shares nothing.
    let before = try sessions(daemon)
    #expect(try daemon.api.post("/proxies/p1/toxics", #"{"type":"bandwidth","attributes":{"rate":100}}"#).status == 200)
    #expect(try sessions(daemon) == before)
    #expect(try clients[1].echo("slowly") == "slowly")
  }

  /// What is held by toxics, or waits for a reader, moves along: the same bytes in the same order.
  @Test func whatIsUnderWayMovesAlong() throws {
    let upstream = try Upstream.echo()
    let daemon = try daemon(upstream.address)
    for name in Self.names {
      let toxic = #"{"type":"latency","attributes":{"latency":60}}"#
      #expect(try daemon.api.post("/proxies/\(name)/toxics", toxic).status == 200)
    }
    let clients = try Self.names.map { try daemon.connect($0) }
    let payload = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    for round in 0..<6 {
      for client in clients { try client.send(payload) }
      // While all of it is somewhere between.
      try daemon.api.use(round.isMultiple(of: 2) ? "lte" : "none")
      try daemon.api.use(round.isMultiple(of: 2) ? "none" : "wifi")
      for client in clients { #expect(try client.receive(exactly: payload.count) == payload) }
    }
    for client in clients { client.close() }
    #expect(try eventually { try daemon.sessions.isEmpty })
    #expect(try daemon.events("session_closed").allSatisfy { $0["reason"] == "closed" })
  }

  /// A dial that is under way when its proxy moves comes to its end on the new loop.
  @Test func aDialInTheMakingMovesAlong() throws {
    let hole = try DialTests.BlackHole()
    let daemon = try Daemon(
      ["a": hole.socket.address, "b": hole.socket.address], ["--loops", "3", "--connect-timeout", "1s"])
    let client = try daemon.connect("a")
    try #require(try eventually { try daemon.sessions.contains { $0["state"] == "dialling" } })
    try daemon.api.use("wifi")
    #expect(try client.outcome() == .reset)
    #expect(try daemon.events("dial_failed").count == 1)
  }

  /// However often its proxy moves meanwhile: its time is its own.
  @Test func aDialThatMovesAgainAndAgainTimesOut() throws {
    let hole = try DialTests.BlackHole()
    let daemon = try Daemon(["a": hole.socket.address], ["--loops", "2", "--connect-timeout", "1s"])
    let client = try daemon.connect("a")
    try #require(try eventually { try daemon.sessions.contains { $0["state"] == "dialling" } })
    var outcome = Connection.Received.nothing
    #expect(
      try eventually(within: .seconds(10)) {
        for profile in ["wifi", "none"] { try daemon.api.use(profile) }
        outcome = try client.receive(within: .milliseconds(50))
        return outcome != .nothing
      })
    #expect(outcome == .reset)
    #expect(try daemon.events("dial_failed").count == 1)
  }

  /// The limit on all connections holds for all loops together, and who waits on one loop is let in by who leaves another.
  @Test func theLimitOnConnectionsIsOfAllLoops() throws {
    let upstream = try Upstream.echo()
    let daemon = try daemon(upstream.address, ["--max-connections", "4"])
    let clients = try (0..<4).map { try daemon.connect(Self.names[$0]) }
    for client in clients { #expect(try client.echo("in") == "in") }
    let waiting = try (0..<5).map { try daemon.connect(Self.names[$0]) }
    for client in waiting { try client.send("later") }
    #expect(eventually { (try? daemon.events("limit_reached").count) == 1 })
    #expect(try daemon.sessions.count == 4)
    #expect(try waiting.allSatisfy { try $0.receive(within: .milliseconds(50)) == .nothing })
    for client in clients { client.close() }
    // Which four of the five come in is nobody's business.
    var answered = 0
    #expect(
      try eventually {
        for client in waiting where try client.receive(upTo: 5, within: .zero) != .nothing { answered += 1 }
        return answered == 4
      })
    #expect(try daemon.sessions.count == 4)
    for client in waiting { client.close() }
    #expect(try eventually { try daemon.sessions.isEmpty })
    for name in Self.names {
      let client = try daemon.connect(name)
      #expect(try client.echo("free") == "free")
    }
  }

  /// A chain of proxies over loops that leads back to its beginning is seen, as on one.
  @Test func aCircleOverLoopsIsRefused() throws {
    let daemon = try Daemon([:], ["--loops", "3"])
    let ports = try (0..<3).map { _ in try ListeningSocket.freePort() }
    for index in 0..<3 {
      let (own, next) = (ports[index], ports[(index + 1) % 3])
      let proxy = #"{"name":"c\#(index)","listen":"127.0.0.1:\#(own)","upstream":"127.0.0.1:\#(next)"}"#
      #expect(try daemon.api.post("/proxies", proxy).status == 201)
    }
    let client = try Connection(to: Address("127.0.0.1:\(ports[0])"))
    #expect(try client.outcome() == .reset)
    #expect(try eventually { try daemon.sessions.isEmpty })
    #expect(try daemon.events("dial_failed").contains { ($0["reason"].string ?? "").contains("c2 → c0") })
  }

  /// What a call has ended is closed when it answers, on whichever loop; and its events come in order.
  @Test func deletingEndsTheSessionsOfOtherLoops() throws {
    let upstream = try Upstream.echo()
    let daemon = try daemon(upstream.address)
    for name in Self.names {
      let clients = try (0..<3).map { _ in try daemon.connect(name) }
      for client in clients { #expect(try client.echo("x") == "x") }
      #expect(try daemon.api.delete("/proxies/\(name)").status == 204)
      for client in clients { #expect(try client.outcome() == .reset) }
      #expect(throws: (any Error).self) { try daemon.connect(name) }
    }
    let types = try daemon.api.get("/events").json["events"].array.map { $0["type"].string ?? "" }
    let one = Array(repeating: "session_opened", count: 3) + Array(repeating: "session_closed", count: 3)
    let ours = types.filter { $0.hasPrefix("session_") || $0 == "proxy_deleted" }
    #expect(ours == Self.names.flatMap { _ in one + ["proxy_deleted"] })
  }

  /// A stop delivers what is held on every loop.
  @Test func aStopDrainsAllLoops() throws {
    let heard = Atomic(0)
    let upstream = try Upstream { connection in
      while case .bytes(let bytes) = try connection.receive() { heard.add(bytes.count, ordering: .relaxed) }
    }
    let daemon = try daemon(upstream.address)
    for name in Self.names {
      let toxic = #"{"type":"latency","stream":"upstream","attributes":{"latency":300}}"#
      #expect(try daemon.api.post("/proxies/\(name)/toxics", toxic).status == 200)
    }
    let clients = try Self.names.map { try daemon.connect($0) }
    for client in clients { try client.send("last words") }
    try #require(eventually { (try? sessions(daemon).reduce(0, +)) == 5 })
    let buffered = "headwind_buffered_bytes 0\n"
    try #require(
      try eventually { try !String(decoding: daemon.api.get("/metrics").body, as: UTF8.self).contains(buffered) })
    daemon.program.send(SIGTERM)
    #expect(daemon.program.exit() == 0)
    #expect(eventually { heard.load(ordering: .relaxed) == 50 })
  }

  /// A config file that is made for `serve` serves `run`, too, which keeps to one loop: its order is to be the same again.
  @Test func runTakesAConfigWithLoops() throws {
    let directory = try TemporaryDirectory()
    let config = try directory.write("{loops: 3}", to: "l.json5")
    let result = try Program.run(["run", "--config", config, "--", "true"])
    #expect(result.status == 0, "\(result.errors)")
  }

  /// What waits for a restart is what differs from the start, and not from the file before.
  @Test func aReloadTellsWhatWaitsForARestart() throws {
    let directory = try TemporaryDirectory()
    let config = try directory.write("{loops: 2}", to: "hw.json5")
    let daemon = try Daemon([:], ["--config", config])
    let changes = [("{loops: 3}", ["loops"]), ("{loops: 2}", []), ("{loops: 3}", ["loops"])]
    for (count, (text, waiting)) in changes.enumerated() {
      try directory.write(text, to: "hw.json5")
      daemon.program.send(SIGHUP)
      try #require(try eventually { try daemon.events("reloaded").count == count + 1 })
      let told = try daemon.events("reloaded").last?["needs_restart"].array.compactMap(\.string) ?? []
      #expect(told == waiting, "\(text)")
    }
  }

  @Test func badNumbersAreRefused() throws {
    for text in ["0", "65", "-1", "two", ""] {
      let result = try Program.run(["serve", "--loops", text])
      #expect(result.status != 0 && result.errors.contains("--loops"))
      #expect(result.errors.contains("1") && result.errors.contains("64"))
    }
  }
}
