import Conditioning
import Testing

@Suite struct LatencyTests {
  @Test func delaysEachChunkFromItsOwnArrival() {
    let bench = Bench()
    let link = bench.addLink([.latency(300)])
    for index in 0..<5 {
      bench.advance(to: .milliseconds(Double(index) * 40))
      bench.send(10, to: link)
    }
    bench.settle()
    #expect(link.table == (0..<5).map { Row(300 + Double($0) * 40, "10") })
  }

  @Test func stagesAddUp() {
    let bench = Bench()
    let link = bench.addLink([.latency(10, name: "a"), .latency(20, name: "b")])
    bench.send(1, to: link)
    bench.settle()
    #expect(link.table == [Row(30, "1")])
  }

  @Test(arguments: [Segment.end, .reset])
  func anEndIsOnlyDelayedBehindData(_ closing: Segment) {
    let bench = Bench()
    let idle = bench.addLink([.latency(100)])
    let busy = bench.addLink([.latency(100)])
    bench.send(10, to: busy)
    bench.advance(by: .milliseconds(30))
    for link in [idle, busy] { bench.send(closing, to: link) }
    bench.settle()
    #expect(idle.outputs == [.init(.milliseconds(30), closing)])
    #expect(busy.outputs.last == .init(.milliseconds(100), closing))
    #expect(busy.outputs.count == 2)
  }

  @Test func negativeValuesCountAsZero() {
    let bench = Bench()
    let link = bench.addLink([.latency(-50, jitter: -10)])
    bench.send(10, to: link)
    #expect(link.table == [Row(0, "10")])
  }

  @Test func anUnthinkableDelayHoldsForEver() {
    let bench = Bench()
    let huge = StagePlan(
      name: "huge", kind: .latency(.init(latency: .seconds(.infinity), jitter: .seconds(.infinity))))
    let link = bench.addLink([huge])
    bench.send(10, to: link)
    bench.advance(to: .seconds(1e6))
    bench.send(10, to: link)
    bench.advance(to: .seconds(2e6))
    #expect(link.receivedBytes < 20)
  }

  /// The law and the order at spacings from much denser than the jitter to sparser than twice of it.
  @Test(arguments: [0.01, 0.3, 5, 20, 39.9, 40.1, 150])
  func jitterKeepsTheMeanAndTheOrder(spacing: Double) {
    let link = jittered(latency: 100, jitter: 20, spacing: spacing, chunks: 20_000)
    let delays = link.delays
    #expect(delays.allSatisfy { (80...120).contains($0) })
    // Neighbours in time are alike, so what counts is the number of independent knots, 40 ms each; five standard errors.
    let knots = min(20_000, 20_000 * spacing / 40)
    let deviation = 20 / 3.0.squareRoot()
    #expect(abs(delays.mean - 100) < max(0.05, 5 * deviation / max(1, knots).squareRoot()))
    #expect(delays.max()! - delays.min()! > (knots > 100 ? 30 : 0))
  }

  @Test func aDenseStreamIsNotShiftedByTheOrder() {
    // 2,500 knots over 100 s: independent draws clamped to the last due time would end up near 119 ms.
    let delays = (0..<4).flatMap { seed in
      jittered(latency: 100, jitter: 20, spacing: 1, chunks: 100_000, seed: UInt64(seed)).delays
    }
    #expect(abs(delays.mean - 100) < 0.6)
  }

  @Test func sparseTrafficSeesTheUniformLaw() {
    let delays = jittered(latency: 100, jitter: 20, spacing: 41, chunks: 20_000).delays
    for step in 0..<8 {
      let low = 80 + Double(step) * 5
      #expect((2_250...2_750).contains(delays.count { $0 >= low && $0 < low + 5 }))
    }
    let middle = delays.mean
    let products = zip(delays, delays.dropFirst()).map { ($0 - middle) * ($1 - middle) }
    #expect(abs(products.mean) < 5)
  }

  @Test func aDelayBelowZeroIsZeroAndKeepsTheOrder() {
    let link = jittered(latency: 5, jitter: 20, spacing: 0.5, chunks: 20_000)
    #expect(link.delays.allSatisfy { (0...25).contains($0) })
    #expect(link.delays.contains(0))
  }

  /// With the delay cut at 0, one message right after the other must not share its luck.
  @Test func quickExchangesBeyondLatencyAreIndependent() {
    let bench = Bench()
    let link = bench.addLink([.latency(0, jitter: 60)])
    let isQuick = (0..<400).map { _ -> Bool in
      let sent = bench.now
      bench.send(10, to: link)
      bench.settle()
      let delay = bench.now - sent
      bench.advance(by: .milliseconds(0.1))
      return delay == .zero
    }
    let turns = zip(isQuick, isQuick.dropFirst()).count { $0 != $1 }
    // Half of 400 and of 399, five standard deviations each way.
    #expect((150...250).contains(isQuick.count { $0 }))
    #expect((149...250).contains(turns))
  }

  @Test func updatesCountFromTheArrival() {
    let bench = Bench()
    let link = bench.addLink([.latency(100)])
    for _ in 0..<3 {
      bench.send(1, to: link)
      bench.advance(by: .milliseconds(30))
    }
    // 90 ms: arrivals at 0, 30 and 60. Under 50 ms the first two are overdue.
    bench.change(link, to: [.latency(50)])
    #expect(link.table == [Row(90, "1"), Row(90, "1")])
    bench.change(link, to: [.latency(300)])
    bench.settle()
    #expect(link.table.last == Row(360, "1"))
  }

  @Test func anEndStaysBehindWhatAnUpdateSpeedsUp() {
    let bench = Bench()
    let link = bench.addLink([.latency(100)])
    bench.send(1, to: link)
    bench.advance(to: .milliseconds(30))
    bench.send(.end, to: link)
    bench.advance(to: .milliseconds(40))
    bench.change(link, to: [.latency(50)])
    bench.settle()
    #expect(link.table == [Row(50, "1"), Row(50, "end")])
  }

  @Test func aNewJitterDoesNotFollowTheOldKnots() {
    let bench = Bench()
    let link = bench.addLink([.latency(100, jitter: 1e9)])
    bench.send(1, to: link)
    bench.change(link, to: [.latency(100, jitter: 5)])
    for _ in 0..<1_000 {
      bench.advance(by: .milliseconds(1))
      bench.send(1, to: link)
    }
    bench.settle()
    #expect(link.delays.max()! - link.delays.min()! > 7)
  }

  /// An oracle for latency alone under random updates: each chunk leaves at the first moment that is not before its
  /// predecessor's and at which it has been held for as long as the latency of that moment asks. What is due at the
  /// moment of a change has left.
  @Test(arguments: 0..<40)
  func randomUpdatesFollowTheOracle(seed: Int) {
    var dice = SeededGenerator(seed: UInt64(seed))
    let bench = Bench()
    let link = bench.addLink([.latency(50)])
    var changes = [(time: Instant.distantPast, latency: Interval.milliseconds(50))]
    for _ in 0..<200 {
      bench.advance(by: .microseconds(Double(Int.random(in: 1...20_000, using: &dice))))
      if dice.chance(0.2) {
        let latency = Double(Int.random(in: 0...200, using: &dice))
        bench.change(link, to: [.latency(latency)])
        changes.append((bench.now, .milliseconds(latency)))
      } else {
        bench.send(1, to: link)
      }
    }
    bench.settle()
    var last = Instant.distantPast
    for (input, output) in zip(link.inputs, link.outputs) {
      for (index, change) in changes.enumerated() {
        let time = max(last, change.time, input.time + change.latency)
        guard index + 1 == changes.count || time <= changes[index + 1].time else { continue }
        last = time
        break
      }
      #expect(output.time == last)
    }
    expectFaithful(link, ended: false)
  }

  private func jittered(
    latency: Double, jitter: Double, spacing: Double, chunks: Int, seed: UInt64 = 5
  ) -> BenchLink {
    let bench = Bench()
    let link = bench.addLink([.latency(latency, jitter: jitter)], seed: seed)
    for index in 0..<chunks {
      bench.advance(to: .milliseconds(Double(index) * spacing))
      bench.send(1, to: link)
    }
    bench.settle()
    expectFaithful(link, ended: false)
    return link
  }
}

extension BenchLink {
  /// Milliseconds that each chunk took; only for links that don't cut.
  fileprivate var delays: [Double] {
    zip(inputs, outputs).map { ($1.time - $0.time).milliseconds }
  }
}

extension [Double] {
  fileprivate var mean: Double { reduce(0, +) / Double(count) }
}
