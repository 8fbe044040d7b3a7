import Conditioning
import Testing

@Suite struct WireTests {
  @Test func aRequestAndItsAnswer() {
    let wire = Wire(upstream: [.latency(50)], downstream: [.rate(100_000), .latency(50)])
    wire.onServer = { _ in wire.serverSends(10_000) }
    wire.clientSends(100, opens: true)
    while wire.step() {}
    #expect(wire.upstream.table == [Row(50, "100")])
    #expect(wire.downstream.time(of: 10_000) == .milliseconds(200))
  }

  @Test func halfCloseEndsOneWayOnly() {
    let wire = Wire(upstream: [.latency(20)], downstream: [.latency(20)])
    wire.onServer = { segment in
      if segment == .end { wire.serverSends(5) }
    }
    wire.clientSends(5)
    wire.bench.send(.end, to: wire.upstream)
    while wire.step() {}
    #expect(wire.upstream.table == [Row(20, "5"), Row(20, "end")])
    #expect(wire.downstream.table == [Row(40, "5")])
  }

  /// An hour of requests of all sizes over one session, with the profile switched every minute. The bound is generous: it is
  /// there to catch work that grows with time, not to measure.
  @Test(.timeLimit(.minutes(1)))
  func anHourPassesInAMoment() {
    var dice = SeededGenerator(seed: 11)
    let wire = Wire(upstream: [], downstream: [])
    let paths = [30_000, 200_000, 6_250_000].map { wire.bench.addPath($0) }
    var requests = 0
    var answers = 0
    var expected = 0

    func request() {
      requests += 1
      wire.clientSends(Int.random(in: 100...900, using: &dice), opens: true)
    }
    wire.onServer = { segment in
      guard case .bytes(let extent) = segment, extent.opensExchange else { return }
      let length = dice.length(upTo: 40_000)
      expected += length
      wire.serverSends(length)
    }
    wire.onClient = { _ in
      guard wire.downstream.receivedBytes == expected else { return }
      answers += 1
      wire.after(.milliseconds(Double(dice.length(upTo: 4_000))), request)
    }
    for minute in 0..<60 {
      wire.after(.seconds(Double(minute) * 60)) {
        let path = paths[minute % 3]
        let delay = StagePlan.latency(Double(minute % 3 + 1) * 40, jitter: 20, name: "delay")
        wire.bench.change(wire.upstream, to: [delay])
        wire.bench.change(wire.downstream, to: [.path(path), delay])
      }
    }
    request()
    while wire.now < .seconds(3_600), wire.step() {}
    #expect(requests > 2_000 && requests - answers <= 1)
    #expect(wire.now >= .seconds(3_600))
    wire.bench.settle()
    expectFaithful(wire.upstream, ended: false)
    expectFaithful(wire.downstream, ended: false)
  }
}
