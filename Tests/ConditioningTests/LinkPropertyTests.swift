import Conditioning
import Testing

/// Random chunks through random chains that change at random while they run.
@Suite struct LinkPropertyTests {
  /// Sessions under two shared paths that switch between them, each with its own random toxics.
  private struct World {
    let bench = Bench()
    let paths: [SharedRate]
    let links: [BenchLink]
    var dice: SeededGenerator
    /// Put behind the chain of each link; it must not change what the others do.
    let neighbour: [StagePlan]

    init(seed: Int, neighbour: [StagePlan] = [], lateness: Interval = .zero) {
      dice = SeededGenerator(seed: UInt64(seed))
      bench.lateness = lateness
      paths = [bench.addPath(200_000), bench.addPath(30_000)]
      self.neighbour = neighbour
      let bench = bench
      links = (0..<3).map { bench.addLink(neighbour, seed: UInt64(seed), session: $0) }
    }

    mutating func randomStage() -> StagePlan {
      let variants: [StagePlan] = [
        .latency(Double(Int.random(in: 0...80, using: &dice)), jitter: Double(Int.random(in: 0...30, using: &dice))),
        .latency(Double(Int.random(in: 0...80, using: &dice)), name: "second latency"),
        .rate(dice.chance(0.2) ? 0 : Int64(dice.length(upTo: 1_000_000))),
        .path(paths[Int.random(in: 0..<2, using: &dice)]),
        .stall(dice.chance(0.5) ? nil : .milliseconds(Double(Int.random(in: 0...200, using: &dice)))),
        .noop(),
        .drop(0, per: .exchange),
        .slowClose(Double(Int.random(in: 0...100, using: &dice))),
        .slicer(
          Int64(dice.length(upTo: 3_000)), variation: Int64(dice.length(upTo: 300)),
          milliseconds: Double(Int.random(in: 0...2, using: &dice))),
        .limit(1 << 40),
        .latency(30, name: "triggered").triggered(bytes: Int64(dice.length(upTo: 30_000))),
        .rate(Int64(dice.length(upTo: 1_000_000)), name: "latency"),
      ]
      var stage = variants[Int.random(in: 0..<variants.count, using: &dice)]
      if dice.chance(0.2) { stage.toxicity = 0.5 }
      return stage
    }

    mutating func randomPlan() -> [StagePlan] {
      var plan: [StagePlan] = []
      for _ in 0..<Int.random(in: 0...5, using: &dice) {
        let stage = randomStage()
        if !plan.contains(where: { $0.name == stage.name }) { plan.append(stage) }
      }
      return plan
    }

    mutating func act() {
      let link = links[Int.random(in: 0..<links.count, using: &dice)]
      switch Int.random(in: 0..<20, using: &dice) {
      case 0...1: bench.change(link, to: randomPlan() + neighbour)
      case 2:
        let rate: Int64? = dice.chance(0.2) ? nil : Int64(Int.random(in: 0...300_000, using: &dice))
        bench.setRate(rate, of: paths[Int.random(in: 0..<2, using: &dice)])
      case 3...12: bench.send(dice.length(upTo: 20_000), opens: dice.chance(0.2), to: link)
      default: bench.advance(by: .microseconds(Double(dice.length(upTo: 50_000))))
      }
    }

    mutating func run(steps: Int) {
      for _ in 0..<steps { act() }
      for link in links { bench.send(.end, to: link) }
      bench.advance(by: .milliseconds(20))
      for path in paths { bench.setRate(100_000_000, of: path) }
      for link in links { bench.change(link, to: [.latency(10), .path(paths[0])] + neighbour) }
      bench.settle()
    }
  }

  @Test(arguments: 0..<60)
  func everyByteArrivesInOrder(seed: Int) {
    var world = World(seed: seed, lateness: seed % 3 == 0 ? .milliseconds(1) : .zero)
    world.run(steps: 300)
    for link in world.links { expectFaithful(link, ended: true) }
  }

  @Test(arguments: 100..<115)
  func theSameSeedGivesTheSameResultWhateverIsBeside(seed: Int) {
    var first = World(seed: seed)
    var second = World(seed: seed)
    var accompanied = World(seed: seed, neighbour: [.noop("beside"), .drop(0, per: .connection, name: "also beside")])
    first.run(steps: 200)
    second.run(steps: 200)
    accompanied.run(steps: 200)
    for index in first.links.indices {
      #expect(first.links[index].outputs == second.links[index].outputs)
      #expect(first.links[index].outputs == accompanied.links[index].outputs)
      let own = accompanied.links[index].takeDecisions().filter { !$0.toxic.hasSuffix("beside") }
      #expect(first.links[index].takeDecisions() == own)
    }
  }

  /// With a toxic that loses bytes: what arrives is a prefix, then one close, and nothing comes after it; and what can
  /// still be delivered is told exactly.
  @Test(arguments: 0..<40)
  func whatLosesBytesDeliversAPrefix(seed: Int) {
    var dice = SeededGenerator(seed: UInt64(seed))
    let bench = Bench()
    let latency = StagePlan.latency(20, jitter: 10)
    let lossy: [StagePlan] = [
      .limit(Int64(dice.length(upTo: 200_000))), .timeout(0).triggered(bytes: Int64(dice.length(upTo: 200_000))),
      .timeout(200), .drop(1, per: .connection, how: .close).triggered(milliseconds: 300),
    ]
    let plan = [.latency(15, name: "before"), lossy[seed % lossy.count], latency, .rate(2_000_000)]
    let link = bench.addLink(plan, seed: UInt64(seed))
    for _ in 0..<100 {
      bench.send(dice.length(upTo: 5_000), to: link)
      bench.advance(by: .microseconds(Double(dice.length(upTo: 10_000))))
    }
    let promised = link.deliverableBytes.map { $0 + link.receivedBytes }
    bench.change(link, to: [latency, .rate(2_000_000)])
    bench.send(1_000, to: link)
    bench.settle()
    guard let promised else { return expectFaithful(link, ended: false) }
    #expect(link.receivedBytes == promised)
    #expect(link.outputs.last?.segment == .close)
    var offset: Int64 = 0
    for case .bytes(let extent) in link.outputs.map(\.segment) {
      #expect(extent.start == offset)
      offset = extent.end
    }
  }

  /// With a drop: what arrives is a prefix up to the exchange that fell, then the reset.
  @Test(arguments: 0..<40)
  func aDropCutsAtAnExchange(seed: Int) {
    var dice = SeededGenerator(seed: UInt64(seed))
    let bench = Bench()
    let link = bench.addLink(
      [.rate(300_000), .drop(0.1, per: .exchange), .latency(20, jitter: 10)], seed: UInt64(seed))
    for _ in 0..<100 {
      bench.send(dice.length(upTo: 5_000), opens: dice.chance(0.3), to: link)
      bench.advance(by: .microseconds(Double(dice.length(upTo: 10_000))))
    }
    bench.send(.end, to: link)
    bench.settle()
    let decisions = link.takeDecisions()
    guard case .dropped(.reset)? = decisions.last?.outcome, let fallen = decisions.last?.exchange else {
      return expectFaithful(link, ended: true)
    }
    let openings = link.inputs.filter(\.extent.opensExchange)
    #expect(link.outputs.last?.segment == .reset)
    #expect(Int64(link.receivedBytes) == openings[fallen - 1].extent.start)
    #expect(decisions.count == fallen && decisions.dropLast().allSatisfy { $0.outcome == .passed })
  }
}
