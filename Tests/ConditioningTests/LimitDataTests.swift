import Conditioning
import Testing

@Suite struct LimitDataTests {
  /// Chunks, and what comes out of a limit of 100.
  @Test(arguments: [
    ([99], ["99"]), ([100], ["100", "close"]), ([101], ["100", "close"]), ([250, 5], ["100", "close"]),
    ([30, 30, 30, 30], ["30", "30", "30", "10", "close"]), ([60, 40, 1], ["60", "40", "close"]),
  ])
  func cutsExactly(chunks: [Int], expected: [String]) {
    let bench = Bench()
    let link = bench.addLink([.limit(100)])
    for chunk in chunks { bench.send(chunk, to: link) }
    #expect(link.table.map(\.what) == expected)
    let closes = expected.last == "close"
    #expect(link.takeDecisions().map(\.outcome) == (closes ? [.dropped(.close)] : []))
    #expect(link.allowance == (closes ? 0 : .max))
  }

  @Test(arguments: [0, -3, Int64.min]) func zeroClosesAtTheFirstByte(limit: Int64) {
    let bench = Bench()
    let link = bench.addLink([.limit(limit)])
    #expect(link.outputs.isEmpty)
    bench.send(1, to: link)
    #expect(link.table.map(\.what) == ["close"])
  }

  @Test func theLargestLimitNeverCloses() {
    let bench = Bench()
    let link = bench.addLink([.limit(.max)])
    for _ in 0..<100 { bench.send(1 << 20, to: link) }
    bench.send(.end, to: link)
    expectFaithful(link, ended: true)
  }

  @Test func theCountSurvivesUpdates() {
    let bench = Bench()
    let link = bench.addLink([.limit(100)])
    bench.send(60, to: link)
    bench.change(link, to: [.limit(150)])
    bench.send(500, to: link)
    #expect(link.table.map(\.what) == ["60", "90", "close"])
  }

  @Test func aLimitBelowTheCountClosesAtTheNextByte() {
    let bench = Bench()
    let link = bench.addLink([.limit(100)])
    bench.send(60, to: link)
    bench.change(link, to: [.limit(50)])
    #expect(link.table.map(\.what) == ["60"])
    bench.send(1, to: link)
    #expect(link.table.map(\.what) == ["60", "close"])
  }

  @Test func theCountBeginsWhenItComes() {
    let bench = Bench()
    let link = bench.addLink([])
    bench.send(500, to: link)
    bench.change(link, to: [.limit(100)])
    bench.send(500, to: link)
    #expect(link.table.map(\.what) == ["500", "100", "close"])
  }

  @Test func removalLiftsIt() {
    let bench = Bench()
    let link = bench.addLink([.limit(100)])
    bench.send(60, to: link)
    bench.change(link, to: [])
    bench.send(500, to: link)
    bench.send(.end, to: link)
    expectFaithful(link, ended: true)
  }

  @Test func anEarlierEndPasses() {
    let bench = Bench()
    let link = bench.addLink([.limit(100)])
    bench.send(60, to: link)
    bench.send(.end, to: link)
    #expect(link.table.map(\.what) == ["60", "end"])
  }

  /// Bytes that the latency holds pass the limit twice when the two change places, and are counted once.
  @Test func aNewOrderCountsNoByteTwice() {
    let bench = Bench()
    let link = bench.addLink([.limit(100), .latency(700)])
    bench.send(60, to: link)
    bench.change(link, to: [.latency(700), .limit(100)])
    bench.send(60, to: link)
    bench.settle()
    #expect(link.table.map(\.what) == ["60", "40", "close"])
    let triggered = bench.addLink([.drop(1, per: .connection).triggered(bytes: 100), .latency(700)])
    bench.send(60, to: triggered)
    bench.change(triggered, to: [.latency(700), .drop(1, per: .connection).triggered(bytes: 100)])
    bench.send(60, to: triggered)
    bench.settle()
    #expect(triggered.table.map(\.what) == ["60", "40", "reset"])
  }

  /// The order of the chain counts.
  @Test func inChains() {
    let bench = Bench()
    let late = bench.addLink([.limit(10), .slowClose(300)])
    let prompt = bench.addLink([.slowClose(300), .limit(10)])
    let delayed = bench.addLink([.latency(150), .limit(4)])
    for link in [late, prompt, delayed] { bench.send(13, to: link) }
    bench.settle()
    #expect(late.table == [Row(0, "10"), Row(300, "close")])
    #expect(prompt.table == [Row(0, "10"), Row(0, "close")])
    #expect(delayed.table == [Row(150, "4"), Row(150, "close")])
  }
}
