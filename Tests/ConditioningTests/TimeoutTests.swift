import Conditioning
import Testing

@Suite struct TimeoutTests {
  @Test func dropsBytesAndClosesAtItsTime() {
    let bench = Bench()
    let link = bench.addLink([.timeout(250)])
    for time in stride(from: 0.0, through: 200, by: 50) {
      bench.advance(to: .milliseconds(time))
      bench.send(1_000, to: link)
    }
    bench.settle()
    #expect(link.table == [Row(250, "close")])
    #expect(link.takeDecisions().map(\.outcome) == [.dropped(.close)])
    #expect(link.allowance == .max && link.deadline == nil)
  }

  @Test(arguments: [0, -1, -5_000]) func withoutATimeItNeverCloses(timeout: Double) {
    let bench = Bench()
    let link = bench.addLink([.timeout(timeout)])
    bench.send(1_000, to: link)
    bench.advance(to: .seconds(100_000))
    #expect(link.outputs.isEmpty && link.deadline == nil)
  }

  @Test func endsAndResetsPassAtOnce() {
    let bench = Bench()
    let link = bench.addLink([.timeout(0)])
    bench.send(5, to: link)
    bench.send(.end, to: link)
    bench.send(.reset, to: link)
    #expect(link.table == [Row(0, "end"), Row(0, "reset")])
  }

  @Test func itClosesBehindAnEndToo() {
    let bench = Bench()
    let link = bench.addLink([.timeout(100)])
    bench.send(.end, to: link)
    bench.settle()
    #expect(link.table == [Row(0, "end"), Row(100, "close")])
  }

  @Test func onALiveLinkTheClockStartsWhenItComes() {
    let bench = Bench()
    let link = bench.addLink([])
    bench.advance(to: .milliseconds(1_000))
    bench.change(link, to: [.timeout(200)])
    bench.settle()
    #expect(link.table == [Row(1_200, "close")])
  }

  @Test func anUpdateStartsTheClockAnew() {
    let bench = Bench()
    let link = bench.addLink([.timeout(0)])
    bench.advance(to: .milliseconds(300))
    bench.change(link, to: [.timeout(200)])
    bench.advance(to: .milliseconds(400))
    bench.change(link, to: [.timeout(150)])
    // The same again is no update.
    bench.advance(to: .milliseconds(450))
    bench.change(link, to: [.timeout(150), .noop()])
    bench.settle()
    #expect(link.table == [Row(550, "close")])
  }

  @Test func removalClosesWhereBytesWereLost() {
    let bench = Bench()
    let (bereft, whole) = (bench.addLink([.timeout(0)]), bench.addLink([.timeout(0)]))
    bench.send(1, to: bereft)
    bench.change(bereft, to: [])
    bench.change(whole, to: [])
    bench.send(1, to: bereft)
    bench.send(1, to: whole)
    #expect(bereft.table == [Row(0, "close")])
    #expect(whole.table == [Row(0, "1")])
  }

  @Test func removalClosesThoughTheEndHasPassed() {
    let bench = Bench()
    let link = bench.addLink([.timeout(0)])
    bench.send(1, to: link)
    bench.send(.end, to: link)
    bench.change(link, to: [])
    #expect(link.table.map(\.what) == ["end", "close"])
  }

  @Test func toxicityThatLeavesItOutLaterClosesToo() {
    let bench = Bench()
    let link = bench.addLink([.timeout(0)])
    bench.send(1, to: link)
    var left = StagePlan.timeout(0)
    left.toxicity = 0
    bench.change(link, to: [left])
    #expect(link.table.map(\.what) == ["close"])
  }

  /// What was there before the loss is still delivered; what comes behind it takes no memory.
  @Test func tellsWhatCanStillBeDelivered() {
    let bench = Bench()
    let link = bench.addLink([.latency(50, name: "a"), .timeout(0).triggered(bytes: 100), .latency(70, name: "b")])
    bench.send(100, to: link)
    bench.advance(to: .milliseconds(60))
    #expect(link.deliverableBytes == nil && link.outputs.isEmpty)
    bench.send(1_000, to: link)
    bench.advance(to: .milliseconds(115))
    #expect(link.deliverableBytes == 100)
    bench.send(1_000, to: link)
    #expect(link.deliverableBytes == 100)
    bench.settle()
    #expect(link.table == [Row(120, "100")])
    #expect(link.deliverableBytes == 0)
  }
}
