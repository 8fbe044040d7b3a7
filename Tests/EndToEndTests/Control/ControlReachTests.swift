import Testing

/// The control API takes whoever comes from this machine. Clients of a forward proxy, who do then, must not get there.
@Suite(.blocking)
struct ControlReachTests {
  /// Every one of them is this machine, and the control API listens on all of its addresses.
  static let hosts = ["127.0.0.1", "localhost", "LOCALHOST", "0.0.0.0", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"]

  private func answer(_ request: String, _ proxy: Address) throws -> String {
    let client = try Connection(to: proxy)
    try client.send(request)
    client.finish()
    return String(decoding: try client.receiveToEnd(), as: UTF8.self)
  }

  @Test func noNameOfThisMachineLeadsThroughAForwardProxy() throws {
    let daemon = try Daemon([:], ["--http-proxy", "0", "--allow-remote"], control: "0.0.0.0:0")
    let proxy = try Address(#require(daemon.ready["http_proxy"].string))
    let port = daemon.api.address.port
    #if os(Linux)
      let hosts = Self.hosts + ["127.0.0.3", "127.255.255.254"]
    #else
      let hosts = Self.hosts
    #endif
    for host in hosts {
      for request in [
        "CONNECT \(host):\(port) HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://\(host):\(port)/version HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n",
      ] {
        let answer = try answer(request, proxy)
        #expect(answer.hasPrefix("HTTP/1.1 508 ") && answer.contains("control API"), "\(request) \(answer.prefix(200))")
      }
    }
    #expect(try API(address: Address(host: "127.0.0.1", port: port)).get("/version").status == 200)
  }

  /// Proxies lead to hosts and ports, whatever is written.
  @Test func noWayLeadsToAUnixSocket() throws {
    let daemon = try Daemon([:], ["--http-proxy", "0"])
    let proxy = try Address(#require(daemon.ready["http_proxy"].string))
    for target in ["unix:/tmp/s", "unix:/tmp/s:80", "/tmp/s", "http+unix://%2Ftmp%2Fs/"] {
      for method in ["CONNECT", "GET"] {
        let answer = try answer("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n", proxy)
        let status = answer.dropFirst("HTTP/1.1 ".count).prefix(3)
        #expect(["400", "501"].contains(status), "\(target) \(answer.prefix(200))")
      }
    }
    let upstream = try daemon.api.post("/proxies", #"{"name":"p","listen":"127.0.0.1:0","upstream":"unix:/tmp/s"}"#)
    #expect(upstream.status == 201 && upstream.header("Warning")?.contains("connections will fail") == true)
    #expect(try Program.run(["serve", "--proxy", "p=unix:/tmp/s"]).errors.contains("invalid port"))
  }
}
