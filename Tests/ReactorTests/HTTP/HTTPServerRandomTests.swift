import Testing

@testable import Reactor

/// Requests, broken at random, in random pieces, from clients that leave at random. Whatever comes back is whole replies, and
/// nothing stays behind.
@Suite struct HTTPServerRandomTests {
  private static let parts = [
    "GET /a HTTP/1.1\r\n\r\n", "POST /b HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", "HEAD /c HTTP/1.0\r\n\r\n",
    "PUT /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "FOO /e HTTP/1.1\r\n\r\n",
    "POST /f HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc", "GET /stream HTTP/1.1\r\n\r\n",
    "GET /late HTTP/1.1\r\n\r\n", "GET /big HTTP/1.1\r\nConnection: close\r\n\r\n", "GET /abort HTTP/1.1\r\n\r\n",
    "DELETE /g HTTP/1.1\nConnection: keep-alive\n\n", "POST /h HTTP/1.1\r\nContent-Length: 9999\r\n\r\n",
    "GET /stream HTTP/1.0\r\n\r\n",
    "CONNECT h:1 HTTP/1.1\r\n\r\n", "\r\n", "garbage", "GET /none HTTP/1.1\r\n\r\n",
  ]

  @Test(arguments: 0..<8) func nothingStaysBehind(seed: UInt64) throws {
    var limits = HTTPLimits()
    limits.headerBytesMax = 256
    limits.bodyBytesMax = 1_000
    limits.connectionsMax = 20
    limits.requestTimeoutNanoseconds = 100_000_000
    limits.writeTimeoutNanoseconds = 100_000_000
    limits.idleTimeoutNanoseconds = 100_000_000
    let handler = Handler()
    let fixture = try HTTPFixture(limits: limits, handler: handler.handle)
    var generator = TestGenerator(seed: seed)
    var clients: [RawClient] = []
    for _ in 0..<300 {
      let client = fixture.connect()
      client.reads = Int.random(in: 0..<4, using: &generator) > 0
      clients.append(client)
      for piece in Self.pieces(using: &generator) {
        client.send(piece)
        if Bool.random(using: &generator) { fixture.pump() }
      }
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: client.close()
      case 1 where client.hasSentAll: client.endSending()
      default: break
      }
      if clients.count > 15 { clients.remove(at: Int.random(in: 0..<15, using: &generator)) }
    }
    for client in clients { client.reads = true }
    let isEmpty = fixture.wait {
      // Again and again: what is released makes way for the next pipelined request.
      handler.late = []
      handler.streams = []
      return fixture.server.connectionCount == 0
    }
    #expect(isEmpty)
    for client in clients where !client.received.isEmpty {
      #expect(client.text.hasPrefix("HTTP/1."))
      #expect(!client.text.contains("<HTML>"))
    }
  }

  private static func pieces(using generator: inout TestGenerator) -> [[UInt8]] {
    var bytes = (0..<Int.random(in: 1...4, using: &generator)).flatMap { _ in
      Array(parts.randomElement(using: &generator)!.utf8)
    }
    if Bool.random(using: &generator) {
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
    }
    var pieces: [[UInt8]] = []
    while !bytes.isEmpty {
      let count = Int.random(in: 1...max(1, bytes.count), using: &generator)
      pieces.append(Array(bytes.prefix(count)))
      bytes.removeFirst(count)
    }
    return pieces
  }

  /// Answers in every way there is.
  private final class Handler {
    var late: [HTTPResponder] = []
    var streams: [HTTPStream] = []

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      switch request.target {
      case "/stream":
        let stream = responder.beginStream(status: 200)
        stream.send([1, 2, 3])
        streams.append(stream)
        if streams.count > 5 { streams.removeFirst().send([4]) }
      case "/abort":
        let stream = responder.beginStream(status: 200)
        stream.send([1])
        stream.abort()
      case "/late":
        late.append(responder)
        if late.count > 3 { late.removeFirst().reply(status: 200, body: [1]) }
        if late.count > 2 { late.removeFirst() }
      case "/big": responder.reply(status: 200, body: [UInt8](repeating: 65, count: 3_000_000))
      case "/none": break
      default: responder.reply(status: 200, body: request.body)
      }
    }
  }
}
