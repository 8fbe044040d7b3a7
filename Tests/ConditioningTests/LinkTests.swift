import Conditioning
import Testing

@Suite struct LinkTests {
  @Test func anEmptyPlanIsTransparent() {
    let bench = Bench()
    let link = bench.addLink([])
    #expect(link.isTransparent && link.allowance == .max && link.deadline == nil)
    link.receive(10, opens: false, at: .zero)
    #expect(!link.isTransparent && link.deadline == .distantPast)
    bench.settle()
    #expect(link.table == [Row(0, "10")] && link.isTransparent)
  }

  @Test func aStageMakesItOpaqueUntilAllItHeldIsOut() {
    let bench = Bench()
    let link = bench.addLink([.latency(10)])
    #expect(!link.isTransparent)
    link.receive(10, opens: false, at: .zero)
    link.link.change(to: [], at: .zero)
    #expect(!link.isTransparent)
    link.drain(at: .zero)
    #expect(link.isTransparent)
  }

  @Test func onlyAResetFollowsAnEndAndNothingAReset() {
    let bench = Bench()
    let link = bench.addLink([.noop()])
    for segment: Segment in [.end, .bytes(Extent(start: 0, count: 1)), .end, .reset, .reset, .end] {
      bench.send(segment, to: link)
    }
    #expect(link.outputs.map(\.segment) == [.end, .reset])
    #expect(!link.isTransparent)
  }

  @Test func aResetForgetsWhatIsHeld() {
    let bench = Bench()
    let link = bench.addLink([.drop(1, per: .exchange), .latency(50)])
    bench.send(10, opens: true, to: link)
    bench.send(10, to: link)
    bench.settle()
    #expect(link.table == [Row(0, "reset")])
    #expect(link.deadline == nil)
    #expect(link.takeDecisions().map(\.outcome) == [.dropped(.reset)])
  }

  @Test func orderOfTheChainCounts() {
    let bench = Bench()
    let shapedFirst = bench.addLink([.rate(10_000), .latency(100)])
    let delayedFirst = bench.addLink([.latency(100), .rate(10_000)])
    for link in [shapedFirst, delayedFirst] { bench.send(1_500, to: link) }
    bench.settle()
    for link in [shapedFirst, delayedFirst] { #expect(link.table == [Row(200, "1000"), Row(250, "500")]) }
  }

  /// A rate behind a long delay must let the delay fill, and no more.
  @Test func aRateBehindADelayIsNotStarved() {
    let bench = Bench()
    let link = bench.addLink([.latency(2_000), .rate(100_000)])
    #expect(link.allowance == 225_000)
    var most = 0
    repeat {
      let allowance = link.allowance
      if allowance > 0 { bench.send(min(allowance, 16_384), to: link) }
      most = max(most, link.heldBytes)
    } while link.heldBytes < 1_000_000 && (link.allowance > 0 || bench.step(notAfter: .seconds(12)))
    #expect(link.receivedBytes > 995_000)
    #expect(most <= 225_000)
  }

  @Test func theSmallestAllowanceHolds() {
    let bench = Bench()
    let link = bench.addLink([.rate(1_000_000, name: "fast"), .noop(), .rate(40_000, name: "slow")])
    #expect(link.allowance == 10_000)
    bench.send(4_000, to: link)
    #expect(link.allowance == 6_000)
  }

  @Test func toxicityIsDrawnPerSessionAndReported() {
    let bench = Bench()
    var slow = StagePlan.latency(100)
    slow.toxicity = 0.25
    let links = (0..<2_000).map { bench.addLink([slow, .noop()], session: $0) }
    for link in links { bench.send(1, to: link) }
    let applied = links.count { $0.outputs.isEmpty }
    #expect(abs(Double(applied) / 2_000 - 0.25) < 0.05)
    for link in links {
      let outcome: Decision.Outcome = link.outputs.isEmpty ? .applied : .skipped
      let expected = [Decision(toxic: "latency", direction: .upstream, exchange: nil, outcome: outcome)]
      #expect(link.takeDecisions() == expected)
    }
  }

  @Test(arguments: [(-1.0, true), (0, true), (1, false), (80, false)])
  func toxicityBeyondTheRange(toxicity: Double, passes: Bool) {
    let bench = Bench()
    var stall = StagePlan.stall()
    stall.toxicity = toxicity
    for session in 0..<50 {
      let link = bench.addLink([stall], session: session)
      #expect(link.isTransparent == passes)
    }
  }

  @Test func dicesOfDirectionsAndProxiesDiffer() {
    var toxic = StagePlan.noop()
    toxic.toxicity = 0.5
    func pattern(_ proxy: String, _ direction: Direction) -> [Bool] {
      (0..<64).map { session in
        let identity = LinkIdentity(seed: 1, proxy: proxy, session: session, direction: direction)
        let link = Link(identity, plan: [toxic], owner: 0, at: .zero)
        return link.isTransparent
      }
    }
    #expect(pattern("a", .upstream) == pattern("a", .upstream))
    #expect(pattern("a", .upstream) != pattern("a", .downstream))
    #expect(pattern("a", .upstream) != pattern("b", .upstream))
  }

  @Test func aLinkIsSmall() {
    #expect(MemoryLayout<Link>.size <= 112)
    // Two links with two stages: the structs, the arrays of stages and the boxes with what a toxic keeps.
    let boxes = MemoryLayout<Latency>.size + 16 + MemoryLayout<Drop>.size + 16
    #expect(2 * (MemoryLayout<Link>.size + 32 + 2 * 48 + boxes) < 1_024)
  }
}
