import LoopTesting
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// The system's buffers are bounded while a path is modelled, and only then.
@Suite struct PathBufferTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private let slow = PathSpec(
    latencyMilliseconds: 20, downstreamBytesPerSecond: 200_000, upstreamBytesPerSecond: 200_000)

  /// Of the client's and the upstream's socket.
  private func sizes(_ session: Session) throws -> [Int] {
    [try #require(session.clientSocket), try #require(session.upstreamSocket)].map(\.receiveBufferBytes)
  }

  @Test func buffersFollowTheModel() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let first = try bench.openClient(proxy)
    let session = try #require(bench.registry.sessions.first)
    // Much traffic, and the system gives it more.
    first.send(payload(8_000_000))
    try bench.loop.runUntil { first.received.count > 8_000_000 || first.isOver }
    let grown = try sizes(session)
    #expect(grown.contains { $0 > 2 * Session.receiveBufferBytes })
    try bench.use(slow)
    // What may have been offered to a peer by now keeps its room.
    #expect(try zip(sizes(session), grown).allSatisfy { $0 == $1 || $0 <= 2 * Session.receiveBufferBytes })
    // A new one from the beginning, and however much it moves.
    var fast = slow
    (fast.downstreamBytesPerSecond, fast.upstreamBytesPerSecond) = (20_000_000, 20_000_000)
    try bench.use(fast)
    let second = try bench.openClient(proxy)
    second.send(payload(4_000_000))
    try bench.loop.runUntil { second.received.count > 4_000_000 || second.isOver }
    #expect(try sizes(bench.registry.sessions[1]).allSatisfy { $0 <= 2 * Session.receiveBufferBytes })
    #expect(session.hasBoundBuffers)
    bench.registry.profile.set(nil, cause: .cleared)
    #expect(!session.hasBoundBuffers && !first.isOver && !second.isOver)
    // The system may give it more again.
    try bench.loop.runUntil { first.received.count == 8_000_005 || first.isOver }
    first.send(payload(8_000_000))
    try bench.loop.runUntil { first.received.count == 16_000_005 || first.isOver }
    #expect(try sizes(session).contains { $0 > 2 * Session.receiveBufferBytes })
  }

  @Test func aPlainPathLeavesThemAlone() throws {
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.openClient(proxy)
    let session = try #require(bench.registry.sessions.first)
    let free = try sizes(session)
    try bench.use(PathSpec(latencyMilliseconds: 20, upstreamBytesPerSecond: 200_000, model: .plain))
    #expect(try sizes(session) == free && !session.hasBoundBuffers && !client.isOver)
  }

  /// Without bounded segments the client's system takes 4 MB at once. `buffersFollowTheModel` sees to the receive buffer.
  @Test func anUploadIsFeltWhereItBegins() throws {
    try bench.use(slow)
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(listen: "\(freshLoopback):0", upstream: upstream.address)
    let client = try bench.connect(proxy)
    let chunk = [UInt8](repeating: 7, count: 16_384)
    var taken = 0
    let start = bench.loop.now
    while bench.loop.now - start < 250_000_000 {
      while client.socket.isWritable, case .wrote(let count) = client.socket.write(chunk) { taken += count }
      bench.loop.run(forMilliseconds: 5)
    }
    let sent = try #require(bench.registry.sessions.first).upstreamBytes
    #expect(taken < 1_000_000, "\(taken), of which \(sent) have arrived")
  }

  /// Many segments, none of ours: what passes under no model is as fast as ever.
  @Test func afterThePathTransfersAreFastAgain() throws {
    let size = 20_000_000
    let upstream = try Upstream(bench.loop) { peer in
      peer.onBytes = { [unowned peer] bytes in if bytes == Array("go".utf8) { peer.send(payload(size)) } }
    }
    try bench.use(slow)
    let client = try bench.connect(bench.create(upstream: upstream.address))
    try bench.loop.runUntil { bench.registry.sessions.first?.state == .open }
    bench.registry.profile.set(nil, cause: .cleared)
    client.send("go")
    try bench.loop.runUntil { client.received.count == size || client.isOver }
    #expect(client.received.count == size)
  }
}
