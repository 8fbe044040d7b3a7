import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct HTTPClientTests {
  private typealias Outcome = Result<HTTPClientResponse, HTTPClientError>

  /// Sends on the fixture's loop and waits for the end.
  private func send(
    _ fixture: HTTPFixture, to port: UInt16? = nil, _ change: (inout HTTPClientRequest) -> Void = { _ in }
  ) -> Outcome? {
    var request = HTTPClientRequest(host: "127.0.0.1", port: port ?? fixture.server.localAddress.port)
    request.timeoutNanoseconds = 5_000_000_000
    change(&request)
    var outcome: Outcome?
    let exchange = HTTPExchange(loop: fixture.loop, request: request) { outcome = $0 }
    #expect(fixture.wait { outcome != nil })
    withExtendedLifetime(exchange) {}
    return outcome
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
  func everyMethodArrives(method: String) throws {
    let fixture = try HTTPFixture()
    let response = try #require(
      try send(fixture) {
        $0.method = method
        $0.target = "/a%2F?b"
        $0.headers = ["X-A": "1"]
        $0.body = method == "TRACE" ? [] : Array("hello".utf8)
      }?.get())
    #expect(response.status == 200)
    #expect(response.reason == "OK")
    #expect(String(decoding: response.body, as: UTF8.self) == "\(method) /a%2F?b \(method == "TRACE" ? "" : "hello")")
    let request = try #require(fixture.requests.first)
    #expect(request.headers["Host"] == fixture.server.localAddress.description)
    #expect(request.headers["x-a"] == "1")
    #expect(request.headers.all("Connection") == ["close"])
  }

  @Test func headHasNoBody() throws {
    let fixture = try HTTPFixture()
    let response = try #require(try send(fixture) { $0.method = "HEAD" }?.get())
    #expect(response.body.isEmpty)
    #expect(response.headers["Content-Length"] == "7")
  }

  @Test func errorRepliesAreReplies() throws {
    let fixture = try HTTPFixture { _, responder in responder.reply(status: 404, body: [1]) }
    let response = try #require(try send(fixture)?.get())
    #expect(response.status == 404)
    #expect(response.body == [1])
  }

  @Test func aBodyOf20MegabytesIsCollected() throws {
    let big = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let fixture = try HTTPFixture { _, responder in responder.reply(status: 200, body: big) }
    #expect(try send(fixture)?.get().body == big)
  }

  @Test func aBodyAboveTheLimitFails() throws {
    let fixture = try HTTPFixture { _, responder in responder.reply(status: 200, body: [1, 2, 3, 4]) }
    #expect(send(fixture) { $0.bodyBytesMax = 3 } == .failure(.tooLarge))
    #expect(try send(fixture) { $0.bodyBytesMax = 4 }?.get().body == [1, 2, 3, 4])
  }

  @Test func headersAndChunksComeAsTheyArrive() throws {
    var stream: HTTPStream?
    let fixture = try HTTPFixture { _, responder in stream = responder.beginStream(status: 200, headers: ["X-A": "1"]) }
    var request = HTTPClientRequest(host: "127.0.0.1", port: fixture.server.localAddress.port)
    request.timeoutNanoseconds = nil
    var heads: [HTTPClientResponse] = []
    var chunks: [String] = []
    var outcome: Outcome?
    let exchange = HTTPExchange(loop: fixture.loop, request: request) { outcome = $0 }
    exchange.onHeaders = { heads.append($0) }
    exchange.onChunk = { chunks.append(String(decoding: $0, as: UTF8.self)) }
    #expect(fixture.wait { heads.count == 1 })
    #expect(heads.first?.headers["x-a"] == "1")
    stream?.send(Array("one".utf8))
    #expect(fixture.wait { chunks == ["one"] })
    stream?.send(Array("two".utf8))
    #expect(fixture.wait { chunks == ["one", "two"] })
    #expect(outcome == nil)
    stream?.end()
    #expect(fixture.wait { outcome != nil })
    #expect(try outcome?.get().body == [])
  }

  @Test func aDroppedExchangeIsSilent() throws {
    var stream: HTTPStream?
    let fixture = try HTTPFixture { _, responder in stream = responder.beginStream(status: 200) }
    let request = HTTPClientRequest(host: "127.0.0.1", port: fixture.server.localAddress.port)
    var outcomes = 0
    var chunks = 0
    var exchange: HTTPExchange? = HTTPExchange(loop: fixture.loop, request: request) { _ in outcomes += 1 }
    exchange?.onChunk = { _ in
      chunks += 1
      exchange = nil
    }
    #expect(fixture.wait { stream != nil })
    stream?.send([1])
    #expect(fixture.wait { exchange == nil })
    stream?.send([2])
    stream?.end()
    #expect(fixture.wait { fixture.server.connectionCount == 0 })
    #expect(outcomes == 0)
    #expect(chunks == 1)
  }

  @Test func refusalIsNamed() throws {
    let fixture = try HTTPFixture()
    let address = fixture.server.localAddress
    fixture.server.close()
    let outcome = send(fixture, to: address.port)
    #expect(outcome == .failure(.notConnected(address, code: ECONNREFUSED)))
    #expect("\(HTTPClientError.notConnected(address, code: ECONNREFUSED))" == "connection refused (\(address))")
  }

  @Test func namesAreResolvedAndAllAddressesTried() throws {
    // Where localhost is ::1 first, that one refuses.
    let fixture = try HTTPFixture()
    #expect(try send(fixture) { $0.host = "localhost" }?.get().status == 200)
    #expect(fixture.requests.first?.headers["Host"] == "localhost:\(fixture.server.localAddress.port)")
  }

  @Test func anUnknownNameIsNamed() throws {
    let fixture = try HTTPFixture()
    guard case .failure(.unresolvable(let error)) = send(fixture, { $0.host = "no-such-host.invalid" }) else {
      Issue.record("resolved")
      return
    }
    #expect(error.host == "no-such-host.invalid")
  }

  @Test func silenceTimesOut() throws {
    var kept: [HTTPResponder] = []
    let fixture = try HTTPFixture { _, responder in kept.append(responder) }
    let begin = fixture.loop.now
    #expect(send(fixture) { $0.timeoutNanoseconds = 100_000_000 } == .failure(.timedOut))
    #expect(fixture.loop.now - begin >= 100_000_000)
    #expect(kept.count == 1)
  }

  @Test(arguments: [
    ("", HTTPClientError.closedBeforeReply),
    ("HTTP/1.1 200 OK\r\nContent-Le", .closedBeforeReply),
    ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .closedInReply),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", .closedInReply),
    ("nonsense\r\n\r\n", .malformedReply),
  ])
  func brokenRepliesAreNamed(reply: String, error: HTTPClientError) throws {
    let fixture = try HTTPFixture()
    let listener = try Listener(loop: fixture.loop, address: SocketAddress(literal: "127.0.0.1", port: 0)!)
    var accepted: [Int32] = []
    listener.onAccept = { socket in
      let descriptor = socket.takeDescriptor().take()
      let bytes = Array(reply.utf8)
      _ = write(descriptor, bytes, bytes.count)
      shutdown(descriptor, Int32(SHUT_WR))
      accepted.append(descriptor)
    }
    #expect(send(fixture, to: listener.localAddress.port) == .failure(error))
    for descriptor in accepted { SystemCall.close(descriptor) }
  }

  @Test func aReplyUntilTheConnectionEndsIsWhole() throws {
    let fixture = try HTTPFixture { _, responder in
      let stream = responder.beginStream(status: 200, headers: ["Content-Length": "3"])
      stream.send([1, 2, 3])
    }
    #expect(try send(fixture)?.get().body == [1, 2, 3])
  }

  @Test func anUnknownMethodIsRefused() throws {
    let fixture = try HTTPFixture()
    #expect(send(fixture) { $0.method = "FOO" } == .failure(.unknownMethod("FOO")))
  }

  @Test func theBlockingFormWaitsOnALoopOfItsOwn() throws {
    final class Box { var outcome: Result<HTTPClientResponse, HTTPClientError>? }
    let fixture = try HTTPFixture()
    let box = Box()
    let receiver = try MailboxReceiver(loop: fixture.loop, state: box)
    let mailbox = receiver.mailbox
    let port = fixture.server.localAddress.port
    TestThread.start {
      var request = HTTPClientRequest(host: "127.0.0.1", port: port)
      request.target = "/blocking"
      let outcome = HTTPClient.send(request)
      mailbox.post { $0.outcome = outcome }
    }
    #expect(fixture.wait { box.outcome != nil })
    #expect(try box.outcome?.get().body == Array("GET /blocking ".utf8))
  }
}
