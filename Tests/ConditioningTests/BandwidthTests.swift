import Testing

@testable import Conditioning

@Suite struct BandwidthTests {
  /// Bytes sent at once at time 0, and what comes out. The first two are the classic API's figures.
  @Test(arguments: [
    (rate: 10_000, sent: [1_000], rows: [Row(100, "1000")]),
    (10_000, [1_500], [Row(100, "1000"), Row(150, "500")]),
    (100_000, [3_000], [Row(14.48, "1448"), Row(28.96, "1448"), Row(30, "104")]),
    (100_000, [100, 100], [Row(1, "100"), Row(2, "100")]),
    (5, [2], [Row(200, "1"), Row(400, "1")]),
    (10_000_000, [45_000], [Row(2, "20000"), Row(4, "20000"), Row(4.5, "5000")]),
  ])
  func piecesLeaveWhenTheirLastByteIsDone(rate: Int, sent: [Int], rows: [Row]) {
    let bench = Bench()
    let link = bench.addLink([.rate(Int64(rate))])
    for count in sent { bench.send(count, to: link) }
    bench.settle()
    #expect(link.table == rows)
  }

  @Test func idleTimeEarnsNothing() {
    let bench = Bench()
    let link = bench.addLink([.rate(100_000)])
    for second in [0.0, 10] {
      bench.advance(to: .seconds(second))
      bench.send(1_000, to: link)
      bench.send(1_000, to: link)
    }
    bench.settle()
    #expect(link.table == [Row(10, "1000"), Row(20, "1000"), Row(10_010, "1000"), Row(10_020, "1000")])
  }

  /// From the slowest to the fastest, in pieces and extents of odd sizes, with polls up to 5 ms late: no nanosecond is lost.
  @Test(arguments: [999, 10_000, 33_333, 1_234_567, 100_000_007, 1_000_000_000], [0.0, 0.07, 5])
  func theRateIsExactOverTime(rate: Int, lateness: Double) {
    let bench = Bench()
    bench.lateness = .milliseconds(lateness)
    let link = bench.addLink([.rate(Int64(rate))])
    let total = rate * 3
    // Extents of up to 1/250 of a second's bytes; data is always there.
    while link.sentBytes < total {
      if link.heldBytes > rate / 10 {
        bench.step()
      } else {
        link.receive(min(total - link.sentBytes, max(1, rate / 251)), opens: false, at: bench.now)
      }
    }
    bench.settle()
    let late = link.outputs.last!.time - .seconds(3)
    #expect(link.receivedBytes == total)
    #expect(late >= .zero && late <= bench.lateness + .nanoseconds(1))
    expectFaithful(link, ended: false)
  }

  /// The classic API promises portions of at most 100 ms' worth, however late it is asked.
  @Test func aLittleLatenessAddsNothingToAPiece() {
    let bench = Bench()
    bench.lateness = .milliseconds(0.3)
    let link = bench.addLink([.rate(10_000)])
    bench.send(4_000, to: link)
    bench.settle()
    #expect(link.table == (1...4).map { Row(Double($0) * 100 + 0.3, "1000") })
  }

  @Test func aLatePollYieldsAllWholePiecesThatAreDone() {
    let bench = Bench()
    bench.lateness = .milliseconds(100)
    let link = bench.addLink([.rate(100_000)])
    bench.send(50_000, to: link)
    bench.step()
    // Due after 14.48 ms, served 100 ms later: 11,448 bytes are done, seven pieces of 1,448 and a part of the eighth.
    #expect(link.receivedBytes == 7 * 1_448)
  }

  @Test func dataThatCameAfterAPauseDoesNotStartInThePast() {
    let link = Bench().addLink([.rate(100_000)])
    link.receive(1_000, opens: false, at: .zero)
    // The first is done at 10 ms, but nobody polls until 45 ms; the second came at 40 ms and needs until 50 ms.
    link.receive(1_000, opens: false, at: .milliseconds(40))
    link.drain(at: .milliseconds(45))
    #expect(link.table == [Row(45, "1000")] && link.deadline == .milliseconds(50))
    link.drain(at: .milliseconds(50))
    #expect(link.table.last == Row(50, "1000"))
  }

  @Test func rateZeroHoldsDataButNoLoneEnd() {
    let bench = Bench()
    let lone = bench.addLink([.rate(0)])
    let link = bench.addLink([.rate(0)])
    bench.send(.end, to: lone)
    #expect(lone.table == [Row(0, "end")])
    bench.send(2_000, to: link)
    bench.send(.end, to: link)
    bench.advance(to: .seconds(100))
    #expect(link.outputs.isEmpty && link.deadline == nil)
    bench.change(link, to: [.rate(1_000_000)])
    bench.settle()
    #expect(link.table == [Row(100_002, "2000"), Row(100_002, "end")])
  }

  @Test func aNewRateActsAtOnceAndKeepsWhatWasDone() {
    let bench = Bench()
    let link = bench.addLink([.rate(1_000_000_000)])
    bench.send(2_000_000, to: link)
    // Half of the 2 ms piece is done: a million bytes leave now, the rest at a millionth of the rate.
    bench.advance(to: .milliseconds(1))
    bench.change(link, to: [.rate(1_000)])
    #expect(link.table == [Row(1, "1000000")])
    bench.advance(to: .milliseconds(1_001))
    #expect(link.receivedBytes == 1_001_000)
    bench.change(link, to: [.rate(1_000_000_000)])
    bench.settle()
    #expect(link.table.last == Row(1_001 + 0.999, "999000"))
  }

  /// An oracle under random rates: a fluid in floating point. No byte leaves before it is done, the last of each extent
  /// not later than that.
  @Test(arguments: 0..<30)
  func randomRatesFollowTheFluid(seed: Int) {
    var dice = SeededGenerator(seed: UInt64(seed))
    let bench = Bench()
    let link = bench.addLink([.rate(50_000)])
    var fluid = Fluid(rate: 50_000)
    for _ in 0..<150 {
      bench.advance(by: .microseconds(Double(Int.random(in: 0...30_000, using: &dice))))
      fluid.advance(to: bench.now)
      if dice.chance(0.25) {
        fluid.rate = dice.chance(0.1) ? 0 : Double(dice.length(upTo: 10_000_000))
        bench.change(link, to: [.rate(Int64(fluid.rate))])
      } else {
        let count = dice.length(upTo: 5_000)
        fluid.pending.append(Double(count))
        bench.send(count, to: link)
      }
    }
    bench.change(link, to: [.rate(100_000)])
    fluid.rate = 100_000
    bench.settle()
    fluid.advance(to: bench.now + .seconds(1))
    for (input, done) in zip(link.inputs, fluid.doneNanoseconds) {
      let left = Double(link.time(of: Int(input.extent.end))!.nanoseconds)
      #expect(abs(left - done) < 20)
    }
    #expect(fluid.doneNanoseconds.count == link.inputs.count)
    expectFaithful(link, ended: false)
  }

  @Test func theAllowanceIsAQuarterOfASecond() {
    let bench = Bench()
    let slow = bench.addLink([.rate(10_000)])
    let fast = bench.addLink([.rate(1_000_000)])
    let still = bench.addLink([.rate(0)])
    #expect([slow, fast, still].map(\.allowance) == [8_192, 250_000, 16_384])
    for link in [slow, fast, still] { bench.send(20_000, to: link) }
    #expect([slow, fast, still].map(\.allowance) == [8_192 - 20_000, 230_000, 16_384 - 20_000])
    bench.advance(to: .milliseconds(10))
    #expect(fast.allowance == 250_000 - fast.heldBytes)
  }

  @Test func removalReleasesAtOnce() {
    let bench = Bench()
    let link = bench.addLink([.rate(10)])
    bench.send(100, to: link)
    bench.send(.end, to: link)
    bench.change(link, to: [])
    #expect(link.table == [Row(0, "100"), Row(0, "end")])
  }
}

/// The rate limit as one would write it down without caring for pieces.
private struct Fluid {
  var rate: Double
  var pending: [Double] = []
  private(set) var doneNanoseconds: [Double] = []
  private var clock = 0.0

  init(rate: Double) {
    self.rate = rate
  }

  mutating func advance(to now: Instant) {
    let end = Double(now.nanoseconds)
    while let first = pending.first, rate > 0, clock + first / rate * 1e9 <= end {
      clock += first / rate * 1e9
      doneNanoseconds.append(clock)
      pending.removeFirst()
    }
    if !pending.isEmpty { pending[0] -= (end - clock) * rate / 1e9 }
    clock = end
  }
}
