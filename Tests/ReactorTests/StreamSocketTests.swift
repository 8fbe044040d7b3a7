import LoopTesting
import Testing

@testable import Reactor

import CLibevent

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct StreamSocketTests {
  /// Reads until it would block and keeps what came.
  private static func collect(_ socket: StreamSocket, _ loop: EventLoop, into bytes: inout [UInt8])
    -> StreamSocket.ReadOutcome
  {
    while true {
      let outcome = socket.read(upTo: ReadBuffer.capacity)
      guard case .bytes(let count) = outcome else { return outcome }
      bytes += loop.readBuffer.copy(0..<count)
    }
  }

  @Test func halfCloseWorksBothWays() throws {
    let loop = try EventLoop()
    for clientFirst in [true, false] {
      let pair = try SocketPair(loop: loop)
      let (one, other) = clientFirst ? (pair.client, pair.server) : (pair.server, pair.client)
      #expect(one.write([1, 2, 3]) == .wrote(3))
      one.shutdownWrite()
      try loop.runUntil { other.isReadable }
      #expect(other.read(upTo: 100) == .bytes(3))
      try loop.runUntil { other.isReadable && other.read(upTo: 100) == .end }
      #expect(other.read(upTo: 100) == .end, "the end can be seen again")
      // The other direction is still open.
      #expect(other.write([4, 5]) == .wrote(2))
      try loop.runUntil { one.isReadable }
      #expect(one.read(upTo: 100) == .bytes(2))
      #expect(loop.readBuffer.copy(0..<2) == [4, 5])
      #expect(one.read(upTo: 100) == .wouldBlock)
      #expect(!one.isReadable)
      other.shutdownWrite()
      try loop.runUntil { one.isReadable }
      #expect(one.read(upTo: 100) == .end)
    }
  }

  @Test func aResetIsSeenAsOne() throws {
    let loop = try EventLoop()
    let pair = try SocketPair(loop: loop)
    #expect(pair.server.read(upTo: 1) == .wouldBlock)
    pair.client.reset()
    #expect(!pair.client.isOpen)
    try loop.runUntil { pair.server.isReadable }
    #expect(pair.server.read(upTo: 100) == .failed(ECONNRESET))
    #expect(pair.server.write([1]) == .failed(ECONNRESET), "the first reason is kept")
    #expect(pair.server.pendingError() == ECONNRESET)
  }

  /// The trap of edge-triggered sockets: data and reset in one event, and a reader content with a short read.
  @Test func aResetRightBehindDataIsNotLost() throws {
    let loop = try EventLoop()
    let pair = try SocketPair(loop: loop)
    _ = pair.client.write([1, 2, 3])
    pair.client.reset()
    try loop.runUntil { pair.server.isReadable }
    #expect(pair.server.read(upTo: 100) == .bytes(3))
    #expect(pair.server.isReadable)
    #expect(pair.server.read(upTo: 100) == .failed(ECONNRESET))
  }

  @Test func aResetIsNoticedWhileNotReading() throws {
    let loop = try EventLoop()
    let pair = try SocketPair(loop: loop)
    _ = pair.client.write([1, 2, 3])
    let delegate = OnReady()
    var error: Int32 = 0
    delegate.handler = { error = $0.pendingError() }
    pair.server.delegate = delegate
    try loop.runUntil { pair.server.isReadable }
    #expect(error == 0)
    pair.client.reset()
    try loop.runUntil { error != 0 }
    #expect(error == ECONNRESET)
    // What had arrived is still there, and the end isn't taken for a good one.
    #expect(pair.server.read(upTo: 100) == .bytes(3))
    #expect(pair.server.read(upTo: 100) == .failed(ECONNRESET))
  }

  #if os(Linux)
    @Test func anEndIsNoticedWhileNotReading() throws {
      let loop = try EventLoop()
      #expect(loop.reportsEarlyClose)
      let pair = try SocketPair(loop: loop)
      _ = pair.client.write([1, 2, 3])
      try loop.runUntil { pair.server.isReadable }
      #expect(!pair.server.peerClosed)
      pair.client.shutdownWrite()
      try loop.runUntil { pair.server.peerClosed }
      #expect(pair.server.read(upTo: 100) == .bytes(3))
    }
  #endif

  @Test func aRefusedConnectIsSeenWhenWritable() throws {
    let loop = try EventLoop()
    let address = try Listener(loop: loop, address: .loopback()).localAddress
    let socket = try StreamSocket(loop: loop, connectingTo: address)
    try loop.runUntil { socket.isWritable }
    #expect(socket.pendingError() == ECONNREFUSED)
    #expect(socket.peerAddress == address)
  }

  @Test func mayBeDroppedByItsDelegate() throws {
    let loop = try EventLoop()
    let listener = try Listener(loop: loop, address: .loopback())
    var accepted: [StreamSocket] = []
    let delegate = OnReady()
    delegate.handler = { _ in accepted = [] }
    listener.onAccept = { connection in
      guard let socket = try? StreamSocket(loop: loop, accepted: connection) else { return }
      socket.delegate = delegate
      accepted.append(socket)
    }
    // Two events may be active in one iteration: the first callback drops both sockets.
    let clients = [try RawSocket(to: listener.localAddress), try RawSocket(to: listener.localAddress)]
    try loop.runUntil { clients.allSatisfy { $0.receive() == 0 } }
  }

  @Test func closedSocketsAnswerQuietly() throws {
    let loop = try EventLoop()
    let pair = try SocketPair(loop: loop)
    pair.client.close()
    pair.client.close()
    pair.client.reset()
    pair.client.shutdownWrite()
    #expect(pair.client.read(upTo: 1) == .failed(EBADF))
    #expect(pair.client.write([1]) == .failed(EBADF))
    #expect(!pair.client.isReadable && !pair.client.isWritable)
    try loop.runUntil { pair.server.isReadable }
    #expect(pair.server.read(upTo: 1) == .end)
  }

  #if os(Linux)
    /// Each idle session keeps two of these; eight bytes more are sixteen for malloc.
    @Test func itIsSmall() throws {
      let pair = try SocketPair(loop: EventLoop())
      #expect(heapBytes(pair.client) <= 88)
      pair.client.close()
      pair.server.close()
    }
  #endif

  /// What has arrived is read before the loop has told of it.
  @Test func itCanBeAskedAnew() throws {
    let pair = try SocketPair(loop: EventLoop())
    #expect(pair.client.write([1, 2]) == .wrote(2))
    pair.client.close()
    #expect(!pair.server.isReadable)
    pair.server.lookAnew()
    #expect(pair.server.isReadable && pair.server.read(upTo: 9) == .bytes(2) && pair.server.read(upTo: 9) == .end)
    pair.server.close()
    pair.server.lookAnew()
    #expect(!pair.server.isReadable)
  }

  @Test func streamOptionsAreSet() throws {
    let loop = try EventLoop()
    var accepted: [Int32] = []
    let listener = try Listener(loop: loop, address: .loopback())
    listener.onAccept = { accepted.append($0.takeDescriptor().take()) }
    let client = try StreamSocket(loop: loop, connectingTo: listener.localAddress)
    try loop.runUntil { !accepted.isEmpty && client.isWritable }
    let socket = RawSocket(descriptor: accepted[0])
    #expect(socket.option(Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
    #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }
}

extension RawSocket {
  func option(_ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, level, name, &value, &length)
    return value
  }
}
