import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Proxies that are off, networks that are gone, and their way back.
@Suite(.blocking)
struct RefusingTests {
  struct Way: Sendable, CustomTestStringConvertible {
    let off: (method: String, target: String, body: String?)
    let on: (method: String, target: String, body: String?)
    var testDescription: String { "\(off.method) \(off.target) \(off.body ?? "")" }
  }

  static let ways = [
    Way(off: ("POST", "/proxies/p", #"{"enabled":false}"#), on: ("POST", "/proxies/p", #"{"enabled":true}"#)),
    Way(off: ("PATCH", "/proxies/p", #"{"enabled":false}"#), on: ("POST", "/reset", nil)),
    Way(off: ("PUT", "/profile/offline", nil), on: ("DELETE", "/profile", nil)),
    Way(off: ("PUT", "/profile/offline", nil), on: ("PUT", "/profile/none", nil)),
    Way(off: ("PUT", "/proxies/p/profile/offline", nil), on: ("DELETE", "/proxies/p/profile", nil)),
  ]

  @Test(arguments: ways)
  func refusesResetsAndComesBackOnTheSamePort(way: Way) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let address = try daemon.listen()
    for _ in 1...2 {
      let client = try daemon.connect()
      #expect(try client.echo("alive") == "alive")
      #expect(try daemon.api.send(way.off.method, way.off.target, way.off.body).status < 300)
      #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try Connection(to: address) }
      #expect(try client.outcome() == .reset)
      #expect(try daemon.sessions.isEmpty)
      #expect(try daemon.api.send(way.on.method, way.on.target, way.on.body).status < 300)
      #expect(try Connection(to: address).echo("back") == "back")
    }
    #expect(try daemon.api.get("/proxies/p").json["listen"].string == address.description)
  }

  @Test func nobodyElseGetsThePortOfADisabledProxy() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.post("/proxies/p", #"{"enabled":false}"#)
    let port = try daemon.listen().port
    // Bind without SO_REUSEADDR, as a program that doesn't know of it.
    let other = Socket(descriptor: try Socket.make(isIPv6: false))
    let result = Address(host: "127.0.0.1", port: port).withSockaddr { bind(other.descriptor, $0, $1) }
    #expect(result != 0)
    #expect(try daemon.api.post("/proxies/p", #"{"enabled":true}"#).status == 200)
    #expect(daemon.isEchoing())
  }

  @Test func aTemporaryOfflineEndsByItself() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.put("/profile/offline?for=300ms")
    #expect(!daemon.isEchoing())
    #expect(eventually { daemon.isEchoing() })
  }

  @Test func totalLossHangsAndHealsWhenLifted() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let early = try daemon.connect()
    #expect(try early.echo("before") == "before")
    try daemon.api.use("100-loss")
    let late = try daemon.connect()
    for client in [early, late] { try client.send("lost?") }
    for client in [early, late] { #expect(try client.receive(within: .milliseconds(300)) == .nothing) }
    try daemon.api.delete("/profile")
    for client in [early, late] { #expect(try client.receive(exactly: 5) == Array("lost?".utf8)) }
  }
}
