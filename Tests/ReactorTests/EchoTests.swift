import LoopTesting
import Testing

@testable import Reactor

/// A proxy in small: echoes through a queue, reads only while the queue is short.
private final class Echo: StreamSocketDelegate {
  private static let queuedBytesMax = 300_000

  private let loop: EventLoop
  private let socket: StreamSocket
  private var queue: ByteQueue
  private var random = TestGenerator(seed: 7)
  private var inputEnded = false
  private(set) var isDone = false
  private(set) var queuedMax = 0

  init(loop: EventLoop, socket: StreamSocket) {
    self.loop = loop
    self.socket = socket
    queue = ByteQueue(pool: loop.pool)
    socket.delegate = self
  }

  func socketIsReady(_ socket: StreamSocket) {
    var moved = true
    while moved { moved = [writeSome(), readSome()].contains(true) }
    if inputEnded, queue.isEmpty, !isDone {
      isDone = true
      socket.shutdownWrite()
    }
  }

  private func readSome() -> Bool {
    let room = Echo.queuedBytesMax - queue.count
    guard socket.isReadable, !inputEnded, room > 0 else { return false }
    switch socket.read(upTo: Int.random(in: 1...min(room, 100_000), using: &random)) {
    case .bytes(let count):
      queue.append(loop.readBuffer, 0..<count)
      queuedMax = max(queuedMax, queue.count)
    case .end: inputEnded = true
    case .wouldBlock: return false
    case .failed(let code): Issue.record("read: \(LoopError.message(for: code))")
    }
    return true
  }

  private func writeSome() -> Bool {
    guard socket.isWritable, !queue.isEmpty else { return false }
    switch socket.write(&queue, upTo: Int.random(in: 1...200_000, using: &random)) {
    case .wrote(let count): return count > 0
    case .wouldBlock: return false
    case .failed(let code):
      Issue.record("write: \(LoopError.message(for: code))")
      return false
    }
  }
}

/// Sends numbered bytes in odd sizes, checks that the same come back, and now and then doesn't read for a while.
private final class Talker: StreamSocketDelegate {
  static let total = 20_000_000

  private let loop: EventLoop
  private let socket: StreamSocket
  private var random = TestGenerator(seed: 3)
  private var sent = 0
  private(set) var received = 0
  private(set) var isDone = false
  private var isPaused = false
  private lazy var wakeUp = LoopTimer(loop: loop) { [unowned self] in
    isPaused = false
    socketIsReady(socket)
  }

  init(loop: EventLoop, socket: StreamSocket) {
    self.loop = loop
    self.socket = socket
    socket.delegate = self
  }

  func socketIsReady(_ socket: StreamSocket) {
    send()
    while socket.isReadable, !isPaused, !isDone { receive() }
  }

  private func send() {
    while socket.isWritable, sent < Talker.total {
      let count = min(Int.random(in: 1...90_001, using: &random), Talker.total - sent)
      guard case .wrote(let written) = socket.write(Pattern.bytes(sent..<sent + count)) else { return }
      sent += written
      if sent == Talker.total { socket.shutdownWrite() }
    }
  }

  private func receive() {
    switch socket.read(upTo: Int.random(in: 1...ReadBuffer.capacity, using: &random)) {
    case .bytes(let count):
      let same = loop.readBuffer.copy(0..<count) == Pattern.bytes(received..<received + count)
      #expect(same, "the bytes differ after \(received)")
      received += count
      if Int.random(in: 0..<50, using: &random) == 0 {
        isPaused = true
        wakeUp.arm(at: loop.now + 500_000)
      }
    case .end: isDone = true
    case .wouldBlock: break
    case .failed(let code):
      Issue.record("read: \(LoopError.message(for: code))")
      isDone = true
    }
  }
}

@Suite struct EchoTests {
  @Test func twentyMegabytesComeBackWhole() throws {
    let loop = try EventLoop()
    let pair = try SocketPair(loop: loop)
    let echo = Echo(loop: loop, socket: pair.server)
    let talker = Talker(loop: loop, socket: pair.client)
    loop.later {
      echo.socketIsReady(pair.server)
      talker.socketIsReady(pair.client)
    }
    try loop.runUntil(seconds: 60) { talker.isDone }
    #expect(talker.received == Talker.total)
    #expect(echo.isDone)
    #expect(echo.queuedMax > 0 && echo.queuedMax <= 300_000)
    #expect(loop.pool.bytesOutstanding == 0)
  }
}
