import Settings
import LoopTesting
import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Reactor

/// `GET /events` as `text/event-stream`.
@Suite struct EventStreamTests {
  private final class Reader {
    var text = ""
    var headers = HTTPHeaders()
    var isOver = false
    private var exchange: HTTPExchange?

    init(_ desk: Desk, _ target: String = "/events", lastID: String? = nil) {
      var request = HTTPClientRequest(host: "127.0.0.1", port: desk.port)
      request.target = target
      request.headers.append("Accept", "text/event-stream")
      if let lastID { request.headers.append("Last-Event-ID", lastID) }
      exchange = HTTPExchange(loop: desk.loop, request: request) { [unowned self] _ in isOver = true }
      exchange?.onHeaders = { [unowned self] in headers = $0.headers }
      exchange?.onChunk = { [unowned self] in text += String(decoding: $0, as: UTF8.self) }
    }

    func leave() { exchange = nil }

    /// Looks at the end only: the text may be long.
    func has(_ id: Int, within length: Int = 600) -> Bool { text.suffix(length).contains("id: \(id)\n") }

    var ids: [Int] {
      text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.compactMap { Int($0.dropFirst(4)) }
    }
  }

  private let desk: Desk

  init() throws { desk = try Desk(.live) }

  private func record(_ count: Int) {
    for _ in 0..<count { desk.registry.note("reset", []) }
  }

  private func open(_ target: String = "/events", lastID: String? = nil) throws -> Reader {
    let reader = Reader(desk, target, lastID: lastID)
    try desk.loop.runUntil { reader.text.hasPrefix(": headwind\n\n") }
    return reader
  }

  @Test func eventsComeAsTheyHappen() throws {
    record(2)
    let reader = try open()
    #expect(reader.headers["Content-Type"] == "text/event-stream")
    #expect(reader.headers["X-Toxiproxy-Request-Id"]?.count == 20)
    desk.registry.note("noted", [("what", "a\nb")])
    try desk.loop.runUntil { reader.ids == [3] }
    let block = reader.text.dropFirst(": headwind\n\n".count)
    #expect(block.hasPrefix("id: 3\nevent: noted\ndata: {\"id\":3,\"at\":\""))
    #expect(block.hasSuffix(",\"type\":\"noted\",\"what\":\"a\\nb\"}\n\n"))
  }

  @Test(
    arguments: [("/events?since=0", nil, [1, 2, 3]), ("/events", "2", [3]), ("/events?since=1", "2", [2, 3])]
      as [(String, String?, [Int])])
  func thePastComesFirstWhenAskedFor(_ target: String, _ lastID: String?, _ expected: [Int]) throws {
    record(3)
    let reader = try open(target, lastID: lastID)
    record(1)
    try desk.loop.runUntil { reader.ids == expected + [4] }
  }

  /// The whole ring is more than a reader may let wait.
  @Test func aLongPastComesWholeAndTheStreamGoesOn() throws {
    let padding = JSON.string(String(repeating: "x", count: 200))
    for _ in 0..<desk.registry.events.capacity + 5 { desk.registry.note("noted", [("padding", padding)]) }
    let newest = desk.registry.events.newest
    let reader = try open("/events?since=0")
    record(1)
    try desk.loop.runUntil { reader.isOver || reader.has(newest + 1) }
    #expect(reader.ids == Array(6...newest + 1))
    record(1)
    try desk.loop.runUntil { reader.isOver || reader.has(newest + 2) }
    #expect(!reader.isOver)
  }

  /// Each gets every event once and in order, whenever it came and wherever it began, however many come at once.
  @Test func manyReadersGetTheSame() throws {
    record(700)
    let early = try (0..<10).map { _ in try open() }
    record(1_000)
    // Before the burst has gone out.
    let late = try [open(), open("/events?since=0"), open("/events?since=650"), open("/events", lastID: "1200")]
    record(1_000)
    let firsts = Array(repeating: 701, count: 10) + [1_701, 1, 651, 1_201]
    for (reader, first) in zip(early + late, firsts) {
      try desk.loop.runUntil { reader.isOver || reader.has(2_700) }
      #expect(reader.ids == Array(first...2_700))
    }
  }

  /// A daemon that was started anew counts from 1 again.
  @Test func anIdentifierOfAnEarlierRunIsNoReasonToWait() throws {
    record(3)
    let reader = try open("/events", lastID: "5000")
    record(2)
    try desk.loop.runUntil { reader.has(5) }
    #expect(reader.ids == [4, 5])
  }

  /// Others go on getting what happens.
  @Test func aReaderThatDoesntReadIsCutOff() throws {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: desk.port))
    let idle = try StreamSocket(loop: desk.loop, connectingTo: address)
    let delegate = Silent()
    idle.delegate = delegate
    try desk.loop.runUntil { idle.isWritable }
    let request = "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    #expect(idle.write(Array(request.utf8)) == .wrote(request.utf8.count))
    let reader = try open()
    let padding = JSON.string(String(repeating: "x", count: 4_000))
    for _ in 0..<100 {
      for _ in 0..<40 { desk.registry.note("noted", [("padding", padding)]) }
      try desk.loop.runUntil { reader.has(desk.registry.events.newest, within: 5_000) }
    }
    #expect(reader.ids == Array(1...4_000))
    var received = 0
    var tail: [UInt8] = []
    // The chunk that ends a body.
    try desk.loop.runUntil {
      while case .bytes(let count) = idle.read(upTo: ReadBuffer.capacity) {
        received += count
        tail = (tail + desk.loop.readBuffer.copy(0..<count)).suffix(5)
      }
      return String(decoding: tail, as: UTF8.self) == "0\r\n\r\n"
    }
    #expect(received < 4_000 * 4_000)
  }

  private final class Silent: StreamSocketDelegate {
    func socketIsReady(_ socket: StreamSocket) {}
  }

  @Test func whoLeavesIsForgotten() throws {
    let reader = try open()
    reader.leave()
    desk.loop.run(forMilliseconds: 20)
    record(3)
    #expect(try desk.call("GET", "/events?since=2").json()["events"]?.arrayValue?.count == 1)
  }

  @Test func anUnreadableSinceIsAnOrdinaryRefusal() throws {
    let refusal = try desk.refusal("GET", "/events?since=x", headers: [("Accept", "text/event-stream")])
    #expect(refusal == #"400 since is "x"; allowed: \#(Moment.allowed)"#)
    let limited = try desk.refusal("GET", "/events?limit=3", headers: [("Accept", "text/event-stream")])
    #expect(limited == "400 limit goes with a list of events, not with a stream")
  }

  /// Who wants a part gets that, at once and of the past; who wants all isn't kept from it.
  @Test func aFilterIsEachReadersOwn() throws {
    try desk.makeProxy("web")
    record(2)
    let all = try open("/events?since=0")
    let one = try open("/events?since=0&proxy=web")
    let some = try open("/events?type=proxy_deleted,profile_switched")
    try desk.loop.runUntil { all.ids == [1, 2, 3] && one.ids == [1] }
    try desk.call("DELETE", "/proxies/web")
    try desk.call("PUT", "/profile/3g")
    record(1)
    try desk.loop.runUntil { all.ids == [1, 2, 3, 4, 5, 6] && one.ids == [1, 4] && some.ids == [4, 5] }
  }
}
