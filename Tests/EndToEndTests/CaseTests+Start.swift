import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Cases 6 and 7: how proxies come to be.
extension CaseTests {
  @Test(.blocking, arguments: ["127.0.0.1:P", "localhost:P", ":P", "0.0.0.0:P", "[::]:P", "127.0.0.1:0", ""])
  func case6PopulateTwiceChangesNothing(listen: String) throws {
    if listen.hasPrefix("["), !Machine.hasIPv6 { return }
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let text = listen.replacing("P", with: "\(try ListeningSocket.freePort())")
    let body = #"[{"name":"p","listen":"\#(text)","upstream":"\#(upstream.address)"}]"#
    let first = try daemon.api.post("/populate", body)
    #expect(first.status == 201)
    let shown = try #require(first.json["proxies"][0]["listen"].string)
    let port = try #require(shown.split(separator: ":").last.flatMap { UInt16($0) })
    let client = try Connection(to: Address(host: "127.0.0.1", port: port))
    #expect(try client.echo("one") == "one")
    try daemon.api.addToxic("noop", "{}")
    let second = try daemon.api.post("/populate", body)
    #expect(second.status == 201 && second.json["proxies"][0]["listen"].string == shown)
    #expect(second.json["proxies"][0]["toxics"][0]["name"] == "t")
    #expect(try client.echo("two") == "two")
    let disabled = body.replacing("}]", with: #","enabled":false}]"#)
    #expect(try daemon.api.post("/populate", disabled).json["proxies"][0]["enabled"] == false)
    #expect(try client.outcome() != .nothing)
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
}
