import Conditioning
import Testing

@Suite struct SharedRateTests {
  /// Keeps every link supplied for `seconds`, as a sender with a full window would, and returns what each got.
  private func saturate(_ bench: Bench, _ links: [BenchLink], chunks: [Int], until end: Instant) -> [Int] {
    let before = links.map(\.receivedBytes)
    repeat {
      for (link, chunk) in zip(links, chunks) {
        while link.allowance > 0 { bench.send(min(chunk, link.allowance), to: link) }
      }
    } while bench.step(notAfter: end)
    bench.advance(to: end)
    return zip(links, before).map { $0.receivedBytes - $1 }
  }

  @Test(arguments: [10_000, 30_000, 500_000, 6_250_000], [0.0, 3])
  func fourFlowsShareEquallyAndTheSumIsExact(rate: Int, lateness: Double) {
    let bench = Bench()
    bench.lateness = .milliseconds(lateness)
    let path = bench.addPath(Int64(rate))
    let links = (0..<4).map { bench.addLink([.path(path)], session: $0) }
    // Very different sizes of writes: the share must not follow them.
    let got = saturate(bench, links, chunks: [100, 1_448, 5_000, 65_536], until: .seconds(8))
    let sum = got.reduce(0, +)
    let slack = max(1_448, rate / 500) + rate * Int(lateness) / 1_000
    #expect(sum <= 8 * rate && sum >= 8 * rate - slack)
    for bytes in got { #expect((0.23...0.27).contains(Double(bytes) / Double(sum))) }
    for link in links { expectFaithfulSoFar(link) }
  }

  @Test func anIdleFlowTakesNothing() {
    let bench = Bench()
    let path = bench.addPath(100_000)
    let links = (0..<3).map { bench.addLink([.path(path)], session: $0) }
    let got = saturate(bench, Array(links[..<2]), chunks: [3_000, 3_000], until: .seconds(2))
    #expect(got.reduce(0, +) >= 200_000 - 1_448 && links[2].outputs.isEmpty)
    #expect(links[2].isTransparent == false && links[2].deadline == nil)
  }

  @Test func oneFlowAloneIsServedAsByABandwidth() {
    let bench = Bench()
    let path = bench.addPath(100_000)
    let shared = bench.addLink([.path(path)])
    let own = bench.addLink([.rate(100_000)])
    for link in [shared, own] {
      for count in [3_000, 10, 20] { bench.send(count, to: link) }
    }
    bench.advance(to: .seconds(1))
    for link in [shared, own] {
      bench.send(500, to: link)
      bench.send(.end, to: link)
    }
    bench.settle()
    #expect(shared.table == own.table)
    #expect(shared.table.last == Row(1_005, "end"))
  }

  @Test func aNewRateActsAtOnce() {
    let bench = Bench()
    let path = bench.addPath(100_000_000)
    let links = (0..<2).map { bench.addLink([.path(path)], session: $0) }
    for link in links { bench.send(1_000_000, to: link) }
    bench.advance(to: .milliseconds(5))
    // 5 ms: 500,000 bytes are done. At 10 kB/s neither waits for the rest of the other's old turn.
    bench.setRate(10_000, of: path)
    #expect(links.map(\.receivedBytes).reduce(0, +) == 500_000)
    let before = links.map(\.receivedBytes)
    bench.advance(to: .milliseconds(4_055))
    let got = zip(links, before).map { $0.receivedBytes - $1 }
    #expect(got.reduce(0, +) == 40_000 && got.allSatisfy { (18_000...22_000).contains($0) })
    bench.setRate(nil, of: path)
    #expect(links.allSatisfy { $0.heldBytes == 0 })
    #expect(path.deadline == nil)
    bench.setRate(1_000, of: path)
    bench.send(1_000, to: links[0])
    bench.settle()
    #expect(links[0].outputs.last?.time == .milliseconds(5_055))
  }

  @Test func rateZeroHoldsAndNoLimitGrantsAtOnce() {
    let bench = Bench()
    let path = bench.addPath(0)
    let link = bench.addLink([.path(path)])
    let lone = bench.addLink([.path(path)], session: 2)
    bench.send(.end, to: lone)
    bench.send(5_000, to: link)
    bench.send(.reset, to: link)
    bench.advance(to: .seconds(9))
    #expect(lone.table == [Row(0, "end")] && link.outputs.isEmpty && path.deadline == nil)
    bench.setRate(nil, of: path)
    #expect(link.table == [Row(9_000, "5000"), Row(9_000, "reset")])
    #expect(bench.addLink([.path(path)]).allowance == .max)
  }

  @Test func aFlowThatGoesLeavesItsShareAndTakesItsProgress() {
    let bench = Bench()
    let path = bench.addPath(10_000)
    let goes = bench.addLink([.path(path)])
    let stays = bench.addLink([.path(path)], session: 2)
    bench.send(1_000_000, to: goes)
    bench.send(10_000, to: stays)
    bench.advance(to: .milliseconds(50))
    bench.change(goes, to: [])
    #expect(goes.heldBytes == 0)
    bench.settle()
    #expect(stays.outputs.last?.time == .milliseconds(1_050))
  }

  @Test func lateProgressGoesWithTheFlowThatItWasFor() {
    let path = SharedRate(bytesPerSecond: 10_000, at: .zero)
    let bench = Bench()
    let stays = bench.addLink([.path(path)])
    let goes = bench.addLink([.path(path)], session: 2)
    stays.receive(100, opens: false, at: .zero)
    goes.receive(10_000, opens: false, at: .zero)
    // Nobody polls for a second; what was done for the one that goes is no credit for the other.
    stays.receive(1, opens: false, at: .seconds(1))
    goes.link.change(to: [], at: .seconds(1))
    stays.receive(10_000, opens: false, at: .seconds(1))
    while path.poll(at: .seconds(1)) != nil { stays.drain(at: .seconds(1)) }
    #expect(stays.receivedBytes == 101)
  }

  @Test(arguments: [0, 1])
  func aLinkThatIsThrownAwayLeavesThePath(position: Int) {
    let path = SharedRate(bytesPerSecond: 10_000, at: .zero)
    var links = (0..<2).map { session in
      BenchLink(
        Link(
          LinkIdentity(seed: 1, proxy: "web", session: session, direction: .upstream), plan: [.path(path)],
          owner: session, at: .zero))
    }
    for link in links { link.receive(5_000, opens: false, at: .zero) }
    links.remove(at: position)
    var served: [Int] = []
    while let deadline = path.deadline, let flow = path.poll(at: deadline) { served.append(flow.owner) }
    #expect(served.allSatisfy { $0 == 1 - position } && served.count == 5)
    links.removeAll()
    #expect(path.deadline == nil)
  }

  @Test func movingToAnotherPathTakesTheQueueAlong() {
    let bench = Bench()
    let slow = bench.addPath(1_000)
    let fast = bench.addPath(100_000)
    let link = bench.addLink([.path(slow)])
    bench.send(10_000, to: link)
    bench.send(.end, to: link)
    bench.advance(to: .seconds(1))
    #expect(link.receivedBytes == 1_000)
    bench.change(link, to: [.path(fast)])
    bench.settle()
    #expect(link.outputs.last?.time == .milliseconds(1_090))
    #expect(slow.deadline == nil)
    expectFaithful(link, ended: true)
  }

  private func expectFaithfulSoFar(_ link: BenchLink) {
    var offset: Int64 = 0
    for output in link.outputs {
      guard case .bytes(let extent) = output.segment else { continue }
      #expect(extent.start == offset)
      offset = extent.end
    }
  }
}
