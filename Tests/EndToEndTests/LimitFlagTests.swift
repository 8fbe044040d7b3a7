import Testing

/// Limits as an operator sets and sees them, over real sockets.
@Suite(.blocking)
struct LimitFlagTests {
  private func metric(_ name: String, _ limit: String, _ daemon: Daemon) throws -> Int? {
    let text = try String(decoding: daemon.api.get("/metrics").body, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name){limit=\"\(limit)\"} ") }
    return line?.split(separator: " ").last.flatMap { Int($0) }
  }

  private func reached(_ limit: String, _ daemon: Daemon) throws -> [JSONValue] {
    try daemon.events("limit_reached").filter { $0["limit"].string == limit }
  }

  /// Of one proxy, and of all: who is one too many waits in the backlog, and is served when another leaves.
  @Test(arguments: [("--max-connections-per-proxy", "connections_per_proxy"), ("--max-connections", "connections")])
  func connectionsWaitAtTheLimit(flag: String, limit: String) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], [flag, "3"])
    var clients = try (0..<3).map { _ in try daemon.connect() }
    for client in clients { #expect(try client.echo("hello") == "hello") }
    let waiting = try (0..<3).map { _ in try daemon.connect() }
    for client in waiting { try client.send("later") }
    #expect(eventually { (try? reached(limit, daemon).count) == 1 })
    #expect(try daemon.sessions.count == 3 && metric("headwind_limit_used", limit, daemon) == 3)
    #expect(try metric("headwind_limit", limit, daemon) == 3)
    #expect(try waiting.allSatisfy { try $0.receive(within: .zero) == .nothing })
    for client in waiting {
      clients.removeFirst().close()
      #expect(String(decoding: try client.receive(exactly: 5), as: UTF8.self) == "later")
      clients.append(client)
    }
    for client in clients { client.close() }
    #expect(try eventually { try daemon.sessions.isEmpty })
    for _ in 0..<4 { #expect(daemon.isEchoing()) }
    // One episode, however many met it.
    #expect(try reached(limit, daemon).count == 1)
    #expect(daemon.log.contains("limit=\(limit) value=3 flag=\(flag)"))
    #expect(try (metric("headwind_limit_reached_total", limit, daemon) ?? 0) > 0)
  }

  @Test func bodiesAndHeadsOfCallsAreBounded() throws {
    let daemon = try Daemon([:], ["--max-control-body-bytes", "2000", "--max-control-head-bytes", "4000"])
    func body(_ bytes: Int) -> String { "[]" + String(repeating: " ", count: bytes - 2) }
    #expect(try daemon.api.post("/populate", body(2_000)).status == 201)
    let refused = try daemon.api.post("/populate", body(2_001))
    #expect(refused.status == 413)
    #expect(refused.error == "the request's body is larger than 2000 bytes (--max-control-body-bytes sets it)")
    func head(_ bytes: Int) throws -> API.Response {
      try daemon.api.send("GET", "/healthz", headers: ["X": String(repeating: "x", count: bytes)])
    }
    #expect(try head(3_000).status == 200)
    let long = try head(5_000)
    #expect(long.status == 431)
    #expect(long.error == "the request's head is larger than 4000 bytes (--max-control-head-bytes sets it)")
    #expect(try reached("control_body_bytes", daemon).count == 1 && reached("control_head_bytes", daemon).count == 1)
    #expect(try head(3_000).status == 200)
  }

  @Test func headsOfForwardedRequestsAreBounded() throws {
    let daemon = try Daemon([:], ["--http-proxy", "127.0.0.1:0", "--max-forward-head-bytes", "4096"])
    let upstream = try Upstream { connection in
      _ = try connection.receive()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    }
    let proxy = try Address(try #require(daemon.ready["http_proxy"].string))
    func ask(_ bytes: Int) throws -> API.Response {
      let connection = try Connection(to: proxy)
      let start = "GET http://\(upstream.address)/ HTTP/1.1\r\nHost: \(upstream.address)\r\nX: "
      let end = "\r\n\r\n"
      try connection.send(start + String(repeating: "x", count: bytes - start.utf8.count - end.utf8.count) + end)
      return try API.parse(connection.receiveToEnd())
    }
    // The lines' ends that are still to come don't count while it is read.
    #expect(try ask(4_000).status == 200)
    #expect(try ask(4_200).status == 431)
    #expect(try ask(4_000).status == 200)
    #expect(try reached("forward_head_bytes", daemon).map { $0["proxy"].string } == ["http-proxy"])
  }

  @Test func theCommandShowsThem() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], ["--max-proxies", "1"])
    func run(_ words: String...) throws -> Program.Result {
      try Program.run(words, environment: ["HEADWIND_URL": daemon.url])
    }
    let refused = try run("proxies", "create", "q", "--upstream", "h:1")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("too many: 2 proxies; allowed: at most 1 (--max-proxies sets it)"))
    let shown = try run("limits").output
    #expect(shown.hasPrefix("FLAG "))
    #expect(try shown.contains(Regex("--max-proxies +1 +1 +1\n")))
    #expect(try shown.contains(Regex("--max-name-bytes +1024 +– +0\n")))
    let limits = try run("limits", "--json").json["limits"].array
    #expect(limits.first { $0["name"].string == "proxies" }?["reached"] == 1)
  }

  @Test(
    arguments: [
      (["--max-proxies", "0"], 64, "--max-proxies is \"0\"; allowed: a whole number from 1 to 100000"),
      (["--max-name-bytes", "1e3"], 64, "--max-name-bytes is \"1e3\"; allowed: a whole number from 16 to 65536"),
      (
        ["--max-link-buffer-bytes", "9000", "--max-buffer-bytes", "8000"], 1,
        "--max-link-buffer-bytes is 9000; allowed: at most --max-buffer-bytes, which is 8000"
      ),
      (
        ["--max-proxies", "1", "--proxy", "a=h:1", "--proxy", "b=h:1"], 1,
        "too many: 2 proxies; allowed: at most 1 (--max-proxies sets it)"
      ),
      (
        ["--max-rules", "1", "--rule", "a=deny", "--rule", "b=deny"], 1,
        "2 rules in all; allowed: at most 1 (--max-rules sets it)"
      ),
    ] as [([String], Int32, String)])
  func whatCantBeIsToldAtTheStart(_ words: [String], status: Int32, says: String) throws {
    let result = try Program.run(["serve", "--control", "127.0.0.1:0"] + words)
    #expect(result.status == status && result.errors.contains("headwind: " + says), "\(result.errors)")
  }

  @Test func theConfigFileSetsThemAndAReloadDoesnt() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(#"{"max_leases": 1, "max_proxies": 5}"#, to: "config.json")
    let daemon = try Daemon([:], ["--config", file, "--max-proxies", "7"])
    #expect(try metric("headwind_limit", "leases", daemon) == 1)
    #expect(try metric("headwind_limit", "proxies", daemon) == 7)
    try directory.write(#"{"max_leases": 2, "max_proxies": 5}"#, to: "config.json")
    daemon.program.send(1)
    #expect(eventually { daemon.log.contains("in force only after a restart") })
    #expect(daemon.log.contains("keys=max_leases"))
    #expect(try metric("headwind_limit", "leases", daemon) == 1)
    try directory.write(#"{"max_link_buffer_bytes": 5000, "max_buffer_bytes": 4096}"#, to: "config.json")
    let check = try Program.run(["check-config", file])
    #expect(check.status == 1)
    #expect(
      check.errors.contains(
        "\(file): max_link_buffer_bytes is 5000; allowed: at most --max-buffer-bytes, which is 4096"))
  }

  @Test func moreThanTheDescriptorsAllowIsTold() throws {
    let daemon = try Daemon([:], ["--max-connections", "5000", "--loops", "1"], descriptors: 256)
    #expect(
      eventually {
        daemon.log.contains("--max-connections is 5000, but the system's limit of open files leaves room for ")
      })
    let room = try #require(try metric("headwind_limit", "connections", daemon))
    #expect((90..<128).contains(room) && daemon.log.contains("room for \(room);"))
    let silent = try Daemon([:], [], descriptors: 256)
    #expect(!silent.log.contains("leaves room"))
  }
}
