import Conditioning
import Testing

@Suite struct DropTests {
  @Test(arguments: [
    (Drop.How.reset, ["reset"]), (.refuse, ["reset"]), (.close, ["close"]), (.hang, []),
  ])
  func aConnectionDropActsWithoutData(how: Drop.How, expected: [String]) {
    let bench = Bench()
    let link = bench.addLink([.drop(1, per: .connection, how: how)])
    bench.send(10, opens: true, to: link)
    bench.settle()
    #expect(link.table.map(\.what) == expected)
    #expect(link.takeDecisions() == [decision(.dropped(how))])
    #expect(link.takeDecisions().isEmpty)
  }

  @Test func aConnectionDropActsOnALiveLink() {
    let bench = Bench()
    let link = bench.addLink([])
    bench.advance(to: .milliseconds(5))
    bench.change(link, to: [.drop(1, per: .connection)])
    #expect(link.table == [Row(5, "reset")])
  }

  @Test(arguments: [
    (Drop.How.reset, ["10", "reset"]), (.refuse, ["10", "reset"]), (.close, ["10", "close"]), (.hang, ["10"]),
  ])
  func anExchangeDropLetsWhatCameBeforePass(how: Drop.How, expected: [String]) {
    let bench = Bench()
    let link = bench.addLink([.drop(1, per: .exchange, how: how)])
    bench.send(10, to: link)
    bench.send(20, opens: true, to: link)
    bench.send(30, to: link)
    bench.send(.end, to: link)
    #expect(link.table.map(\.what) == expected)
    #expect(link.takeDecisions() == [decision(.dropped(how), exchange: 1)])
  }

  @Test func whatHangsIsReleasedWhenTheToxicGoes() {
    let bench = Bench()
    let link = bench.addLink([.drop(1, per: .exchange, how: .hang)])
    bench.send(20, opens: true, to: link)
    bench.send(.end, to: link)
    #expect(link.outputs.isEmpty && link.allowance <= 0 && link.deadline == nil)
    bench.change(link, to: [])
    #expect(link.table.map(\.what) == ["20", "end"])
    expectFaithful(link, ended: true)
  }

  @Test func theDiceFallOncePerExchange() {
    let bench = Bench()
    let link = bench.addLink([.drop(0, per: .exchange)])
    for exchange in 1...3 {
      bench.send(10, opens: true, to: link)
      bench.send(10, to: link)
      #expect(link.takeDecisions() == [decision(.passed, exchange: exchange)])
    }
    expectFaithful(link, ended: false)
  }

  @Test func downstreamExchangesDoNotCount() {
    let bench = Bench()
    let link = bench.addLink([.drop(1, per: .exchange)], direction: .downstream)
    bench.send(10, opens: true, to: link)
    #expect(link.table == [Row(0, "10")])
    #expect(link.takeDecisions().isEmpty)
  }

  @Test(arguments: [Drop.Scope.connection, .exchange])
  func theShareIsTheProbability(per: Drop.Scope) {
    let bench = Bench()
    var dropped = 0
    for session in 0..<4_000 {
      let link = bench.addLink([.drop(0.3, per: per)], seed: 77, session: session)
      bench.send(1, opens: true, to: link)
      if link.outputs.last?.segment == .reset { dropped += 1 }
    }
    // Five standard errors.
    #expect(abs(Double(dropped) / 4_000 - 0.3) < 0.037)
  }

  @Test func aLiveUpdateKeepsTheConnectionsDraw() {
    let bench = Bench()
    let links = (0..<200).map { bench.addLink([.drop(0.3, per: .connection)], session: $0) }
    let early = links.map { !$0.outputs.isEmpty }
    for link in links { bench.change(link, to: [.drop(0.6, per: .connection)]) }
    let late = links.map { !$0.outputs.isEmpty }
    #expect(zip(early, late).allSatisfy { !$0 || $1 })
    #expect((80...160).contains(late.count { $0 }) && (30...90).contains(early.count { $0 }))
    for link in links { bench.change(link, to: [.drop(1, per: .connection)]) }
    #expect(links.allSatisfy { !$0.outputs.isEmpty })
  }

  @Test func whatHangsFollowsANewHow() {
    let bench = Bench()
    let link = bench.addLink([.drop(1, per: .exchange, how: .hang)])
    bench.send(20, opens: true, to: link)
    bench.change(link, to: [.drop(1, per: .exchange, how: .reset)])
    #expect(link.table.map(\.what) == ["reset"])
    let outcomes = link.takeDecisions().map(\.outcome)
    #expect(outcomes == [.dropped(.hang), .dropped(.reset)])
  }

  @Test func whatFellHoldsNoBytes() {
    let hang = Drop.Parameters(probability: 1, per: .exchange, how: .hang)
    var drop = Drop(hang, direction: .upstream, generator: SeededGenerator(seed: 1))
    drop.receive(.bytes(Extent(start: 0, count: 10, opensExchange: true)), at: .zero)
    #expect(drop.heldBytes == 10)
    drop.update(.init(probability: 1, per: .exchange, how: .close), at: .zero)
    #expect(drop.heldBytes == 0 && drop.surrender() == [.close])
  }

  @Test func decisionsNobodyFetchesAreBounded() {
    let bench = Bench()
    let link = bench.addLink([.drop(0, per: .exchange)])
    for _ in 0..<1_000 { bench.send(1, opens: true, to: link) }
    let decisions = link.takeDecisions()
    #expect(decisions.count == 256 && decisions.last?.exchange == 1_000)
  }

  private func decision(_ outcome: Decision.Outcome, exchange: Int? = nil) -> Decision {
    Decision(toxic: "drop", direction: .upstream, exchange: exchange, outcome: outcome)
  }
}
