import Conditioning
import Testing

@Suite struct ResetPeerTests {
  @Test func aNewConnectionIsResetAfterItsFirstData() {
    let bench = Bench()
    let link = bench.addLink([.resetPeer(300)])
    bench.advance(to: .milliseconds(1_000))
    #expect(link.outputs.isEmpty && link.deadline == nil)
    bench.send(10, to: link)
    bench.advance(to: .milliseconds(1_100))
    bench.send(10, to: link)
    bench.settle()
    #expect(link.table == [Row(1_300, "reset")])
    #expect(link.takeDecisions().map(\.outcome) == [.dropped(.reset)])
  }

  @Test(arguments: [0, -7]) func withoutATimeAtOnce(timeout: Double) {
    let bench = Bench()
    let link = bench.addLink([.resetPeer(timeout)])
    bench.send(10, to: link)
    #expect(link.table == [Row(0, "reset")])
  }

  @Test func anEndStartsTheClockToo() {
    let bench = Bench()
    let link = bench.addLink([.resetPeer(20)])
    bench.send(.end, to: link)
    bench.settle()
    #expect(link.table == [Row(20, "reset")])
  }

  @Test func aLiveConnectionIsResetThoughIdle() {
    let bench = Bench()
    let link = bench.addLink([])
    bench.advance(to: .milliseconds(40))
    bench.change(link, to: [.resetPeer(100)])
    bench.settle()
    #expect(link.table == [Row(140, "reset")])
  }

  @Test func aNewTimeCountsFromTheOldBeginning() {
    let bench = Bench()
    let link = bench.addLink([.resetPeer(5_000)])
    bench.send(10, to: link)
    bench.advance(to: .milliseconds(100))
    bench.change(link, to: [.resetPeer(150)])
    bench.settle()
    #expect(link.table == [Row(150, "reset")])
  }

  @Test func takenAwayBeforeItsTimeItHasLostNothing() {
    let bench = Bench()
    let link = bench.addLink([.resetPeer(5_000)])
    bench.send(10, to: link)
    bench.send(20, to: link)
    #expect(link.allowance == 64 * 1024 - 30)
    bench.send(.end, to: link)
    bench.change(link, to: [])
    #expect(link.table == [Row(0, "10"), Row(0, "20"), Row(0, "end")])
    expectFaithful(link, ended: true)
  }

  @Test func thePeersOwnResetComesFirst() {
    let bench = Bench()
    let link = bench.addLink([.resetPeer(5_000)])
    bench.send(10, to: link)
    bench.send(.reset, to: link)
    #expect(link.table == [Row(0, "reset")])
    #expect(link.takeDecisions().isEmpty)
  }

  @Test func leftOutByToxicityItDoesNothing() {
    let bench = Bench()
    var plan = StagePlan.resetPeer(0)
    plan.toxicity = 0
    let link = bench.addLink([plan])
    bench.send(10, to: link)
    bench.send(.end, to: link)
    expectFaithful(link, ended: true)
  }
}
