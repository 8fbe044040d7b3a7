import LoopTesting
import Testing

@testable import Reactor

/// Many who want much at once.
@Suite struct HTTPRequestQueueTests {
  private final class Busy {
    let fixture: HTTPFixture
    /// What was asked for, in the order of the answers.
    var served: [String] = []
    /// Turns of the loop that began between two answers.
    var turns: Set<Int64> = []

    /// - Parameter nanoseconds: what each answer takes.
    init(nanoseconds: Int64) throws {
      var note: (HTTPRequest) -> Void = { _ in }
      fixture = try HTTPFixture { request, responder in
        let end = EventLoop.clock + nanoseconds
        while EventLoop.clock < end {}
        note(request)
        responder.reply(status: 200)
      }
      note = { [unowned self] request in
        served.append(request.target)
        turns.insert(fixture.loop.turnStart)
      }
    }

    func ask(_ count: Int) -> [RawClient] {
      (0..<count).map { number in
        let client = fixture.connect()
        client.send("GET /\(number) HTTP/1.1\r\n\r\n")
        return client
      }
    }
  }

  /// After each long answer the loop goes round: whatever else is due is served in between.
  @Test func longAnswersHaveATurnEach() throws {
    let busy = try Busy(nanoseconds: 2_000_000)
    let clients = busy.ask(20)
    #expect(busy.fixture.wait { clients.allSatisfy { $0.replies.map(\.status) == [200] } })
    #expect(busy.served.count == 20 && Set(busy.served).count == 20)
    #expect(busy.turns.count == 20)
  }

  @Test func whoHasGoneIsntServed() throws {
    let busy = try Busy(nanoseconds: 2_000_000)
    let clients = busy.ask(20)
    #expect(busy.fixture.wait { !busy.served.isEmpty })
    for client in clients.dropFirst(2) { client.reset() }
    #expect(busy.fixture.wait { busy.fixture.server.connectionCount <= 2 })
    #expect(busy.served.count < 20)
  }

  /// Closing the server with requests that wait for their turn is nobody's end.
  @Test func aServerCanBeClosedMeanwhile() throws {
    let busy = try Busy(nanoseconds: 2_000_000)
    let clients = busy.ask(10)
    #expect(busy.fixture.wait { !busy.served.isEmpty })
    busy.fixture.server.close()
    busy.fixture.pump()
    #expect(busy.served.count < 10)
    #expect(busy.fixture.wait { clients.allSatisfy { $0.isClosed } })
  }
}
