import Conditioning
import Settings
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor

@Suite struct LimitsTests {
  private func limits(_ change: (inout Limits) -> Void) -> Limits {
    var limits = Limits()
    change(&limits)
    return limits
  }

  // MARK: Sessions

  @Test func aFullTablePausesEveryListener() throws {
    let bench = try Bench(limits { $0.sessions = 2 })
    let upstream = try Upstream.echo(bench.loop)
    let (a, b) = (try bench.create("a", upstream: upstream.address), try bench.create("b", upstream: upstream.address))
    let first = try bench.openClient(a)
    let second = try bench.openClient(a)
    let waiting = try [a, b, b].map { try bench.connect($0) }
    for client in waiting { client.send("hello") }
    bench.loop.run(forMilliseconds: 30)
    #expect(bench.registry.sessions.count == 2)
    #expect(waiting.allSatisfy { !$0.isOver && $0.received.isEmpty })
    first.close()
    try bench.loop.runUntil { waiting.filter { $0.text == "hello" }.count == 1 }
    #expect(bench.registry.sessions.count == 2)
    second.close()
    for number in 2...3 {
      try bench.loop.runUntil { waiting.filter { $0.text == "hello" }.count == number }
      waiting.first { $0.text == "hello" && $0.socket.isOpen }?.close()
    }
    #expect(waiting.allSatisfy { $0.text == "hello" })
  }

  // MARK: Memory

  /// The most that the links held at any moment while `condition` came true.
  private func mostBuffered(_ bench: Bench, until condition: @escaping () -> Bool) throws -> Int {
    var most = 0
    try bench.loop.runUntil {
      most = max(most, bench.registry.bufferedBytes)
      return condition()
    }
    return most
  }

  @Test(arguments: [[], [.noop()], [.latency(2)], [.bandwidth(100_000)]] as [[ToxicSpec]])
  func whoDoesntReadHoldsUpItsSenderOnly(_ toxics: [ToxicSpec]) throws {
    let bench = try Bench(
      limits {
        $0.unsentBytes = 64 << 10
        $0.linkBytes = 1 << 20
      })
    let bytes = payload(12_000_000)
    let upstream = try Upstream(bench.loop) { peer in
      peer.send(bytes)
      peer.finish()
    }
    let proxy = try bench.create(upstream: upstream.address, toxics: toxics)
    let idle = try bench.connect(proxy, isReading: false)
    let busy = try bench.connect(proxy)
    try bench.loop.runUntil { busy.isOver }
    #expect(busy.received == bytes)
    // Bytes under delay count for the link's cap only; those that were become unsent all the same.
    let isDelayed = toxics.contains { $0.type != .noop }
    let session = try #require(bench.registry.sessions.first)
    #expect((1...(isDelayed ? 1 << 20 : (64 << 10) + ReadBuffer.capacity)).contains(session.bufferedBytes))
    idle.isReading = true
    try bench.loop.runUntil { idle.isOver }
    #expect(idle.received == bytes)
    try bench.loop.runUntil { bench.registry.bufferedBytes == 0 }
  }

  @Test func aLinkHoldsNoMoreThanItsCap() throws {
    let bench = try Bench(limits { $0.linkBytes = 32 << 10 })
    let upstream = try Upstream.echo(bench.loop)
    let client = try bench.connect(bench.create(upstream: upstream.address, toxics: [.latency(3)]))
    let bytes = payload(400_000)
    client.send(bytes)
    client.finish()
    var most = 0
    try bench.loop.runUntil {
      most = max(most, bench.registry.sessions.map(\.bufferedBytes).max() ?? 0)
      return client.isOver
    }
    #expect(client.received == bytes)
    #expect((1...32 << 10).contains(most))
  }

  @Test(arguments: [[], [.noop()], [.latency(2), .latency(2, .upstream)], [.bandwidth(20_000)]] as [[ToxicSpec]])
  func aShortageSlowsAllAndStopsNone(_ toxics: [ToxicSpec]) throws {
    let bench = try Bench(
      limits {
        $0.processBytes = 64 << 10
        $0.linkBytes = 48 << 10
        $0.unsentBytes = 16 << 10
      })
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address, toxics: toxics)
    let bytes = payload(300_000)
    let clients = try (0..<8).map { _ in try bench.connect(proxy) }
    for client in clients {
      client.send(bytes)
      client.finish()
    }
    let most = try mostBuffered(bench) {
      #expect(bench.registry.tables[0].waitingForMemory.count <= 8)
      return clients.allSatisfy(\.isOver)
    }
    #expect(clients.allSatisfy { $0.isEnded && $0.received == bytes })
    // The cap, one read beyond it, and 16 KiB for each link that held nothing; blocks are up to twice what they hold.
    #expect(most <= 2 * ((64 << 10) + ReadBuffer.capacity + 16 * (16 << 10)))
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.registry.bufferedBytes == 0)
  }

  /// Those who hold the memory don't read; whoever holds nothing still gets through.
  @Test func aShortageThatLastsLetsOthersThrough() throws {
    let bench = try Bench(limits { $0.processBytes = 256 << 10 })
    let bytes = payload(8_000_000)
    let source = try Upstream(bench.loop) { $0.send(bytes) }
    let hoarders = try bench.create("hoarders", upstream: source.address, toxics: [.noop()])
    let stuck = try (0..<8).map { _ in try bench.connect(hoarders, isReading: false) }
    try bench.loop.runUntil { bench.registry.tables[0].isMemoryShort }
    let echo = try Upstream.echo(bench.loop)
    let client = try bench.connect(bench.create(upstream: echo.address, toxics: [.latency(1)]))
    let some = payload(200_000, seed: 3)
    client.send(some)
    client.finish()
    try bench.loop.runUntil { client.isOver }
    #expect(client.received == some)
    for peer in stuck { peer.isReading = true }
    try bench.loop.runUntil { stuck.allSatisfy { $0.received.count == bytes.count } }
    #expect(stuck.allSatisfy { $0.received == bytes })
  }

  /// Its own bytes are an hour away, so nothing but the returned memory can make it read on.
  @Test func whoStoppedForWantOfMemoryReadsOnWhenItIsBack() throws {
    let bench = try Bench(limits { $0.processBytes = 256 << 10 })
    let hoard = try Upstream(bench.loop) { $0.send(payload(1_000_000)) }
    let late = ToxicSpec.latency(3_600_000)
    let hoarder = try bench.connect(bench.create("hoarder", upstream: hoard.address, toxics: [late]))
    try bench.loop.runUntil { bench.registry.tables[0].isMemoryShort }
    let source = try Upstream(bench.loop) { $0.send(payload(100_000)) }
    let client = try bench.connect(bench.create(upstream: source.address, toxics: [late]))
    try bench.loop.runUntil { bench.registry.tables[0].waitingForMemory.count == 2 }
    hoarder.reset()
    try bench.loop.runUntil { bench.registry.sessions.contains { $0.bufferedBytes == 100_000 } }
    withExtendedLifetime(client) {}
  }

  @Test func memoryIsBackWhenItsHoldersAreReset() throws {
    let bench = try Bench()
    let source = try Upstream(bench.loop) { $0.send(payload(4_000_000)) }
    let proxy = try bench.create(upstream: source.address, toxics: [.latency(3_600_000)])
    let clients = try (0..<4).map { _ in try bench.connect(proxy) }
    try bench.loop.runUntil { bench.registry.bufferedBytes >= 16_000_000 }
    for client in clients { client.reset() }
    try bench.loop.runUntil { bench.registry.bufferedBytes == 0 }
    try bench.registry.delete("web")
    #expect(bench.registry.sessions.isEmpty)
  }
}
