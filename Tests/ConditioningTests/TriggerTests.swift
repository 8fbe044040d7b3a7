import Conditioning
import Testing

@Suite struct TriggerTests {
  @Test func actsOnceSoManyBytesHavePassed() {
    let bench = Bench()
    let link = bench.addLink([.latency(100).triggered(bytes: 50)])
    bench.send(30, to: link)
    bench.send(30, to: link)
    bench.send(5, to: link)
    bench.settle()
    #expect(link.table == [Row(0, "30"), Row(0, "20"), Row(100, "10"), Row(100, "5")])
    expectFaithful(link, ended: false)
  }

  @Test func actsOnceTimeHasPassed() {
    let bench = Bench()
    let link = bench.addLink([.resetPeer(0).triggered(milliseconds: 200)])
    bench.send(10, to: link)
    bench.settle()
    #expect(link.table == [Row(0, "10"), Row(200, "reset")])
  }

  @Test func bothConditionsMustHold() {
    let bench = Bench()
    let link = bench.addLink([.resetPeer(0).triggered(bytes: 20, milliseconds: 200)])
    bench.send(15, to: link)
    bench.advance(to: .milliseconds(300))
    #expect(link.table == [Row(0, "15")])
    bench.send(15, to: link)
    #expect(link.table == [Row(0, "15"), Row(300, "5"), Row(300, "reset")])
    let early = bench.addLink([.resetPeer(0).triggered(bytes: 20, milliseconds: 200)])
    bench.send(50, to: early)
    bench.settle()
    #expect(early.table == [Row(300, "50"), Row(500, "reset")])
  }

  /// The toxic's own clocks and counts begin when it acts.
  @Test func itsOwnCountsBeginThen() {
    let bench = Bench()
    let limited = bench.addLink([.limit(10).triggered(bytes: 100)])
    bench.send(500, to: limited)
    #expect(limited.table.map(\.what) == ["100", "10", "close"])
    let timed = bench.addLink([.timeout(50).triggered(milliseconds: 100)])
    bench.send(1, to: timed)
    bench.settle()
    #expect(timed.table == [Row(0, "1"), Row(150, "close")])
    let dropped = bench.addLink([.drop(1, per: .connection).triggered(bytes: 7)])
    bench.send(8, to: dropped)
    #expect(dropped.table.map(\.what) == ["7", "reset"])
    #expect(dropped.takeDecisions().map(\.outcome) == [.dropped(.reset)])
  }

  @Test func endsPassBeforeIt() {
    let bench = Bench()
    let link = bench.addLink([.slowClose(100).triggered(bytes: 100)])
    bench.send(10, to: link)
    bench.send(.end, to: link)
    #expect(link.table.map(\.what) == ["10", "end"])
  }

  @Test func anUpdateKeepsWhatWasCounted() {
    let bench = Bench()
    let link = bench.addLink([.latency(100).triggered(bytes: 100)])
    bench.send(60, to: link)
    bench.change(link, to: [.latency(200).triggered(bytes: 80)])
    bench.send(60, to: link)
    bench.settle()
    #expect(link.table == [Row(0, "60"), Row(0, "20"), Row(200, "40")])
  }

  /// One that acts goes on acting: a connection isn't healed by a later trigger.
  @Test func whatActsGoesOnActing() {
    let bench = Bench()
    let link = bench.addLink([.latency(100)])
    bench.change(link, to: [.latency(100).triggered(bytes: 1_000)])
    bench.send(1, to: link)
    bench.change(link, to: [.latency(300).triggered(bytes: 2_000)])
    bench.settle()
    #expect(link.table == [Row(300, "1")])
    let fired = bench.addLink([.latency(100).triggered(bytes: 1)])
    bench.send(2, to: fired)
    bench.change(fired, to: [.latency(50).triggered(bytes: 9_000)])
    bench.settle()
    #expect(fired.table == [Row(300, "1"), Row(350, "1")])
  }

  @Test func aTriggerTakenAwayActsAtOnce() {
    let bench = Bench()
    let link = bench.addLink([.latency(100).triggered(bytes: 1_000)])
    bench.send(5, to: link)
    bench.change(link, to: [.latency(100)])
    bench.send(5, to: link)
    bench.settle()
    #expect(link.table == [Row(0, "5"), Row(100, "5")])
  }

  @Test func removalReleasesWhatItHolds() {
    let bench = Bench()
    let link = bench.addLink([.latency(1_000).triggered(bytes: 10)])
    bench.send(30, to: link)
    bench.send(.end, to: link)
    bench.change(link, to: [])
    #expect(link.table.map(\.what) == ["10", "20", "end"])
    expectFaithful(link, ended: true)
  }
}
