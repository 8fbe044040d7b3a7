import LoopTesting
import Testing

@testable import Reactor

import CLibevent

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a socket does without as long as it is young, and what it holds back.
@Suite struct YoungSocketTests {
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  @Test func socketsThatLastAreKeptAlive() throws {
    let nursery = Nursery(loop: loop, periodNanoseconds: 2_000_000)
    loop.nursery = nursery
    let pair = try SocketPair(loop: loop)
    try loop.runUntil { isKeptAlive(pair.client) && isKeptAlive(pair.server) }
    #expect(nursery.count == 0)
    #if os(Linux)
      let tcp = Int32(IPPROTO_TCP)
      for socket in [pair.client, pair.server] {
        #expect(option(socket, tcp, TCP_KEEPIDLE) == 15 && option(socket, tcp, TCP_KEEPINTVL) == 15)
      }
    #endif
  }

  @Test func aYoungSocketIsNot() throws {
    let pair = try SocketPair(loop: loop)
    #expect(!isKeptAlive(pair.client) && !isKeptAlive(pair.server))
    #expect(loop.nursery?.count == 2)
    pair.client.close()
    pair.server.reset()
    #expect(loop.nursery?.count == 0)
  }

  /// From the second write on a small piece doesn't wait for the acknowledgement of the one before.
  @Test func nothingIsHeldBackFromTheSecondWriteOn() throws {
    let pair = try SocketPair(loop: loop)
    for _ in 0..<2 { #expect(pair.client.write([1]) == .wrote(1)) }
    #expect(pair.server.write([1]) == .wrote(1))
    #expect(option(pair.client, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
    #expect(option(pair.server, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
  }

  #if os(Linux)
    /// On loopback what is sent is there at once.
    @Test func lastBytesGoOutWithTheEnd() throws {
      let pair = try SocketPair(loop: loop)
      let peer = RawSocket(descriptor: dup(pair.server.descriptor))
      #expect(writeLast(pair.client) == .wrote(3))
      #expect(peer.receive() == -Int(EAGAIN))
      pair.client.shutdownWrite()
      #expect((0..<4).map { _ in peer.receive() } == [1, 1, 1, 0])
    }

    @Test func lastBytesGoOutBeforeAReset() throws {
      let pair = try SocketPair(loop: loop)
      let peer = RawSocket(descriptor: dup(pair.server.descriptor))
      #expect(writeLast(pair.client) == .wrote(3))
      pair.client.reset()
      #expect((0..<4).map { _ in peer.receive() } == [1, 1, 1, -Int(ECONNRESET)])
    }

    @Test func bytesBehindLastOnesTakeThemAlong() throws {
      let pair = try SocketPair(loop: loop)
      let peer = RawSocket(descriptor: dup(pair.server.descriptor))
      #expect(writeLast(pair.client) == .wrote(3))
      #expect(pair.client.write([4]) == .wrote(1))
      #expect((0..<5).map { _ in peer.receive() } == [1, 1, 1, 1, -Int(EAGAIN)])
    }

    private func writeLast(_ socket: StreamSocket) -> StreamSocket.WriteOutcome {
      socket.write(0..<3, isLast: true)
    }
  #endif

  private func isKeptAlive(_ socket: StreamSocket) -> Bool {
    option(socket, SOL_SOCKET, SO_KEEPALIVE) != 0
  }

  private func option(_ socket: StreamSocket, _ level: Int32, _ name: Int32) -> Int32 {
    RawSocket(descriptor: dup(socket.descriptor)).option(level, name)
  }

  #if os(Linux)
    /// The end was to follow, and is held back by conditions that came in between.
    @Test func whatIsHeldBackGoesOutWhenAsked() throws {
      let pair = try SocketPair(loop: loop)
      loop.readBuffer.load([1, 2, 3])
      #expect(pair.client.write(0..<3, isLast: true) == .wrote(3))
      #expect(pair.client.holdsBack && unsentBytes(pair.client) == 3)
      pair.client.letGo()
      #expect(!pair.client.holdsBack && unsentBytes(pair.client) == 0)
      try loop.runUntil { pair.server.isReadable }
      #expect(pair.server.read(upTo: 9) == .bytes(3))
      pair.client.letGo()
    }

    /// Written, and not sent yet. Like ioctl(SIOCOUTQNSD).
    private func unsentBytes(_ socket: StreamSocket) -> Int32 {
      var count: Int32 = 0
      let request: UInt = 0x894B
      return ioctl(socket.descriptor, request, &count) == 0 ? count : -1
    }
  #endif
}
