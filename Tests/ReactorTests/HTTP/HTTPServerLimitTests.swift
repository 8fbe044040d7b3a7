import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Clients that are slow, big, many, or gone.
@Suite struct HTTPServerLimitTests {
  private static func limits(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
    var limits = HTTPLimits()
    change(&limits)
    return limits
  }

  private static let quick = limits { $0.requestTimeoutNanoseconds = 200_000_000 }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nX: ", "head"),
    ("POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n", "body"),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n", "body"),
    ("GET /a HTTP/1.1\r\n\r\nGET /b", "head"),
  ])
  func aDrippingRequestIsCutAtTheLimit(start: String, part: String) throws {
    let fixture = try HTTPFixture(limits: Self.quick)
    let client = fixture.connect()
    let begin = fixture.loop.now
    client.send(start)
    var drip: LoopTimer?
    drip = LoopTimer(loop: fixture.loop) { [loop = fixture.loop] in
      client.send("x")
      drip?.arm(at: loop.now + 5_000_000)
    }
    drip?.arm(at: 0)
    #expect(fixture.wait { client.isClosed })
    drip = nil
    let elapsed = fixture.loop.now - begin
    #expect(elapsed >= 200_000_000)
    #expect(elapsed < 5_000_000_000)
    let last = try #require(client.replies.last)
    #expect(last.status == 408)
    #expect(last.isJSONError)
    #expect(last.text.contains(part))
    client.close()
    #expect(fixture.wait { fixture.server.connectionCount == 0 })
  }

  @Test func aSilentConnectionEndsWithoutAReply() throws {
    let fixture = try HTTPFixture(limits: Self.limits { $0.idleTimeoutNanoseconds = 100_000_000 })
    let fresh = fixture.connect()
    let used = fixture.connect()
    used.send("GET / HTTP/1.1\r\n\r\n")
    #expect(fixture.wait { fresh.isClosed && used.isClosed })
    #expect(fresh.received.isEmpty)
    #expect(used.replies.map(\.status) == [200])
    #expect(fixture.server.connectionCount == 0)
  }

  @Test func aReaderThatStopsIsCutOff() throws {
    let limits = Self.limits { $0.writeTimeoutNanoseconds = 100_000_000 }
    let big = [UInt8](repeating: 7, count: 32_000_000)
    let fixture = try HTTPFixture(limits: limits) { _, responder in responder.reply(status: 200, body: big) }
    let client = fixture.connect()
    client.reads = false
    client.send("GET / HTTP/1.1\r\n\r\n")
    fixture.pump()
    #expect(fixture.server.connectionCount == 1)
    #expect(fixture.wait { fixture.server.connectionCount == 0 })
  }

  @Test(arguments: [false, true]) func aSlowReaderGetsAll(halfCloses: Bool) throws {
    let big = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let fixture = try HTTPFixture { _, responder in responder.reply(status: 200, body: big) }
    let client = fixture.connect()
    client.reads = false
    client.send("GET / HTTP/1.1\r\n\r\n")
    if halfCloses { client.endSending() }
    fixture.pump()
    client.reads = true
    #expect(fixture.wait { client.isClosed || client.received.count > big.count && client.replies.count == 1 })
    #expect(client.received.suffix(big.count).elementsEqual(big))
    if halfCloses { #expect(fixture.wait { client.isClosed && fixture.server.connectionCount == 0 }) }
  }

  /// libevent alone would need 15 iterations for it.
  @Test func aBodyThatIsThereIsReadInOneGo() throws {
    let fixture = try HTTPFixture()
    let client = fixture.connect()
    fixture.pump()
    client.send("POST / HTTP/1.1\r\nContent-Length: 60000\r\n\r\n" + String(repeating: "x", count: 60_000))
    #expect(client.hasSentAll)
    for _ in 0..<3 {
      fixture.loop.later { fixture.loop.stop() }
      fixture.loop.run()
    }
    #expect(fixture.requests.map(\.body.count) == [60_000])
  }

  @Test func pipelinedRequestsBeforeAHalfCloseAreAllAnswered() throws {
    let fixture = try HTTPFixture()
    let client = fixture.connect()
    client.send(String(repeating: "GET /a HTTP/1.1\r\n\r\n", count: 50))
    client.endSending()
    #expect(fixture.wait { client.isClosed })
    #expect(client.replies.count == 50)
    #expect(!client.wasReset)
  }

  @Test(arguments: [
    "POST / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n989680\r\n",
  ])
  func aClientThatSendsTenMegabytesFirstCanReadThe413(head: String) throws {
    let fixture = try HTTPFixture()
    let client = fixture.connect()
    client.reads = false
    client.send(Array(head.utf8) + [UInt8](repeating: 120, count: 10_000_000))
    #expect(fixture.wait { client.hasSentAll })
    client.reads = true
    #expect(fixture.wait { client.isClosed })
    #expect(client.replies.map(\.status) == [413])
    #expect(client.replies.last?.isJSONError == true)
    #expect(!client.wasReset)
  }

  @Test func clientsGoneInTheMiddleLeaveNothing() throws {
    let big = [UInt8](repeating: 7, count: 8_000_000)
    var kept: [HTTPResponder] = []
    let fixture = try HTTPFixture { request, responder in
      if request.target == "/later" { kept.append(responder) } else { responder.reply(status: 200, body: big) }
    }
    let starts = [
      "", "GE", "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab", "GET / HTTP/1.1\r\n\r\n",
      "GET /later HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n",
    ]
    for start in starts {
      let client = fixture.connect()
      client.reads = false
      client.send(start)
      fixture.pump()
      client.close()
      fixture.pump()
    }
    kept.removeLast().reply(status: 200)
    #expect(fixture.wait { fixture.server.connectionCount == 0 })
  }

  @Test func aThousandConnectionsLeaveNoDescriptors() throws {
    let fixture = try HTTPFixture()
    let before = Self.openDescriptors()
    for number in 0..<1_000 {
      let client = fixture.connect()
      if number % 2 == 0 {
        client.send("GET / HTTP/1.1\r\nConnection: \(number % 4 == 0 ? "close" : "keep-alive")\r\n\r\n")
        #expect(fixture.wait { client.replies.count == 1 })
      }
      client.close()
    }
    #expect(fixture.wait { fixture.server.connectionCount == 0 })
    fixture.pump()
    // Other tests run at the same time; a leak would be 1,000 or 500.
    #expect(Self.openDescriptors() - before < 200)
    #expect(fixture.requests.count == 500)
  }

  private static func openDescriptors() -> Int {
    (0..<Int32(8_192)).reduce(0) { $0 + (fcntl($1, F_GETFD) >= 0 ? 1 : 0) }
  }

  @Test func connectionsAboveTheLimitWait() throws {
    var held: [HTTPResponder] = []
    let fixture = try HTTPFixture(limits: Self.limits { $0.connectionsMax = 3 }) { held.append($1) }
    var clients = (0..<6).map { _ in fixture.connect() }
    for client in clients { client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n") }
    #expect(fixture.wait { held.count == 3 })
    fixture.pump()
    #expect(fixture.server.connectionCount == 3)
    #expect(held.count == 3)
    for responder in held { responder.reply(status: 200) }
    held = []
    for client in clients.prefix(3) { #expect(fixture.wait { client.replies.count == 1 && client.isClosed }) }
    clients.removeFirst(3)
    #expect(fixture.wait { held.count == 3 })
    #expect(fixture.server.connectionCount == 3)
    for responder in held { responder.reply(status: 200) }
    held = []
    #expect(fixture.wait { clients.allSatisfy { $0.replies.count == 1 } })
  }

  @Test func aFullPortGivesTheLongestIdlePlaceToANewcomer() throws {
    let fixture = try HTTPFixture(limits: Self.limits { $0.connectionsMax = 3 })
    var idle: [RawClient] = []
    for number in 0..<3 {
      let client = fixture.connect()
      // Silent from the start, or after a reply.
      if number == 1 { client.send("GET / HTTP/1.1\r\n\r\n") }
      #expect(
        fixture.wait { fixture.server.connectionCount == number + 1 && (number != 1 || client.replies.count == 1) })
      idle.append(client)
    }
    for number in 0..<5 {
      let newcomer = fixture.connect()
      newcomer.send("GET /\(number) HTTP/1.1\r\n\r\n")
      #expect(fixture.wait { newcomer.replies.count == 1 && idle[0].isClosed })
      #expect(!idle[0].wasReset)
      idle.removeFirst()
      #expect(idle.allSatisfy { !$0.isClosed })
      #expect(fixture.server.connectionCount == 3)
      idle.append(newcomer)
    }
  }

  @Test func hundredsOfSilentConnectionsDontKeepAClientWaiting() throws {
    let fixture = try HTTPFixture()
    let silent = (0..<fixture.limits.connectionsMax + 40).map { _ in
      // One by one: more would not fit into the backlog.
      defer { fixture.pump() }
      return fixture.connect()
    }
    let begin = fixture.loop.now
    let client = fixture.connect()
    client.send("GET / HTTP/1.1\r\n\r\n")
    #expect(fixture.wait { client.replies.count == 1 })
    #expect(fixture.loop.now - begin < 5_000_000_000)
    #expect(fixture.server.connectionCount <= fixture.limits.connectionsMax)
    #expect(silent.prefix(41).allSatisfy { $0.isClosed })
    #expect(silent.suffix(200).allSatisfy { !$0.isClosed })
  }

  /// All places are taken before the loop has looked at one of them.
  @Test(arguments: ["", "\r\n\r\n"]) func silentConnectionsOfOneMomentDontKeepAClientWaiting(said: String) throws {
    let fixture = try HTTPFixture(limits: Self.limits { $0.connectionsMax = 3 })
    let silent = (0..<8).map { _ in fixture.connect() }
    if !said.isEmpty { for client in silent { client.send(said) } }
    let client = fixture.connect()
    client.send("GET / HTTP/1.1\r\n\r\n")
    #expect(fixture.wait { client.replies.count == 1 })
    #expect(fixture.server.connectionCount <= 3)
    #expect(silent.count { $0.isClosed } >= 6)
  }

  /// A place whose request is under way, or not yet read, isn't given away.
  @Test func whoIsBeingServedKeepsItsPlace() throws {
    var held: [HTTPResponder] = []
    let fixture = try HTTPFixture(limits: Self.limits { $0.connectionsMax = 2 }) { held.append($1) }
    let first = fixture.connect()
    first.send("GET / HTTP/1.1\r\n\r\n")
    #expect(fixture.wait { held.count == 1 })
    let second = fixture.connect()
    second.send("GET / HT")
    fixture.pump()
    let third = fixture.connect()
    third.send("GET / HTTP/1.1\r\n\r\n")
    fixture.pump()
    #expect(held.count == 1 && !first.isClosed && !second.isClosed)
    second.send("TP/1.1\r\n\r\n")
    #expect(fixture.wait { held.count == 2 })
    held[0].reply(status: 200)
    #expect(fixture.wait { held.count == 3 && first.isClosed })
    #expect(first.replies.count == 1)
    for responder in held.dropFirst() { responder.reply(status: 200) }
    #expect(fixture.wait { second.replies.count == 1 && third.replies.count == 1 })
  }

  @Test func acceptingGoesOnAfterAFailure() throws {
    let fixture = try HTTPFixture()
    fixture.server.acceptFailed()
    let client = fixture.connect()
    client.send("GET / HTTP/1.1\r\n\r\n")
    fixture.pump()
    #expect(client.received.isEmpty)
    #expect(fixture.server.acceptFailures == 1)
    #expect(fixture.wait { client.replies.count == 1 })
  }
}
