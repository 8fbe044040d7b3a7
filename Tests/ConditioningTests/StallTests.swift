import Conditioning
import Testing

@Suite struct StallTests {
  @Test func holdsUntilItsTimeIsOver() {
    let bench = Bench()
    let link = bench.addLink([.stall(.milliseconds(500))])
    bench.advance(to: .milliseconds(100))
    bench.send(10, to: link)
    bench.send(20, to: link)
    bench.send(.end, to: link)
    bench.settle()
    #expect(link.table == [Row(500, "10"), Row(500, "20"), Row(500, "end")])
    #expect(link.allowance == .max)
  }

  @Test func withoutATimeItHoldsUntilItIsTakenAway() {
    let bench = Bench()
    let link = bench.addLink([.stall()])
    bench.send(200_000, to: link)
    #expect(link.allowance == 256 * 1024 - 200_000)
    bench.advance(to: .seconds(1_000))
    #expect(link.outputs.isEmpty && link.deadline == nil)
    bench.change(link, to: [])
    #expect(link.table == [Row(1_000_000, "200000")])
  }

  @Test func aNewDurationCountsFromTheOldBeginning() {
    let bench = Bench()
    let link = bench.addLink([.stall(.milliseconds(100))])
    bench.send(1, to: link)
    bench.advance(to: .milliseconds(50))
    bench.change(link, to: [.stall(.milliseconds(300))])
    bench.settle()
    #expect(link.table == [Row(300, "1")])
    // It is over, and stays over.
    bench.change(link, to: [.stall(.milliseconds(900))])
    bench.send(1, to: link)
    #expect(link.table.last == Row(300, "1"))
    #expect(link.outputs.count == 2)
  }
}

@Suite struct NoopTests {
  @Test func passesAtOnce() {
    let bench = Bench()
    let link = bench.addLink([.noop("a"), .noop("b")])
    bench.send(5, to: link)
    bench.send(.end, to: link)
    bench.send(.reset, to: link)
    #expect(link.table == [Row(0, "5"), Row(0, "end"), Row(0, "reset")])
  }

  @Test func whatItHoldsIsDueAtOnce() {
    var noop = Noop()
    #expect(noop.deadline == nil)
    noop.receive(.bytes(Extent(start: 0, count: 3)), at: .zero)
    #expect(noop.deadline == .distantPast && noop.heldBytes == 3 && noop.allowance == .max)
    #expect(noop.surrender().count == 1)
    #expect(noop.poll(at: .zero) == nil)
  }
}
