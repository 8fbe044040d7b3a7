import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An upstream that can't be reached is seen by the client as a reset, and told once with the reason.
@Suite(.blocking)
struct DialTests {
  /// Accepts nothing and refuses nothing: its backlog is full, so that the kernel drops what comes.
  final class BlackHole: Sendable {
    let socket: ListeningSocket
    private let fill: [Connection]

    init() throws {
      socket = try ListeningSocket(backlog: 0)
      let address = socket.address
      fill = try (0..<8).map { _ in
        let connection = Connection(descriptor: try Socket.make(isIPv6: false))
        _ = fcntl(connection.descriptor, F_SETFL, O_NONBLOCK)
        _ = address.withSockaddr { connect(connection.descriptor, $0, $1) }
        return connection
      }
    }
  }

  private func expectFailure(_ daemon: Daemon, _ upstream: String, reason: String) throws {
    let client = try daemon.connect()
    #expect(try client.outcome(within: .seconds(15)) == .reset)
    let events = try daemon.events("dial_failed")
    #expect(try daemon.api.get("/proxies/p/counters").json["dial_failures"].int == events.count)
    try #require(events.count == 1)
    #expect(events[0]["proxy"] == "p")
    #expect(events[0]["upstream"].string == upstream)
    #expect(events[0]["reason"].string?.contains(reason) == true, "\(events[0])")
    #expect(eventually { daemon.log.contains("upstream not reached") })
    let lines = daemon.log.split(separator: "\n").filter { $0.contains("upstream not reached") }
    #expect(lines.count == 1)
    #expect(lines.allSatisfy { $0.hasPrefix("info:") && $0.contains(reason) && $0.contains(upstream) }, "\(lines)")
    #expect(try daemon.sessions.isEmpty)
    #expect(try daemon.api.get("/proxies/p").json["enabled"] == true)
  }

  private func daemon(_ upstream: String, _ options: [String] = []) throws -> Daemon {
    try Daemon([:], ["--proxy", "p=127.0.0.1:0,\(upstream)"] + options)
  }

  @Test func aRefusedUpstream() throws {
    let address = "127.0.0.1:\(try ListeningSocket.freePort())"
    let daemon = try daemon(address)
    try expectFailure(daemon, address, reason: "refused")
  }

  @Test func aNameThatDoesNotResolve() throws {
    let daemon = try daemon("nowhere.invalid:80", ["--connect-timeout", "5s"])
    try expectFailure(daemon, "nowhere.invalid:80", reason: "nowhere.invalid")
  }

  @Test func aBlackHole() throws {
    let hole = try BlackHole()
    let daemon = try daemon(hole.socket.address.description, ["--connect-timeout", "400ms"])
    let time = try elapsed { try expectFailure(daemon, "\(hole.socket.address)", reason: "timed out") }
    #expect(time >= .milliseconds(400))
  }

  @Test func anUpstreamWithoutAPort() throws {
    let daemon = try Daemon()
    #expect(
      try daemon.api.post("/proxies", #"{"name":"p","listen":"127.0.0.1:0","upstream":"example.test"}"#).status == 201)
    #expect(try daemon.connect().outcome() == .reset)
    #expect(try daemon.events("dial_failed").count == 1)
  }

  @Test func whileOneDialsOthersAreServedAndTheProxyCanGo() throws {
    let hole = try BlackHole()
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["hole": hole.socket.address, "p": upstream.address])
    let stuck = try (0..<5).map { _ in try daemon.connect("hole") }
    #expect(try eventually { try daemon.sessions.count == 5 })
    #expect(daemon.isEchoing())
    let deleted = try daemon.api.delete("/proxies/hole")
    #expect(deleted.status == 204)
    #expect(deleted.time < Machine.promptly)
    for client in stuck { #expect(try client.outcome() == .reset) }
    #expect(try eventually { try daemon.sessions.isEmpty })
  }

  @Test func aClientThatGivesUpEndsTheDial() throws {
    let hole = try BlackHole()
    let daemon = try Daemon(["p": hole.socket.address])
    let client = try daemon.connect()
    #expect(try eventually { try daemon.sessions.count == 1 })
    client.abort()
    #expect(try eventually { try daemon.sessions.isEmpty })
    #expect(try daemon.events("dial_failed").isEmpty)
  }

  @Test func anUpstreamThatAppearsLaterIsReached() throws {
    let port = try ListeningSocket.freePort()
    let daemon = try daemon("127.0.0.1:\(port)")
    #expect(try daemon.connect().outcome() == .reset)
    let socket = try ListeningSocket(port: port)
    let client = try daemon.connect()
    try client.send("x")
    #expect(try socket.accept(within: .seconds(10))?.receive() == .bytes(Array("x".utf8)))
  }
}
