import LoopTesting
import Testing

@testable import Reactor

/// Replies that wait for their readers, and the other limits that a server tells of.
@Suite struct HTTPServerUnsentTests {
  private static func limits(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
    var limits = HTTPLimits()
    change(&limits)
    return limits
  }

  /// A server whose handler answers with 8 MB where there is room, else 503.
  private final class Bounded {
    static let body = [UInt8](repeating: 7, count: 8_000_000)
    let fixture: HTTPFixture
    var met: [HTTPLimits.Bound] = []

    init() throws {
      var server: () -> HTTPServer? = { nil }
      fixture = try HTTPFixture(limits: limits { $0.unsentBytesMax = 17_000_000 }) { _, responder in
        let hasRoom = server()?.makeRoom(for: Self.body.count) ?? false
        responder.reply(status: hasRoom ? 200 : 503, body: hasRoom ? Self.body : [])
      }
      server = { [unowned fixture] in fixture.server }
      fixture.server.onLimit = { [unowned self] in met.append($0) }
    }

    func ask(reads: Bool) -> RawClient {
      let client = fixture.connect()
      client.reads = reads
      client.send("GET / HTTP/1.1\r\n\r\n")
      fixture.pump()
      return client
    }

    var sum: Int { fixture.server.connections.values.reduce(0) { $0 + $1.bufferedBytes } }
    /// A reply with its head.
    static let reply = (body.count + 50)...(body.count + 500)
  }

  @Test func whatWaitsCountsWholeUntilItIsTaken() throws {
    let bounded = try Bounded()
    let server = bounded.fixture.server
    #expect(server.unsentBytes == 0)
    let slow = bounded.ask(reads: false)
    #expect(Bounded.reply.contains(server.unsentBytes) && (1..<server.unsentBytes).contains(bounded.sum))
    let other = bounded.ask(reads: true)
    #expect(bounded.fixture.wait { other.replies.count == 1 })
    #expect(Bounded.reply.contains(server.unsentBytes))
    slow.reads = true
    #expect(bounded.fixture.wait { slow.replies.count == 1 })
    #expect(bounded.fixture.wait { server.unsentBytes == 0 })
    let leaving = bounded.ask(reads: false)
    #expect(Bounded.reply.contains(server.unsentBytes))
    leaving.close()
    #expect(bounded.fixture.wait { server.connectionCount <= 2 && server.unsentBytes == 0 })
  }

  /// Whoever has just taken something isn't cut off for others.
  @Test func aReaderThatIsJustBehindIsntCutOff() throws {
    let bounded = try Bounded()
    let slow = (0..<2).map { _ in bounded.ask(reads: false) }
    let refused = bounded.ask(reads: true)
    #expect(bounded.fixture.wait { refused.replies.count == 1 })
    #expect(refused.replies.map(\.status) == [503])
    #expect(bounded.met == [.unsentBytes])
    for client in slow { client.reads = true }
    #expect(bounded.fixture.wait { slow.allSatisfy { $0.replies.count == 1 } })
    #expect(slow.allSatisfy { $0.replies[0].body == Bounded.body })
    let next = bounded.ask(reads: true)
    #expect(bounded.fixture.wait { next.replies.map(\.status) == [200] })
  }

  @Test func whoTakesNothingForASecondMakesRoom() throws {
    let bounded = try Bounded()
    let fixture = bounded.fixture
    let first = bounded.ask(reads: false)
    fixture.loop.run(forMilliseconds: 50)
    let second = bounded.ask(reads: false)
    fixture.loop.run(forMilliseconds: 1_050)
    let third = bounded.ask(reads: true)
    #expect(fixture.wait { third.replies.map(\.status) == [200] })
    // No more than was needed: the one that had waited longest.
    first.reads = true
    second.reads = true
    #expect(fixture.wait { first.isClosed && second.replies.count == 1 })
    #expect(first.replies.isEmpty)
    #expect(fixture.wait { fixture.server.unsentBytes == 0 })
    #expect(bounded.met == [.unsentBytes])
  }

  @Test func headsBodiesAndConnectionsAreTold() throws {
    let fixture = try HTTPFixture(
      limits: Self.limits {
        ($0.connectionsMax, $0.headerBytesMax, $0.bodyBytesMax) = (2, 1_000, 10)
        ($0.headerBytesHint, $0.bodyBytesHint) = (" (h)", " (b)")
      })
    var met: [HTTPLimits.Bound] = []
    fixture.server.onLimit = { met.append($0) }
    let head = "GET / HTTP/1.1\r\nX: "
    let long = fixture.exchange([head + String(repeating: "a", count: 2_000) + "\r\n\r\n"])
    #expect(long.map(\.status) == [431])
    #expect(long.first?.text.contains("head is larger than 1000 bytes (h)") == true)
    let body = fixture.exchange(["POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n12345678901"])
    #expect(body.map(\.status) == [413])
    #expect(body.first?.text.contains("body is larger than 10 bytes (b)") == true)
    #expect(met == [.headerBytes, .bodyBytes])
    #expect(fixture.wait { fixture.server.connectionCount == 0 })
    // Busy ones don't give way: the third waits.
    let busy = (0..<2).map { _ in fixture.connect() }
    for client in busy { client.send("GET /") }
    fixture.pump()
    #expect(fixture.server.connectionCount == 2)
    #expect(met == [.headerBytes, .bodyBytes, .connections])
    let waiting = fixture.connect()
    waiting.send("GET /w HTTP/1.1\r\n\r\n")
    fixture.pump()
    #expect(waiting.received.isEmpty)
    busy[0].send(" HTTP/1.1\r\nConnection: close\r\n\r\n")
    #expect(fixture.wait { waiting.replies.map(\.status) == [200] })
  }
}
