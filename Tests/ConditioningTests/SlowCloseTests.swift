import Conditioning
import Testing

@Suite struct SlowCloseTests {
  @Test func holdsTheEndAndNothingElse() {
    let bench = Bench()
    let link = bench.addLink([.slowClose(300)])
    bench.send(10, to: link)
    bench.advance(to: .milliseconds(50))
    bench.send(20, to: link)
    bench.send(.end, to: link)
    bench.settle()
    #expect(link.table == [Row(0, "10"), Row(50, "20"), Row(350, "end")])
    #expect(link.allowance == .max)
  }

  @Test(arguments: [0, -5]) func withoutADelayTheEndPassesAtOnce(delay: Double) {
    let bench = Bench()
    let link = bench.addLink([.slowClose(delay)])
    bench.send(.end, to: link)
    #expect(link.table == [Row(0, "end")])
  }

  @Test func aResetDoesNotWait() {
    let bench = Bench()
    let link = bench.addLink([.slowClose(300)])
    bench.send(.end, to: link)
    bench.advance(to: .milliseconds(100))
    bench.send(.reset, to: link)
    #expect(link.table == [Row(100, "end"), Row(100, "reset")])
    let idle = bench.addLink([.slowClose(300)])
    bench.send(.reset, to: idle)
    #expect(idle.table == [Row(100, "reset")])
  }

  /// After so many ms: a new delay, and when the end comes.
  @Test(arguments: [(100.0, 500.0, 500.0), (100, 50, 100), (100, 100, 100), (200, 250, 250)])
  func aNewDelayCountsFromTheArrivalOfTheEnd(after: Double, delay: Double, expected: Double) {
    let bench = Bench()
    let link = bench.addLink([.slowClose(4_000)])
    bench.send(.end, to: link)
    bench.advance(to: .milliseconds(after))
    bench.change(link, to: [.slowClose(delay)])
    bench.settle()
    #expect(link.table == [Row(expected, "end")])
  }

  @Test func removalLetsTheEndGo() {
    let bench = Bench()
    let link = bench.addLink([.slowClose(4_000)])
    bench.send(.end, to: link)
    bench.advance(to: .milliseconds(70))
    bench.change(link, to: [.noop()])
    #expect(link.table == [Row(70, "end")])
  }

  @Test func aChangeBesideItChangesNothing() {
    let bench = Bench()
    let link = bench.addLink([.slowClose(300)])
    bench.send(.end, to: link)
    bench.advance(to: .milliseconds(100))
    bench.change(link, to: [.slowClose(300), .latency(0)])
    bench.change(link, to: [.noop(), .slowClose(300)])
    bench.settle()
    #expect(link.table == [Row(300, "end")])
  }
}
