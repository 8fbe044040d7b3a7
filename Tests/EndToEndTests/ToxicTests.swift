import Testing

/// Each toxic over real sockets, in both streams. The exact arithmetic is tested in virtual time; here times are only
/// bounded from below, and generously from above.
@Suite(.blocking)
struct ToxicTests {
  enum Stream: String, Sendable, CaseIterable { case upstream, downstream }

  /// A session with both of its ends, to be used in the direction of a stream.
  private final class Wire: Sendable {
    let daemon: Daemon
    let client: Connection
    let server: Connection
    private let stream: Stream
    private let upstream: Upstream

    init(_ stream: Stream, before body: String? = nil) throws {
      self.stream = stream
      upstream = try Upstream.silent()
      daemon = try Daemon(["p": upstream.address])
      if let body { try Wire.add(body, stream, daemon) }
      client = try daemon.connect()
      server = try upstream.accepted()
      guard body == nil else { return }
      // Open at both ends: what is added now finds a live session.
      try client.send("?")
      try #require(server.receive(exactly: 1) == Array("?".utf8))
    }

    var source: Connection { stream == .upstream ? client : server }
    var sink: Connection { stream == .upstream ? server : client }

    static func add(_ body: String, _ stream: Stream, _ daemon: Daemon) throws {
      let response = try daemon.api.post(
        "/proxies/p/toxics", #"{"name":"t","stream":"\#(stream)",\#(body)}"#)
      try #require(response.status == 200, "\(response.error)")
    }

    func add(_ body: String) throws { try Wire.add(body, stream, daemon) }

    func update(_ body: String) throws {
      try #require(daemon.api.patch("/proxies/p/toxics/t", body).status == 200)
    }

    func remove() throws { try #require(daemon.api.delete("/proxies/p/toxics/t").status == 204) }

    /// True when nothing comes for a while.
    func isQuiet() throws -> Bool { try sink.receive(within: .milliseconds(150)) == .nothing }

    func noSessionIsLeft() throws -> Bool { try eventually { try daemon.sessions.isEmpty } }
  }

  /// Before the connection is made, and on a live one.
  static let moments = Stream.allCases.flatMap { stream in [(stream, true), (stream, false)] }

  private func wire(_ stream: Stream, _ isLive: Bool, _ body: String) throws -> Wire {
    let wire = try Wire(stream, before: isLive ? nil : body)
    if isLive { try wire.add(body) }
    return wire
  }

  @Test(arguments: moments) func latency(stream: Stream, isLive: Bool) throws {
    let wire = try wire(stream, isLive, #""type":"latency","attributes":{"latency":200}"#)
    let time = try elapsed {
      try wire.source.send("x")
      #expect(try wire.sink.receive() == .bytes([0x78]))
    }
    #expect(time >= .milliseconds(199))
    try wire.update(#"{"attributes":{"latency":3600000}}"#)
    try wire.source.send("y")
    #expect(try wire.isQuiet())
    try wire.remove()
    #expect(try wire.sink.receive() == .bytes([0x79]))
  }

  @Test(arguments: moments) func bandwidth(stream: Stream, isLive: Bool) throws {
    let wire = try wire(stream, isLive, #""type":"bandwidth","attributes":{"rate":10}"#)
    let bytes = NumberedStream.bytes(0..<3_000)
    let time = try elapsed {
      try wire.source.send(bytes)
      #expect(try wire.sink.receive(exactly: bytes.count) == bytes)
    }
    #expect(time >= .milliseconds(299))
    try wire.update(#"{"attributes":{"rate":0}}"#)
    try wire.source.send("y")
    #expect(try wire.isQuiet())
    try wire.remove()
    #expect(try wire.sink.receive() == .bytes([0x79]))
  }

  @Test(arguments: moments) func slowClose(stream: Stream, isLive: Bool) throws {
    let wire = try wire(stream, isLive, #""type":"slow_close","attributes":{"delay":300}"#)
    let time = try elapsed {
      try wire.source.send("x")
      wire.source.finish()
      #expect(try wire.sink.receive() == .bytes([0x78]))
      #expect(try wire.sink.receive() == .end)
    }
    #expect(time >= .milliseconds(299))
    // The other way is open all the time.
    try wire.sink.send("back")
    #expect(try wire.source.receive(exactly: 4) == Array("back".utf8))
    wire.sink.finish()
    #expect(try wire.source.receive() == .end)
    #expect(try wire.noSessionIsLeft())
  }

  @Test(arguments: moments) func timeout(stream: Stream, isLive: Bool) throws {
    let wire = try wire(stream, isLive, #""type":"timeout","attributes":{"timeout":0}"#)
    try wire.source.send("lost")
    #expect(try wire.isQuiet())
    try wire.sink.send("back")
    #expect(try wire.source.receive(exactly: 4) == Array("back".utf8))
    let time = try elapsed {
      try wire.update(#"{"attributes":{"timeout":200}}"#)
      #expect(try wire.sink.receive() == .end)
      #expect(try wire.source.receive() == .end)
    }
    #expect(time >= .milliseconds(199))
    #expect(try wire.noSessionIsLeft())
    #expect(try wire.daemon.events("dropped").count == 1)
  }

  @Test(arguments: moments) func resetPeer(stream: Stream, isLive: Bool) throws {
    let wire = try wire(stream, isLive, #""type":"reset_peer","attributes":{"timeout":200}"#)
    let time = try elapsed {
      if !isLive { try wire.source.send("x") }
      #expect(try wire.client.receive() == .reset)
      #expect(try wire.server.receive() == .reset)
    }
    // A live session's clock has run since before this one.
    #expect(isLive || time >= .milliseconds(199))
    #expect(try wire.noSessionIsLeft())
  }

  @Test(arguments: moments) func slicer(stream: Stream, isLive: Bool) throws {
    let wire = try wire(
      stream, isLive, #""type":"slicer","attributes":{"average_size":10,"size_variation":2,"delay":30000}"#)
    let bytes = NumberedStream.bytes(0..<64)
    var sizes: [Int] = []
    let time = try elapsed {
      try wire.source.send(bytes)
      var received: [UInt8] = []
      while received.count < bytes.count, case .bytes(let more) = try wire.sink.receive() {
        sizes.append(more.count)
        received += more
      }
      #expect(received == bytes)
    }
    // A busy machine may join two pieces, but not all; 64 bytes are at least 6 pieces with 5 waits.
    #expect(sizes.count >= 3 && time >= .milliseconds(149), "\(sizes)")
    let large = NumberedStream.bytes(0..<200_000)
    try wire.update(#"{"attributes":{"average_size":700,"size_variation":300,"delay":0}}"#)
    let sender = Worker { try wire.source.send(large) }
    expectSame(try wire.sink.receive(exactly: large.count), large)
    try sender.value()
  }

  #if os(Linux)
    /// Without a delay, too, each piece is a write of its own.
    @Test(arguments: Stream.allCases) func slicerWithoutADelayStillCuts(stream: Stream) throws {
      let wire = try wire(stream, false, #""type":"slicer","attributes":{"average_size":100}"#)
      let bytes = NumberedStream.bytes(0..<6_400)
      let before = try wire.sink.dataSegmentsReceived()
      try wire.source.send(bytes)
      #expect(try wire.sink.receive(exactly: bytes.count) == bytes)
      // 64 pieces; a system may join some.
      #expect(try wire.sink.dataSegmentsReceived() - before >= 16)
    }
  #endif

  @Test(arguments: moments) func limitData(stream: Stream, isLive: Bool) throws {
    let wire = try wire(stream, isLive, #""type":"limit_data","attributes":{"bytes":250001}"#)
    let bytes = NumberedStream.bytes(0..<400_000)
    let sender = Worker { try? wire.source.send(bytes) }
    expectSame(try wire.sink.receiveToEnd(), Array(bytes.prefix(250_001)))
    _ = try? sender.value()
    wire.sink.close()
    #expect(try wire.noSessionIsLeft())
  }

  @Test(arguments: moments) func noop(stream: Stream, isLive: Bool) throws {
    let wire = try wire(stream, isLive, #""type":"noop""#)
    try wire.source.send("x")
    #expect(try wire.sink.receive() == .bytes([0x78]))
  }

  @Test(arguments: moments) func stall(stream: Stream, isLive: Bool) throws {
    let wire = try wire(stream, isLive, #""type":"stall","attributes":{}"#)
    try wire.source.send("x")
    wire.source.finish()
    #expect(try wire.isQuiet())
    try wire.remove()
    #expect(try wire.sink.receive() == .bytes([0x78]))
    #expect(try wire.sink.receive() == .end)
  }

  @Test(arguments: Stream.allCases) func drop(stream: Stream) throws {
    let wire = try Wire(stream)
    try wire.add(#""type":"drop","attributes":{"probability":1,"how":"close"}"#)
    #expect(try wire.client.receive() == .end)
    #expect(try wire.server.receive() == .end)
    #expect(try wire.daemon.api.get("/proxies/p/toxics").json[0]["type"] == "drop")
  }

  // MARK: Any toxic

  static let all = [
    #""type":"latency","attributes":{"latency":3600000}"#, #""type":"bandwidth","attributes":{"rate":0}"#,
    #""type":"slow_close","attributes":{"delay":3600000}"#, #""type":"timeout","attributes":{"timeout":1}"#,
    #""type":"reset_peer","attributes":{"timeout":0}"#,
    #""type":"slicer","attributes":{"average_size":1,"delay":3600000000}"#,
    #""type":"limit_data","attributes":{"bytes":0}"#, #""type":"drop","attributes":{"probability":1}"#,
    #""type":"stall""#,
  ]

  /// Toxicity 0 leaves bytes, ends and resets as they are.
  @Test(arguments: all) func leftOutItDoesNothing(body: String) throws {
    for stream in Stream.allCases {
      let wire = try Wire(stream, before: #""toxicity":0,\#(body)"#)
      try wire.source.send("to and fro")
      #expect(try wire.sink.receive(exactly: 10) == Array("to and fro".utf8))
      wire.source.finish()
      #expect(try wire.sink.receive() == .end)
      wire.sink.finish()
      #expect(try wire.source.receive() == .end)
      #expect(try wire.noSessionIsLeft())
    }
  }

  @Test func triggersChooseTheMoment() throws {
    let wire = try Wire(.downstream)
    try wire.add(#""type":"reset_peer","after_bytes":10"#)
    try wire.source.send("123456789")
    #expect(try wire.sink.receive(exactly: 9).count == 9)
    try wire.source.send("0123")
    // The tenth byte may be overtaken by the reset on its last way.
    #expect(try wire.client.outcome() == .reset)
    let later = try Wire(.upstream)
    try later.add(#""type":"timeout","attributes":{"timeout":1},"after_ms":200"#)
    var received = Connection.Received.nothing
    let time = try elapsed { received = try later.client.receive() }
    #expect(received == .end)
    #expect(time >= .milliseconds(150))
  }

  @Test func triggersChooseTheConnections() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let body = #"{"type":"limit_data","first_connections":2,"every":1}"#
    let made = try daemon.api.post("/proxies/p/toxics", body)
    #expect(made.json["first_connections"] == 2 && made.json["every"] == 1)
    let echoes = (0..<4).map { _ in daemon.isEchoing() }
    #expect(echoes == [false, false, true, true])
  }
}
