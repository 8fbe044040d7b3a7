#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

import Testing

/// A daemon that is stopped and started again, as its clients see it.
@Suite(.blocking)
struct ClientRestartTests {
  private func request(_ method: String, _ target: String, _ body: String = "") -> [String] {
    ["\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"]
  }

  /// The connection that a client keeps is ended, so that it takes a new one for its next call; and it can have one.
  @Test(arguments: [SIGTERM, SIGINT, SIGKILL])
  func aKeptConnectionEndsAndTheNextOneFindsTheNewDaemon(signal: Int32) throws {
    let upstream = try Upstream.echo()
    let populate =
      #"[{"name":"p","listen":"127.0.0.1:\#(try ListeningSocket.freePort())","upstream":"\#(upstream.address)"}]"#
    var daemon: Daemon? = try Daemon()
    let address = try #require(daemon).api.address
    let kept = try Connection(to: address)
    #expect(try kept.exchange(request("POST", "/populate", populate)).status == 201)
    #expect(daemon?.isEchoing() == true)

    daemon?.program.send(signal)
    #expect(try kept.receive() == .end)
    #expect(eventually { daemon?.program.ended() != nil })
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try Connection(to: address) }
    daemon = nil

    let next = try Daemon(control: address.description)
    let connection = try Connection(to: address)
    #expect(try connection.exchange(request("GET", "/proxies")).text == "{}")
    #expect(try connection.exchange(request("POST", "/populate", populate)).status == 201)
    #expect(next.isEchoing())
  }
}
