import LoopTesting
import Testing

@testable import Reactor

import CLibevent

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Further loops on threads of their own, held by the one that decides.
@Suite struct LoopCrewTests {
  /// Loop-confined; whoever holds its loop may use it.
  private final class Counter {
    var count = 0
  }

  /// Counts on its loop as fast as it can.
  private final class Busy: TurnTaker {
    let counter: Counter
    let loop: EventLoop

    init(_ counter: Counter, _ loop: EventLoop) { (self.counter, self.loop) = (counter, loop) }

    func takeTurn() {
      counter.count += 1
      loop.turns.append(self)
    }
  }

  /// What runs on the others stands still while they are held, and goes on afterwards; what the holder wrote is there.
  @Test func theOthersRestWhileTheyAreHeld() throws {
    let loop = try EventLoop()
    let crew = try LoopCrew(loop: loop, count: 3)
    #expect(crew.loops.count == 3 && crew.loops[0] === loop && !crew.isOne)
    let counters = (0..<2).map { _ in Counter() }
    for (counter, other) in zip(counters, crew.loops.dropFirst()) { other.turns.append(Busy(counter, other)) }
    try crew.start()
    var before = [0, 0]
    for _ in 0..<50 {
      crew.hold()
      #expect(crew.mayUseAll)
      let now = counters.map(\.count)
      for _ in 0..<1_000 where counters.map(\.count) != now { Issue.record("a held loop went on") }
      for (counter, count) in zip(counters, before) { #expect(counter.count >= count) }
      for counter in counters { counter.count += 1_000_000 }
      before = counters.map(\.count)
      // The end of the iteration lets them go.
      try loop.runUntil { !crew.mayUseAll }
    }
    crew.stop()
    #expect(counters.allSatisfy { $0.count > 50_000_000 })
  }

  @Test func holdingTwiceIsHoldingOnce() throws {
    let loop = try EventLoop()
    let crew = try LoopCrew(loop: loop, count: 2)
    try crew.start()
    var told: [Bool] = []
    crew.onHold = { told.append($0) }
    crew.hold()
    crew.hold()
    #expect(told == [true])
    try loop.runUntil { !crew.mayUseAll }
    #expect(told == [true, false])
    crew.stop()
    crew.stop()
    #expect(told == [true, false, true] && crew.mayUseAll)
  }

  /// With one loop there is nothing to hold.
  @Test func oneLoopIsAlwaysHeld() throws {
    let loop = try EventLoop()
    let crew = try LoopCrew(loop: loop, count: 1)
    try crew.start()
    crew.onHold = { _ in Issue.record("nobody to hold") }
    crew.hold()
    #expect(crew.isOne && crew.mayUseAll)
    crew.stop()
  }

  /// A timer that the holder arms on a resting loop fires there.
  @Test func whatTheHolderArmsFires() throws {
    let loop = try EventLoop()
    let crew = try LoopCrew(loop: loop, count: 2)
    let other = crew.loops[1]
    let receiver = try MailboxReceiver(loop: loop, state: Counter())
    let mailbox = receiver.mailbox
    let heard = Counter()
    let owner = try MailboxReceiver(loop: loop, state: heard)
    let back = owner.mailbox
    try crew.start()
    crew.hold()
    let timer = LoopTimer(loop: other) { back.post { $0.count += 1 } }
    timer.arm(at: other.now + 1_000_000)
    try loop.runUntil { heard.count == 1 }
    crew.stop()
    withExtendedLifetime((timer, mailbox)) {}
  }
}

/// Sockets, listeners and bytes that go from one loop to another.
@Suite struct MovingTests {
  /// Both on this thread: what moves doesn't care whose they are.
  private let here: EventLoop
  private let there: EventLoop

  init() throws { (here, there) = (try EventLoop(), try EventLoop()) }

  @Test func bytesKeepTheirOrder() throws {
    var queue = ByteQueue(pool: here.pool)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
    queue.append(Array(bytes[..<100]))
    queue.append(Array(bytes[100...]))
    queue.discard(33)
    queue.move(to: there.pool)
    #expect(here.pool.bytesOutstanding == 0 && there.pool.bytesOutstanding > 299_000)
    #expect(queue.count == 299_967 && queue.copyFront(.max) == Array(bytes[33...]))
    queue.append([1, 2, 3])
    queue.removeAll()
    #expect(there.pool.bytesOutstanding == 0)
  }

  /// Who moves often would never be old enough for it.
  @Test func aYoungSocketThatMovesIsKeptAlive() throws {
    let pair = try SocketPair(loop: here)
    for socket in [pair.client, pair.server] {
      #expect(isKeptAlive(socket) == false)
      try socket.move(to: there)
      #expect(isKeptAlive(socket))
      socket.close()
    }
    #expect(here.nursery?.count == 0 && there.nursery?.count == 0)
  }

  private func isKeptAlive(_ socket: StreamSocket) -> Bool {
    RawSocket(descriptor: dup(socket.descriptor)).option(SOL_SOCKET, SO_KEEPALIVE) != 0
  }

  /// Bytes under way are told of on the new loop.
  @Test func aSocketHearsWhereItLives() throws {
    let pair = try SocketPair(loop: here)
    #expect(pair.client.write([1, 2, 3]) == .wrote(3))
    try pair.server.move(to: there)
    try there.runUntil { pair.server.isReadable }
    #expect(pair.server.read(upTo: 9) == .bytes(3) && there.readBuffer.copy(0..<3) == [1, 2, 3])
    pair.server.close()
    pair.client.close()
  }

  /// A dial goes on where it moves to, with what it has begun.
  @Test func aDialMoves() throws {
    let listener = try Listener(loop: here, address: .loopback())
    listener.onAccept = { (socket: consuming AcceptedSocket) in socket.reset() }
    let (one, other) = (try Resolver(loop: here), try Resolver(loop: there))
    var outcome: Result<StreamSocket, DialError>?
    let dial = Dialer(loop: here, resolver: one).dial(listener.localAddress) { outcome = $0 }
    #expect(dial.move(to: there, other))
    try there.runUntil { outcome != nil }
    let socket = try #require(try outcome?.get())
    socket.close()
    listener.close()
  }

  /// One that asks for a name asks again; one that is late already is so there.
  @Test func aLookupMoves() throws {
    let (one, other) = (try Resolver(loop: here), try Resolver(loop: there))
    var outcome: Result<StreamSocket, DialError>?
    let dial = Dialer(loop: here, resolver: one).dial(host: "localhost", service: "1") { outcome = $0 }
    #expect(dial.move(to: there, other))
    try there.runUntil { outcome != nil }
    #expect(throws: DialError.self) { try outcome?.get() }
    #expect(one.requestCount == 0 && other.requestCount == 0)
  }

  @Test func anEmptyQueueMovesToo() {
    var queue = ByteQueue(pool: here.pool)
    queue.move(to: there.pool)
    queue.append([7])
    #expect(there.pool.bytesOutstanding > 0 && here.pool.bytesOutstanding == 0)
    queue.removeAll()
  }

  /// What several pools cost together is known without asking each.
  @Test func poolsCountTogether() {
    let use = MemoryUse()
    for loop in [here, there] { loop.pool.share(use) }
    var one = ByteQueue(pool: here.pool)
    var other = ByteQueue(pool: there.pool)
    one.append([UInt8](repeating: 1, count: 5_000))
    other.append([UInt8](repeating: 1, count: 5_000))
    #expect(use.bytes == here.pool.bytesOutstanding + there.pool.bytesOutstanding && use.bytes > 10_000)
    one.move(to: there.pool)
    #expect(use.bytes == there.pool.bytesOutstanding)
    one.removeAll()
    other.removeAll()
    #expect(use.bytes == 0)
  }

  /// A listener takes its connections where it lives, those in the backlog, too.
  @Test func aListenerMoves() throws {
    let listener = try Listener(loop: here, address: SocketAddress(literal: "127.0.0.1", port: 0)!)
    var accepted = 0
    listener.onAccept = { (socket: consuming AcceptedSocket) in
      accepted += 1
      socket.reset()
    }
    let waiting = try StreamSocket(loop: here, connectingTo: listener.localAddress)
    listener.move(to: there)
    try there.runUntil { accepted == 1 }
    let second = try StreamSocket(loop: here, connectingTo: listener.localAddress)
    try there.runUntil { accepted == 2 }
    listener.close()
    withExtendedLifetime((waiting, second)) {}
  }

  /// Who is asked for room says whether a connection is taken.
  @Test func aListenerTakesNoneWithoutRoom() throws {
    let listener = try Listener(loop: here, address: SocketAddress(literal: "127.0.0.1", port: 0)!)
    var (room, asked, accepted) = (1, 0, 0)
    listener.onReserve = { [unowned listener] in
      asked += 1
      if room == 0 { listener.pause() }
      defer { room = max(0, room - 1) }
      return room > 0
    }
    listener.onNothing = { room += 1 }
    listener.onAccept = { (socket: consuming AcceptedSocket) in
      accepted += 1
      socket.reset()
    }
    let clients = try (0..<3).map { _ in try StreamSocket(loop: here, connectingTo: listener.localAddress) }
    try here.runUntil { asked == 2 }
    #expect(accepted == 1)
    room = 5
    listener.resume()
    try here.runUntil { accepted == 3 && room == 3 }
    listener.close()
    withExtendedLifetime(clients) {}
  }

  @Test func whoAskedForATurnIsForgotten() {
    final class Taker: TurnTaker {
      var turns = 0
      func takeTurn() { turns += 1 }
    }
    let queue = TurnQueue(nanoseconds: .max / 4)
    let takers = (0..<4).map { _ in Taker() }
    for taker in takers { queue.append(taker) }
    queue.remove { $0 === takers[1] || $0 === takers[3] }
    queue.serve()
    #expect(takers.map(\.turns) == [1, 0, 1, 0] && queue.isEmpty)
  }
}
