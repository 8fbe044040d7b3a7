import Conditioning
import Testing

@Suite struct SlicerTests {
  /// A chunk, average, and the pieces without variation: halves of halves, down to the average at most.
  @Test(arguments: [
    (40, 10, [10, 10, 10, 10]), (100, 100, [100]), (101, 100, [50, 51]), (25, 10, [6, 6, 6, 7]), (1, 1, [1]),
    (3, 1, [1, 1, 1]), (5, 0, [5]), (5, -10, [5]), (1_000_000, 600_000, [500_000, 500_000]),
  ])
  func cutsInHalves(count: Int, average: Int, expected: [Int]) {
    let bench = Bench()
    let link = bench.addLink([.slicer(Int64(average))])
    bench.send(count, to: link)
    #expect(link.table.map(\.what) == expected.map(String.init))
    expectFaithful(link, ended: false)
  }

  @Test func timePassesAfterEachPieceTheLastToo() {
    let bench = Bench()
    let link = bench.addLink([.slicer(10, milliseconds: 60)])
    bench.send(40, to: link)
    bench.send(.end, to: link)
    bench.settle()
    #expect(
      link.table == [Row(0, "10"), Row(60, "10"), Row(120, "10"), Row(180, "10"), Row(240, "end")])
    // After a pause nothing has to be waited for.
    let idle = bench.addLink([.slicer(10, milliseconds: 60)])
    let start = (bench.now - .zero).milliseconds
    bench.send(5, to: idle)
    bench.advance(by: .milliseconds(500))
    bench.send(5, to: idle)
    bench.send(5, to: idle)
    bench.settle()
    #expect(idle.table == [Row(start, "5"), Row(start + 500, "5"), Row(start + 560, "5")])
  }

  @Test func lateCallsDoNotAddUp() {
    let bench = Bench()
    bench.lateness = .milliseconds(3)
    let link = bench.addLink([.slicer(10, milliseconds: 10)])
    bench.send(160, to: link)
    bench.settle()
    #expect(link.table.last == Row(153, "10"))
  }

  @Test(arguments: 0..<20) func piecesStayWithinTheVariation(seed: Int) {
    let bench = Bench()
    let link = bench.addLink([.slicer(700, variation: 300)], seed: UInt64(seed))
    bench.send(150_000, to: link)
    let sizes = link.outputs.map { output in
      if case .bytes(let extent) = output.segment { extent.count } else { 0 }
    }
    expectFaithful(link, ended: false)
    #expect(sizes.allSatisfy { (1...1_000).contains($0) })
    #expect(sizes.count > 150 && Set(sizes).count > 50)
  }

  /// Variations that make the reference die.
  @Test(
    arguments: [(10, 100), (10, -5), (1, 1), (2, 2), (.max, .max), (5, .max), (1, .min), (.min, 7)] as [(Int64, Int64)])
  func oddNumbersLoseNothing(average: Int64, variation: Int64) {
    let bench = Bench()
    let link = bench.addLink([.slicer(average, variation: variation)])
    for count in [1, 2, 3, 10, 11, 4_000] { bench.send(count, to: link) }
    bench.send(.end, to: link)
    bench.settle()
    expectFaithful(link, ended: true)
  }

  @Test func anUpdateCutsWhatIsHeldAnew() {
    let bench = Bench()
    let link = bench.addLink([.slicer(10, milliseconds: 1_000)])
    bench.send(100, to: link)
    bench.advance(to: .milliseconds(100))
    bench.change(link, to: [.slicer(50, milliseconds: 500)])
    bench.settle()
    // The wait that runs has the new length, counted from the piece before.
    #expect(link.table == [Row(0, "6"), Row(500, "47"), Row(1_000, "47")])
  }

  @Test func removalReleasesTheRestInOrder() {
    let bench = Bench()
    let link = bench.addLink([.slicer(10, milliseconds: 1_000)])
    bench.send(100, to: link)
    bench.send(.end, to: link)
    bench.advance(to: .milliseconds(10))
    bench.change(link, to: [])
    #expect(link.table == [Row(0, "6"), Row(10, "94"), Row(10, "end")])
    expectFaithful(link, ended: true)
  }

  @Test func takesNoMoreThanItCanPassOn() {
    let bench = Bench()
    let slow = bench.addLink([.slicer(10, milliseconds: 1_000)])
    #expect(slow.allowance == 5_120)
    let fast = bench.addLink([.slicer(1_000, milliseconds: 1)])
    #expect(fast.allowance == 256 * 1024)
    // Single bytes without a wait, too: taking them away must not take long.
    let crumbs = bench.addLink([.slicer(1)])
    crumbs.receive(600, opens: false, at: bench.now)
    #expect(crumbs.allowance == 0)
    let unhindered = bench.addLink([.slicer(10)])
    #expect(unhindered.allowance == .max)
    // Under a long delay that much more has to be under way.
    let behind = bench.addLink([.latency(2_000), .slicer(1_000, milliseconds: 1)])
    #expect(behind.allowance == 2_000_000 + 256 * 1024)
  }

  /// A change of the chain is no step for each of millions of pieces.
  @Test func aLargeBacklogDoesNotSlowChangesDown() {
    let chain: [StagePlan] = [.slicer(1), .noop()]
    var link = Link(
      LinkIdentity(seed: 1, proxy: "web", session: 1, direction: .upstream), plan: [.stall()] + chain, owner: 0,
      at: .zero)
    link.receive(.bytes(Extent(start: 0, count: 8_000_000)), at: .zero)
    link.change(to: chain, at: .zero)
    let clock = ContinuousClock()
    let time = clock.measure {
      for number in 1...100 { link.change(to: chain + [.latency(Double(number % 2), name: "beside")], at: .zero) }
    }
    #expect(time < .seconds(2))
  }
}
