import Conditioning
import Testing

@Suite struct LinkChangeTests {
  @Test func anUnchangedStageIsUntouchedByItsNeighbours() {
    let plain = jitteredRun { _, _ in }
    let disturbed = jitteredRun { bench, link in
      bench.change(link, to: [.noop(), .latency(100, jitter: 20)])
      bench.advance(by: .milliseconds(1))
      bench.change(link, to: [.latency(100, jitter: 20), .noop("other"), .stall(.zero)])
      bench.change(link, to: [.latency(100, jitter: 20)])
    }
    #expect(plain == disturbed)
  }

  private func jitteredRun(_ disturb: (Bench, BenchLink) -> Void) -> [BenchLink.Output] {
    let bench = Bench()
    let link = bench.addLink([.latency(100, jitter: 20)])
    for index in 0..<200 {
      bench.advance(to: .milliseconds(Double(index) * 7))
      bench.send(100, to: link)
      if index % 50 == 20 { disturb(bench, link) }
    }
    bench.settle()
    return link.outputs
  }

  /// A chain that holds 1,000 bytes in each of three stages: the oldest in the last.
  private func filledChain(_ bench: Bench) -> BenchLink {
    let link = bench.addLink([.latency(30_000, name: "a"), .latency(20_000, name: "b"), .latency(10_000, name: "c")])
    for second in [0.0, 20, 40] {
      bench.advance(to: .seconds(second))
      bench.send(1_000, to: link)
    }
    // At 55 s the first waits in c, the second in b, the third in a.
    bench.advance(to: .seconds(55))
    return link
  }

  private struct Case: CustomTestStringConvertible {
    var what: String
    var plan: [StagePlan]
    var seconds: [Double]

    init(_ what: String, _ plan: [StagePlan], _ seconds: [Double]) {
      self.what = what
      self.plan = plan
      self.seconds = seconds
    }

    var testDescription: String { what }
  }

  private static var a: StagePlan { .latency(30_000, name: "a") }
  private static var b: StagePlan { .latency(20_000, name: "b") }
  private static var c: StagePlan { .latency(10_000, name: "c") }

  @Test(arguments: 0..<8)
  func changesOfTheChain(index: Int) {
    let cases = [
      Case("none", [Self.a, Self.b, Self.c], [60, 80, 100]),
      Case("c removed: its bytes go out", [Self.a, Self.b], [55, 70, 90]),
      Case("b removed: its bytes go to c", [Self.a, Self.c], [60, 65, 80]),
      Case("a removed: its bytes go to b", [Self.b, Self.c], [60, 80, 85]),
      Case("all removed", [], [55, 55, 55]),
      Case("b updated", [Self.a, .latency(7_000, name: "b"), Self.c], [60, 67, 87]),
      Case("b becomes another kind, which takes over", [Self.a, .rate(100, name: "b"), Self.c], [60, 75, 90]),
      Case("new ones are empty", [Self.a, Self.b, Self.c, .stall(.seconds(3), name: "d")], [60, 80, 100]),
    ]
    let bench = Bench()
    let link = filledChain(bench)
    bench.change(link, to: cases[index].plan)
    bench.settle()
    let times = (1...3).map { (link.time(of: $0 * 1_000)! - .zero).seconds }
    #expect(times == cases[index].seconds, "\(cases[index].what)")
    expectFaithful(link, ended: false)
  }

  @Test(arguments: [
    ["a", "c", "b"], ["c", "b", "a"], ["b", "a", "c"], ["c", "a"], ["b", "x", "a"], ["x", "c", "y", "b"],
  ])
  func reorderingStagesKeepsTheOrderOfBytes(names: [String]) {
    let bench = Bench()
    let link = filledChain(bench)
    bench.change(link, to: names.map { .latency(5_000, name: $0) })
    bench.send(1_000, to: link)
    bench.send(.end, to: link)
    bench.settle()
    expectFaithful(link, ended: true)
  }

  /// It waits in a stage that then stands before the toxic which said it; swallowed there, bytes would follow the hole.
  @Test(arguments: 0..<5)
  func theEndThatAToxicHasSaidIsNotLostWhenTheToxicMoves(index: Int) {
    let losing: [(StagePlan, Segment)] = [
      (.limit(0), .close), (.timeout(1), .close), (.resetPeer(0), .reset),
      (.drop(1, per: .connection, how: .close), .close), (.drop(1, per: .connection, how: .reset), .reset),
    ]
    let (toxic, end) = losing[index]
    let bench = Bench()
    let link = bench.addLink([toxic, .stall()])
    bench.send(10, to: link)
    bench.advance(by: .milliseconds(5))
    bench.change(link, to: [.stall(), toxic])
    #expect(link.outputs.isEmpty)
    bench.change(link, to: [.stall(.zero), toxic])
    bench.settle()
    #expect(link.outputs.map(\.segment) == [end])
    bench.change(link, to: [])
    bench.send(10, to: link)
    #expect(link.outputs.map(\.segment) == [end])
  }

  @Test func whatWasDueBeforeAChangeHasLeft() {
    let bench = Bench()
    let link = bench.addLink([.latency(100)])
    link.receive(10, opens: false, at: .zero)
    link.receive(10, opens: false, at: .milliseconds(60))
    // Nobody polled at 100 ms; the change comes at 150 ms.
    link.link.change(to: [.latency(1_000)], at: .milliseconds(150))
    link.drain(at: .milliseconds(150))
    #expect(link.table == [Row(150, "10")])
    bench.settle()
    #expect(link.table.last == Row(1_060, "10"))
  }

  @Test func toxicityIsJudgedAgainOnlyWhenItChanges() {
    let bench = Bench()
    var stall = StagePlan.stall()
    stall.toxicity = 0.5
    let links = (0..<100).map { bench.addLink([stall], session: $0) }
    let active = links.map { !$0.isTransparent }
    for link in links {
      bench.send(10, to: link)
      _ = link.takeDecisions()
      bench.change(link, to: [stall, .noop()])
      #expect(link.takeDecisions().isEmpty)
    }
    #expect(zip(links, active).allSatisfy { ($0.heldBytes > 0) == $1 })
    // Lowered, it lets some go, with what they held; raised, it takes all.
    stall.toxicity = 0.2
    for link in links { bench.change(link, to: [stall]) }
    let still = links.count { $0.heldBytes > 0 }
    #expect(still > 5 && still < active.count { $0 })
    #expect(links.allSatisfy { $0.takeDecisions().count == 1 })
    stall.toxicity = 1
    for link in links {
      bench.change(link, to: [stall])
      bench.send(10, to: link)
      #expect(link.heldBytes >= 10)
      bench.change(link, to: [])
      expectFaithful(link, ended: false)
    }
  }

  @Test func aVerdictSurvivesTheRemovalOfItsToxic() {
    let bench = Bench()
    let link = bench.addLink([.drop(0, per: .exchange)])
    bench.send(10, opens: true, to: link)
    bench.change(link, to: [])
    #expect(link.takeDecisions().map(\.outcome) == [.passed])
  }

  @Test func aProfileSwitchTakesHeldBytesAlong() {
    let bench = Bench()
    let lte = bench.addPath(6_250_000)
    let edge = bench.addPath(30_000)
    let link = bench.addLink([.path(lte), .latency(25, name: "delay")])
    bench.send(100_000, to: link)
    bench.advance(to: .milliseconds(10))
    // 62,500 bytes are in the delay; they follow its new 200 ms, the rest is still to be serialised, now at 30 kB/s.
    bench.change(link, to: [.path(edge), .latency(200, name: "delay")])
    bench.settle()
    #expect(link.time(of: 12_500) == .milliseconds(202))
    #expect(link.time(of: 62_500) == .milliseconds(210))
    #expect(link.outputs.last?.time == .milliseconds(10 + 1_250 + 200))
    expectFaithful(link, ended: false)
  }
}
