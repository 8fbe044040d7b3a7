import Testing

@testable import Conditioning

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
    // Less than two packets would be read only when all behind the slicer is gone, too.
    let slow = bench.addLink([.slicer(1, milliseconds: 1_000)])
    #expect(slow.allowance == 2_896)
    let slower = bench.addLink([.slicer(10, milliseconds: 1_000)])
    #expect(slower.allowance == 5_120)
    let fast = bench.addLink([.slicer(1_000, milliseconds: 1)])
    #expect(fast.allowance == 256 * 1024)
    // Without a wait, too: all of it may leave at once, and what delays it then keeps it in pieces.
    let crumbs = bench.addLink([.slicer(1), .stall()])
    #expect(crumbs.allowance == 2_896)
    crumbs.receive(3_000, opens: false, at: bench.now)
    #expect(crumbs.allowance < 0)
    // Under a long delay that much more has to be under way.
    let behind = bench.addLink([.latency(2_000), .slicer(1_000, milliseconds: 1)])
    #expect(behind.allowance == 2_000_000 + 256 * 1024)
    let unhindered = bench.addLink([.latency(2_000), .slicer(10)])
    #expect(unhindered.allowance == .max)
  }

  /// A change runs none of the millions of pieces that a second of a fast stream can be cut into.
  @Test func aChangeDoesNotRunAllPieces() {
    let bench = Bench()
    let link = bench.addLink([.latency(10), .slicer(1)])
    link.receive(50_000_000, opens: false, at: bench.now)
    bench.jump(to: .milliseconds(15))
    let start = ContinuousClock.now
    bench.change(link, to: [.latency(10), .slicer(1), .latency(20, name: "more")])
    bench.change(link, to: [.latency(20, name: "more")])
    #expect(ContinuousClock.now - start < .seconds(5))
    bench.settle()
    expectFaithful(link, ended: false)
    #expect(link.table.last?.milliseconds == 35)
  }

  /// What stands behind a slicer holds single pieces: only so many, and the rest waits uncut.
  @Test(arguments: 0..<4, 0..<3) func cutsNoMoreThanIsTakenBehindIt(number: Int, way: Int) {
    let ways: [[StagePlan]] = [[], [.noop()], [.slowClose(0), .latency(0, name: "between")]]
    let between = ways[way]
    let next: StagePlan = [.latency(1_000), .stall(.seconds(1)), .rate(8_000), .resetPeer(10)][number]
    let bench = Bench()
    let link = bench.addLink([.slicer(1)] + between + [next])
    bench.send(2_000_000, to: link)
    #expect(link.deadline.map { $0 > bench.now } ?? true)
    #expect(link.link.stages[1 + between.count].toxic.heldBytes <= 256 * 1024)
    #expect(link.link.stages.array.dropFirst().dropLast().allSatisfy { $0.toxic.heldBytes <= 256 * 1024 })
    bench.change(link, to: [next])
    bench.settle()
    if link.table.last?.what != "reset" { expectFaithful(link, ended: false) }
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
