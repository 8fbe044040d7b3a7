import Testing

@testable import Reactor

@Suite struct HTTPStreamTests {
  /// A server whose every request begins a stream, kept here.
  private final class Streams {
    var all: [HTTPStream] = []
    private(set) var fixture: HTTPFixture

    init(limits: HTTPLimits = HTTPLimits()) throws {
      var keep: (HTTPStream) -> Void = { _ in }
      fixture = try HTTPFixture(limits: limits) { _, responder in
        keep(responder.beginStream(status: 200, headers: ["Content-Type": "text/event-stream"]))
      }
      keep = { [unowned self] in all.append($0) }
    }

    func open(_ request: String = "GET / HTTP/1.1\r\n\r\n") -> (RawClient, HTTPStream?) {
      let client = fixture.connect()
      let count = all.count
      client.send(request)
      _ = fixture.wait { self.all.count > count }
      return (client, all.last)
    }
  }

  @Test func chunksArriveOneByOneAndTheConnectionGoesOn() throws {
    let streams = try Streams()
    let (client, stream) = streams.open()
    #expect(streams.fixture.wait { client.text.hasSuffix("\r\n\r\n") })
    #expect(client.text.contains("Transfer-Encoding: chunked\r\n"))
    stream?.send(Array("one".utf8))
    #expect(streams.fixture.wait { client.text.hasSuffix("3\r\none\r\n") })
    stream?.send([])
    stream?.send(Array("two".utf8))
    #expect(streams.fixture.wait { client.text.hasSuffix("3\r\ntwo\r\n") })
    stream?.end()
    stream?.send(Array("late".utf8))
    #expect(streams.fixture.wait { client.text.hasSuffix("0\r\n\r\n") })
    let (again, _) = streams.open()
    client.send("GET / HTTP/1.1\r\n\r\n")
    #expect(streams.fixture.wait { streams.all.count == 3 })
    again.close()
  }

  @Test(arguments: [false, true]) func withHTTP10TheConnectionsEndEndsTheBody(isDelivered: Bool) throws {
    let streams = try Streams()
    let (client, stream) = streams.open("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    stream?.send(Array("one".utf8))
    stream?.send(Array("two".utf8))
    // Once with all sent, where evhttp closes inside the call, once with the rest still buffered.
    if isDelivered { #expect(streams.fixture.wait { client.text.hasSuffix("onetwo") }) }
    stream?.end()
    #expect(streams.fixture.wait { client.isClosed })
    #expect(client.text.hasSuffix("\r\n\r\nonetwo"))
    #expect(!client.text.contains("Content-Length"))
  }

  @Test func aStreamThatIsDroppedEnds() throws {
    let streams = try Streams()
    let (client, _) = streams.open()
    streams.all = []
    #expect(streams.fixture.wait { client.text.hasSuffix("\r\n\r\n0\r\n\r\n") })
  }

  @Test func closesWhenTheClientGoes() throws {
    let streams = try Streams()
    let (client, stream) = streams.open()
    var closed = 0
    stream?.onClose = { closed += 1 }
    client.close()
    #expect(streams.fixture.wait { closed == 1 })
    #expect(stream?.isOpen == false)
    stream?.send([1])
    stream?.end()
    #expect(closed == 1)
    #expect(streams.fixture.server.connectionCount == 0)
  }

  @Test func closesWithTheServer() throws {
    let streams = try Streams()
    let (client, stream) = streams.open()
    var closed = 0
    stream?.onClose = { closed += 1 }
    streams.fixture.server.close()
    #expect(closed == 1)
    #expect(streams.fixture.wait { client.isClosed })
  }

  @Test func aReaderThatDoesntKeepUpShowsAndCanBeCutOff() throws {
    var limits = HTTPLimits()
    limits.writeTimeoutNanoseconds = 50_000_000
    limits.idleTimeoutNanoseconds = 50_000_000
    let streams = try Streams(limits: limits)
    let (client, stream) = streams.open()
    client.reads = false
    let block = [UInt8](repeating: 7, count: 1_000_000)
    for _ in 0..<30 {
      stream?.send(block)
      streams.fixture.pump()
    }
    #expect(try #require(stream).bufferedBytes > 1_000_000)
    // No limit of time applies to a stream.
    var isOver = false
    let pause = LoopTimer(loop: streams.fixture.loop) { isOver = true }
    pause.arm(at: streams.fixture.loop.now + 150_000_000)
    #expect(streams.fixture.wait { isOver })
    #expect(stream?.isOpen == true)
    stream?.abort()
    #expect(stream?.isOpen == false)
    #expect(streams.fixture.wait { streams.fixture.server.connectionCount == 0 })
    client.reads = true
    #expect(streams.fixture.wait { client.isClosed })
    #expect(!client.text.hasSuffix("0\r\n\r\n"))
  }

  @Test func aClientThatFloodsAStreamIsHeldBack() throws {
    let streams = try Streams()
    let (client, stream) = streams.open()
    client.send([UInt8](repeating: 120, count: 50_000_000))
    for _ in 0..<50 { streams.fixture.pump() }
    #expect(!client.hasSentAll)
    stream?.send(Array("still".utf8))
    #expect(streams.fixture.wait { client.text.contains("still") })
  }
}
