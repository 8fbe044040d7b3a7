import LoopTesting
import Testing

@testable import Reactor

/// What the system takes ahead of us, asked of the system and seen in what it does.
@Suite struct SocketBufferTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private final class Server {
    let listener: Listener
    var sockets: [StreamSocket] = []
    let delegate = Deaf()

    init(_ loop: EventLoop) throws {
      let address = try #require(SocketAddress(literal: freshLoopback, port: 0))
      listener = try Listener(loop: loop, address: address)
      listener.onAccept = { [unowned self] (accepted: consuming AcceptedSocket) in
        guard let socket = try? StreamSocket(loop: loop, accepted: accepted) else { return }
        socket.delegate = delegate
        sockets.append(socket)
      }
    }
  }

  private final class Deaf: StreamSocketDelegate {
    func socketIsReady(_ socket: StreamSocket) {}
  }

  /// A connection whose server reads nothing.
  private func connect(_ server: Server, _ deaf: Deaf) throws -> StreamSocket {
    let client = try StreamSocket(loop: loop, connectingTo: server.listener.localAddress)
    client.delegate = deaf
    let count = server.sockets.count
    try loop.runUntil { client.isWritable && server.sockets.count > count }
    return client
  }

  /// Bytes that the client's system takes while nobody reads.
  private func swallowed(by client: StreamSocket) throws -> Int {
    let chunk = [UInt8](repeating: 7, count: 65_536)
    var taken = 0
    // What it takes grows for some round trips.
    for _ in 0..<30 {
      while client.isWritable, case .wrote(let count) = client.write(chunk) { taken += count }
      loop.run(forMilliseconds: 5)
    }
    return taken
  }

  @Test func aBoundIsKeptAndGivenUpAgain() throws {
    let (server, deaf) = (try Server(loop), Deaf())
    let client = try connect(server, deaf)
    let socket = server.sockets[0]
    let before = socket.receiveBufferBytes
    socket.boundReceiveBuffer(to: 16_384)
    #expect((16_384...32_768).contains(socket.receiveBufferBytes))
    #expect(before > 32_768)
    socket.unboundReceiveBuffer()
    // It grows with what is read.
    let chunk = [UInt8](repeating: 7, count: 65_536)
    try loop.runUntil {
      while client.isWritable, case .wrote = client.write(chunk) {}
      while socket.isReadable, case .bytes = socket.read(upTo: ReadBuffer.capacity) {}
      return socket.receiveBufferBytes > 32_768
    }
  }

  #if os(Linux)
    /// Its system would drop what the peer sends within that, and the peer would try again after ever longer times.
    @Test func whatThePeerWasOfferedKeepsItsRoom() throws {
      let (server, deaf) = (try Server(loop), Deaf())
      let client = try connect(server, deaf)
      let socket = server.sockets[0]
      let chunk = [UInt8](repeating: 7, count: 65_536)
      try loop.runUntil {
        while client.isWritable, case .wrote = client.write(chunk) {}
        while socket.isReadable, case .bytes = socket.read(upTo: ReadBuffer.capacity) {}
        return socket.receiveBufferBytes > 300_000
      }
      let grown = socket.receiveBufferBytes
      socket.boundReceiveBuffer(to: 16_384)
      #expect(socket.receiveBufferBytes == grown)
      for _ in 0..<200 {
        while client.isWritable, case .wrote = client.write(chunk) {}
        while socket.isReadable, case .bytes = socket.read(upTo: ReadBuffer.capacity) {}
        loop.run(forMilliseconds: 1)
      }
      #expect(socket.receiveBufferBytes == grown, "it grows no more")
    }
  #endif

  @Test func aBoundedSenderFeelsThatNobodyReads() throws {
    let (server, deaf) = (try Server(loop), Deaf())
    let free = try swallowed(by: connect(server, deaf))
    #expect(free > 1_000_000)
    server.listener.boundSegments(to: Listener.ordinarySegmentBytes)
    let withSegments = try swallowed(by: connect(server, deaf))
    let client = try connect(server, deaf)
    server.sockets[2].boundReceiveBuffer(to: 16_384)
    let bounded = try swallowed(by: client)
    #expect(bounded < 700_000 && bounded < free / 2, "\(bounded) of \(free)")
    #expect(bounded < withSegments, "the receive buffer's part")
    server.listener.boundSegments(to: nil)
    #expect(try swallowed(by: connect(server, deaf)) > 1_000_000)
  }

  @Test func aClosedSocketIsLeftAlone() throws {
    let (server, deaf) = (try Server(loop), Deaf())
    let client = try connect(server, deaf)
    client.close()
    client.boundReceiveBuffer(to: 16_384)
    client.unboundReceiveBuffer()
    #expect(client.receiveBufferBytes == 0)
    server.listener.close()
    server.listener.boundSegments(to: 1_460)
  }
}
