import Testing

/// Bytes pass through as they are, whatever their number, the family of the addresses and the conditions.
@Suite
struct ForwardingTests {
  /// Pieces of random size, from a generator whose seed stands in the failure.
  private static func exchange(_ total: Int, through client: Connection, seed: UInt64) throws {
    var generator = SplitMix(state: seed)
    let payload = generator.bytes(total)
    let sender = Worker {
      var generator = SplitMix(state: seed)
      var rest = payload[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int(generator.next() % 100_000) + 1)
        try client.send(Array(piece))
        rest = rest.dropFirst(piece.count)
      }
      client.finish()
    }
    let received = try client.receiveToEnd(within: .seconds(40))
    try sender.value()
    expectSame(received, payload, "seed \(seed)")
  }

  @Test(.heavy, arguments: [nil, #"{"type":"latency","attributes":{"latency":30,"jitter":20}}"#])
  func twentyMegabytesReturnAsTheyWere(toxic: String?) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    if let toxic { #expect(try daemon.api.post("/proxies/p/toxics", toxic).status == 200) }
    let client = try daemon.connect()
    try Self.exchange(20_000_000, through: client, seed: 20)
    #expect(try eventually { try daemon.sessions.isEmpty })
    let closed = try #require(daemon.events("session_closed").last)
    #expect(closed["upstream_bytes"].int == 20_000_000)
    #expect(closed["downstream_bytes"].int == 20_000_000)
  }

  @Test(.blocking, arguments: [1, 2, 3, 4] as [UInt64])
  func randomSizesReturnAsTheyWereWhileToxicsChange(seed: UInt64) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let isDone = Counter()
    let changes = Worker {
      var generator = SplitMix(state: seed)
      while isDone.value == 0 {
        try daemon.api.addToxic("latency", #"{"latency":\#(generator.next() % 30)}"#)
        try daemon.api.patch("/proxies/p/toxics/t", #"{"attributes":{"latency":\#(generator.next() % 30)}}"#)
        try daemon.api.addToxic("bandwidth", #"{"rate":\#(20_000 + generator.next() % 20_000)}"#, name: "b")
        try daemon.api.use("lte")
        try daemon.api.delete("/proxies/p/toxics/t")
        try daemon.api.delete("/proxies/p/toxics/b")
        try daemon.api.use("none")
      }
    }
    defer { isDone.add(1) }
    try Self.exchange(1_500_000, through: try daemon.connect(), seed: seed)
    isDone.add(1)
    try changes.value()
  }

  @Test(.blocking, .enabled(if: Machine.hasIPv6), arguments: ["127.0.0.1", "::1"], ["127.0.0.1", "::1", "localhost"])
  func eachFamilyReachesEach(listen: String, upstream: String) throws {
    // Behind "localhost" only one address of the name is served: the others are tried.
    for host in upstream == "localhost" ? Machine.localhosts : [upstream] {
      let server = try Upstream.echo(host: host)
      let daemon = try Daemon()
      let target = upstream.contains(":") ? "[\(upstream)]" : upstream
      let made = try daemon.api.post(
        "/proxies",
        #"{"name":"p","listen":"\#(Address(host: listen, port: 0))","upstream":"\#(target):\#(server.address.port)"}"#)
      #expect(made.status == 201)
      let client = try daemon.connect()
      #expect(try client.echo("hello") == "hello", "localhost on \(host)")
      #expect(try daemon.sessions.first?["upstream"].string == server.address.description)
    }
  }

  @Test(.blocking, .enabled(if: Machine.hasIPv6), arguments: ["", "0.0.0.0", "[::]"])
  func anyInterfaceTakesBothFamilies(host: String) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let made = try daemon.api.post("/proxies", #"{"name":"p","listen":"\#(host):0","upstream":"\#(upstream.address)"}"#)
    let port = try Address(try #require(made.json["listen"].string)).port
    for host in ["127.0.0.1", "::1"] {
      #expect(try Connection(to: Address(host: host, port: port)).echo("x") == "x")
    }
  }

  @Test(.blocking) func manyConnectionsAtOnceDoNotMix() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], ["--profile", "lte"])
    let clients = try (0..<40).map { _ in try daemon.connect() }
    for (index, client) in clients.enumerated() { try client.send("client \(index)") }
    for (index, client) in clients.enumerated().reversed() {
      let text = "client \(index)"
      #expect(String(decoding: try client.receive(exactly: text.utf8.count), as: UTF8.self) == text)
    }
  }
}
