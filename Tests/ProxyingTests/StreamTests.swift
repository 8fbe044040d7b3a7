import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor
@testable import Settings

/// Somebody else in the line of those who want to move bytes.
private final class Waiting: TurnTaker {
  var onTurn: () -> Void = {}

  func takeTurn() { onTurn() }
}

/// One connection without toxics, at full rate: several reads make one write.
///
/// Millions of bytes are compared outside of expectations, which would tell of each that differs.
@Suite struct StreamTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// A server that sends all it has to whoever connects.
  private func source(_ bytes: [UInt8]) throws -> Upstream {
    try Upstream(bench.loop) { peer in
      peer.send(bytes)
      peer.finish()
    }
  }

  @Test func othersGetTheirTurnBehindEachGathering() throws {
    let bytes = payload(12_000_000)
    let upstream = try source(bytes)
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.connect(proxy)
    var (before, most) = (Int64(0), Int64(0))
    // Behind each turn of the loop, of which each has one of the session's at most.
    func look() {
      let now = proxy.counters.downstream.received
      (most, before) = (max(most, now - before), now)
      if !client.isOver { bench.loop.later(look) }
    }
    bench.loop.later(look)
    try bench.loop.runUntil { client.isOver }
    let isSame = client.received == bytes
    #expect(isSame)
    #expect(most > Int64(ReadBuffer.capacity), "it is read as a stream")
    #expect(most <= Int64(ReadBuffer.streamCapacity), "one gathering in a turn")
  }

  /// A turn is short while somebody waits for the next.
  @Test func whereOthersWaitEachReadIsWrittenByItself() throws {
    let bytes = payload(12_000_000)
    let upstream = try source(bytes)
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.connect(proxy)
    let other = Waiting()
    var (before, most) = (Int64(0), Int64(0))
    // It asks again in each of its turns, so that it waits behind the session's or comes next.
    other.onTurn = { [bench] in
      let now = proxy.counters.downstream.received
      (most, before) = (max(most, now - before), now)
      if !client.isOver { bench.loop.turns.append(other) }
    }
    bench.loop.turns.append(other)
    try bench.loop.runUntil { client.isOver }
    let isSame = client.received == bytes
    #expect(isSame)
    #expect((1...Int64(Session.roundsInARow * ReadBuffer.capacity)).contains(most))
  }

  @Test func forWhoDoesntReadNoMoreIsHeldThanALinkMay() throws {
    let bytes = payload(12_000_000)
    let upstream = try source(bytes)
    let proxy = try bench.create(upstream: upstream.address)
    let idle = try bench.connect(proxy, isReading: false)
    let busy = try bench.connect(proxy)
    var most = 0
    try bench.loop.runUntil { [bench] in
      most = max(most, bench.registry.sessions.map(\.bufferedBytes).max() ?? 0)
      return busy.isOver
    }
    #expect((1...bench.registry.limits.unsentBytes).contains(most))
    idle.isReading = true
    try bench.loop.runUntil { idle.isOver }
    let isSame = idle.received == bytes
    #expect(isSame)
    try bench.loop.runUntil { [bench] in bench.registry.bufferedBytes == 0 }
  }

  /// What a gathering left because the client didn't read comes before what the toxic holds, and that before the rest.
  @Test(arguments: [.latency(3), .bandwidth(50_000), .noop()] as [ToxicSpec])
  func aToxicThatComesAndGoesKeepsTheOrder(_ toxic: ToxicSpec) throws {
    let bytes = payload(12_000_000)
    let upstream = try source(bytes)
    let proxy = try bench.create(upstream: upstream.address)
    let client = try bench.connect(proxy, isReading: false)
    try bench.loop.runUntil { [bench] in bench.registry.bufferedBytes > 0 }
    try bench.registry.addToxic(toxic, to: "web")
    client.isReading = true
    try bench.loop.runUntil { client.received.count > 6_000_000 || client.isOver }
    try bench.registry.removeToxic(toxic.name, from: "web")
    try bench.loop.runUntil { client.isOver }
    let isSame = client.received == bytes
    #expect(isSame)
    #expect(client.isEnded)
  }

  @Test func aResetWithBytesHeldLeavesNone() throws {
    let upstream = try source(payload(12_000_000))
    let client = try bench.connect(bench.create(upstream: upstream.address), isReading: false)
    try bench.loop.runUntil { [bench] in bench.registry.bufferedBytes > 0 }
    client.reset()
    try bench.loop.runUntil { [bench] in bench.registry.sessions.isEmpty }
    #expect(bench.registry.bufferedBytes == 0)
    #expect(bench.reasons() == ["client_reset"])
    try bench.loop.runUntil { upstream.peers.allSatisfy { $0.failure != nil } }
  }
}
