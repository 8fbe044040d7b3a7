@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A server on a port of its own with a loop that runs only while a test waits for something.
final class HTTPFixture {
  let loop: EventLoop
  let limits: HTTPLimits
  private(set) var server: HTTPServer
  var requests: [HTTPRequest] = []

  /// Replies 200 with "METHOD TARGET BODY" when no handler is given.
  init(
    limits: HTTPLimits = HTTPLimits(), handler: HTTPServer.Handler? = nil
  ) throws {
    loop = try EventLoop()
    self.limits = limits
    let address = SocketAddress(literal: "127.0.0.1", port: 0)!
    var record: (HTTPRequest) -> Void = { _ in }
    server = try HTTPServer(loop: loop, address: address, limits: limits) { request, responder in
      record(request)
      if let handler { return handler(request, responder) }
      responder.reply(status: 200, body: Array("\(request.method) \(request.target) ".utf8) + request.body)
    }
    record = { [unowned self] in requests.append($0) }
  }

  /// Runs the loop until `condition` holds; false when it doesn't within ten seconds.
  func wait(for condition: @escaping () -> Bool) -> Bool {
    let deadline = loop.now + 10_000_000_000
    var poll: LoopTimer?
    poll = LoopTimer(loop: loop) { [loop] in
      if condition() || loop.now > deadline { return loop.stop() }
      poll?.arm(at: loop.now + 500_000)
    }
    poll?.arm(at: 0)
    loop.run()
    poll = nil
    return condition()
  }

  /// Lets the loop see what the kernel has ready. On loopback that is all that was sent before.
  func pump() {
    for _ in 0..<4 {
      loop.later { [loop] in loop.later { loop.stop() } }
      loop.run()
    }
  }

  func connect() -> RawClient { RawClient(loop: loop, port: server.localAddress.port) }

  /// Sends `segments` one by one, each after the loop has taken the one before, and waits for `count` replies.
  func exchange(_ segments: [String], replies count: Int = 1) -> [RawReply] {
    let client = connect()
    for segment in segments {
      client.send(segment)
      pump()
    }
    _ = wait { client.replies.count >= count || client.isClosed }
    return client.replies
  }
}

/// A socket that writes and reads exactly what a test says.
final class RawClient: EventTarget {
  private(set) var received: [UInt8] = []
  /// The server's end was seen, FIN or RST.
  private(set) var isClosed = false
  private(set) var wasReset = false
  /// While false nothing is read, so that the socket's buffers fill.
  var reads = true { didSet { updateEvents() } }
  /// The methods of the requests sent, as far as HEAD is among them: such replies have no body.
  var isHead = false

  private let loop: EventLoop
  private var descriptor: Int32
  private var readHandle: EventHandle?
  private var writeHandle: EventHandle?
  private var unsent: ArraySlice<UInt8> = []

  init(loop: EventLoop, port: UInt16) {
    self.loop = loop
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    super.init()
    let address = SocketAddress(literal: "127.0.0.1", port: port)!
    let result = address.withSockaddr { Self.connect(descriptor, $0, $1) }
    precondition(result == 0, "connect: \(errno)")
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    readHandle = EventHandle(loop: loop, descriptor: descriptor, flags: [.read, .persist], target: self)
    writeHandle = EventHandle(loop: loop, descriptor: descriptor, flags: [.write, .persist], target: self)
    updateEvents()
  }

  deinit { close() }

  private static func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    #if canImport(Darwin)
      Darwin.connect(descriptor, address, length)
    #else
      Glibc.connect(descriptor, address, length)
    #endif
  }

  var text: String { String(decoding: received, as: UTF8.self) }
  var replies: [RawReply] { RawReply.parse(received, isHead: isHead) }

  var hasSentAll: Bool { unsent.isEmpty }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    unsent += bytes
    flush()
  }

  /// FIN after what was sent; the other way stays open.
  func endSending() {
    precondition(unsent.isEmpty)
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func reset() {
    var abort = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    readHandle = nil
    writeHandle = nil
    guard descriptor >= 0 else { return }
    SystemCall.close(descriptor)
    descriptor = -1
  }

  private func updateEvents() {
    guard descriptor >= 0 else { return }
    if reads, !isClosed { try? readHandle?.add() } else { readHandle?.remove() }
    if unsent.isEmpty { writeHandle?.remove() } else { try? writeHandle?.add() }
  }

  private func flush() {
    while !unsent.isEmpty {
      let count = unsent.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        if errno != EAGAIN { unsent = [] }
        break
      }
      unsent = unsent.dropFirst(count)
    }
    updateEvents()
  }

  override func eventFired(_ flags: EventFlags) {
    if flags.contains(.write) { return flush() }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      received += buffer.prefix(count)
    } else if count == 0 || errno != EAGAIN {
      wasReset = count < 0
      isClosed = true
      updateEvents()
    }
  }
}

/// A complete reply found in what a client received.
struct RawReply {
  var line: String
  var headers: HTTPHeaders
  var body: [UInt8]

  var status: Int { Int(line.split(separator: " ")[1]) ?? 0 }
  var text: String { String(decoding: body, as: UTF8.self) }
  var isJSONError: Bool {
    headers["Content-Type"] == "application/json" && text.hasPrefix("{\"error\":\"")
      && text.hasSuffix("\",\"status\":\(status)}\n")
  }

  /// Only replies with a Content-Length, or without a body at all, are understood.
  static func parse(_ bytes: [UInt8], isHead: Bool = false) -> [RawReply] {
    var rest = bytes[...]
    var replies: [RawReply] = []
    while let end = endOfHead(rest) {
      let lines = String(decoding: rest[..<(end - 4)], as: UTF8.self).split(separator: "\r\n")
      var headers = HTTPHeaders()
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        headers.append(String(parts[0]), String(parts[1].drop { $0 == " " }))
      }
      let length = isHead ? 0 : Int(headers["Content-Length"] ?? "0") ?? 0
      guard rest.endIndex - end >= length else { break }
      replies.append(RawReply(line: String(lines[0]), headers: headers, body: Array(rest[end..<(end + length)])))
      rest = rest[(end + length)...]
    }
    return replies
  }

  private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
    let mark = Array("\r\n\r\n".utf8)
    guard bytes.count >= 4 else { return nil }
    return (bytes.startIndex...(bytes.endIndex - 4)).first { bytes[$0..<($0 + 4)].elementsEqual(mark) }.map { $0 + 4 }
  }
}
