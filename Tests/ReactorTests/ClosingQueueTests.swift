import LoopTesting
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct ClosingQueueTests {
  /// Connected sockets whose descriptors belong to nobody else, and their other ends.
  private final class Connections {
    let ours: [Int32]
    let peers: [RawSocket]

    init(_ count: Int) throws {
      let loop = try EventLoop()
      var accepted: [Int32] = []
      let listener = try Listener(loop: loop, address: .loopback())
      listener.onAccept = { (socket: consuming AcceptedSocket) in accepted.append(socket.takeDescriptor().take()) }
      peers = try (0..<count).map { _ in try RawSocket(to: listener.localAddress) }
      try loop.runUntil { accepted.count == count }
      ours = accepted
    }

    /// Which are still connected, as the peers see it; their order is that of the connections.
    var open: [Int] { peers.indices.filter { peers[$0].receive() == -Int(EAGAIN) } }
  }

  @Test func aFewAreClosedAtOnceAndSeeAReset() throws {
    let connections = try Connections(3)
    let queue = ClosingQueue()
    for descriptor in connections.ours { queue.reset(descriptor, .behindThose) }
    #expect(queue.isEmpty && queue.deferrals == 0)
    #expect(connections.peers.map { $0.receive() } == Array(repeating: -Int(ECONNRESET), count: 3))
  }

  /// With no time to speak of one is closed in each turn, those that come first before the others.
  @Test func whatDoesNotFitIntoATurnIsClosedInTheNextOnes() throws {
    let connections = try Connections(7)
    let queue = ClosingQueue(turnNanoseconds: 1)
    for (number, descriptor) in connections.ours.enumerated() {
      queue.reset(descriptor, number % 2 == 0 ? .behindThose : .first)
    }
    #expect(connections.open == [1, 2, 3, 4, 5, 6] && queue.deferrals == 6)
    for expected in [[1, 2, 3, 4, 6], [1, 2, 4, 6], [2, 4, 6], [2, 4], [2], []] {
      queue.takeTurn()
      #expect(connections.open == expected)
    }
    #expect(queue.isEmpty)
  }

  @Test func whoWaitsHearsAtTheEndOrInTime() throws {
    let connections = try Connections(3)
    let queue = ClosingQueue(turnNanoseconds: 1)
    var heard: [String] = []
    queue.whenEmpty(before: 0) { heard.append("nothing to wait for") }
    for descriptor in connections.ours { queue.reset(descriptor, .first) }
    queue.whenEmpty(before: .max) { heard.append("end") }
    queue.whenEmpty(before: EventLoop.clock) { heard.append("in time") }
    #expect(heard == ["nothing to wait for"])
    queue.takeTurn()
    #expect(heard == ["nothing to wait for", "in time"])
    queue.takeTurn()
    #expect(heard == ["nothing to wait for", "in time", "end"])
  }

  @Test func theEndOfTheLoopIsTheEndOfThoseThatWait() throws {
    let connections = try Connections(4)
    do {
      let queue = ClosingQueue(turnNanoseconds: 1)
      for descriptor in connections.ours { queue.reset(descriptor, .first) }
    }
    #expect(connections.open.isEmpty)
  }

  /// A socket that waits to be closed reads and writes nothing, and its event is gone.
  @Test func aSocketThatWaitsIsDeaf() throws {
    let loop = try EventLoop()
    let pairs = try (0..<200).map { _ in try SocketPair(loop: loop) }
    let ready = OnReady()
    var woken = 0
    ready.handler = { _ in woken += 1 }
    for pair in pairs {
      pair.server.delegate = ready
      pair.server.reset()
      #expect(!pair.server.isOpen && pair.server.read(upTo: 1) == .failed(EBADF))
      #expect(pair.server.write([1]) == .failed(EBADF))
    }
    try loop.runUntil { pairs.allSatisfy { $0.client.pendingError() == ECONNRESET } }
    #expect(woken == 0)
  }
}
