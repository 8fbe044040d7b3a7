import Conditioning
import Settings
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor

@Suite struct DrainTests {
  private func bench(timeoutMilliseconds: Double = 10_000) throws -> Bench {
    var limits = Limits()
    limits.drainTimeout = .milliseconds(timeoutMilliseconds)
    return try Bench(limits)
  }

  private func drain(_ bench: Bench, _ meanwhile: (Drain) -> Void = { _ in }) throws {
    var isDone = false
    let drain = bench.registry.drain { isDone = true }
    meanwhile(drain)
    try bench.loop.runUntil { isDone }
    withExtendedLifetime(drain) {}
    #expect(bench.registry.sessions.isEmpty)
  }

  @Test func withoutSessionsItIsOverAtOnce() throws { try drain(bench()) }

  /// Neither side of these had ended: an end would say that nothing is missing.
  @Test func deliversWhatIsHeldThenResets() throws {
    let bench = try bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let held = try bench.openClient(proxy)
    let idle = try bench.openClient(proxy)
    try bench.registry.addToxic(.latency(60), to: "web")
    held.send("held")
    try bench.loop.runUntil { bench.registry.sessions.contains { $0.bufferedBytes == 4 } }
    try drain(bench)
    try bench.loop.runUntil { held.isOver && idle.isOver && upstream.peers.allSatisfy(\.isOver) }
    #expect(held.text == "helloheld" && held.failure != nil)
    #expect(idle.failure != nil)
    #expect(upstream.peers.allSatisfy { $0.failure != nil })
  }

  @Test func takesNobodyNew() throws {
    let bench = try bench()
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let address = try bench.address(of: proxy)
    try drain(bench)
    #expect(throws: LoopError.self) {
      // Refused while it is made, or on the first event.
      let late = try Peer(bench.loop, to: address)
      try bench.loop.runUntil { late.socket.isWritable }
      throw LoopError(call: "connect", code: late.socket.pendingError())
    }
    #expect(upstream.peers.isEmpty)
  }

  @Test(arguments: [true, false])
  func whatCannotBeDeliveredIsResetInTheEnd(_ byHand: Bool) throws {
    let bench = try bench(timeoutMilliseconds: byHand ? 60_000 : 30)
    let upstream = try Upstream.echo(bench.loop)
    let client = try bench.openClient(bench.create(upstream: upstream.address))
    try bench.registry.addToxic(.stall(), to: "web")
    client.send("held")
    try bench.loop.runUntil { bench.registry.sessions[0].bufferedBytes == 4 }
    try drain(bench) { if byHand { $0.giveUp() } }
    try bench.loop.runUntil { client.isOver }
    #expect(client.failure != nil)
    #expect(bench.reasons() == ["shutdown"])
  }
}
