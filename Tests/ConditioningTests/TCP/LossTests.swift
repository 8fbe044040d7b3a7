import Testing

@testable import Conditioning

/// What losses cost, against closed forms.
@Suite struct LossTests {
  /// The time-out doubles from round trip + 200 ms on up to two minutes; the first one sends a probe.
  @Test func timeoutsDouble() {
    let bench = TCPBench()
    bench.run(forMilliseconds: 500)
    bench.lose(.downstream, 1)
    bench.session.write(.bytes(Extent(start: 0, count: 100)), .downstream, at: bench.now)
    let start = bench.now
    var times: [Double] = []
    var count = bench.path.counters(.downstream).packets
    while times.count < 13, bench.world.step() {
      if bench.path.counters(.downstream).packets > count { times.append((bench.now - start).seconds) }
      count = bench.path.counters(.downstream).packets
    }
    let gaps = zip(times, [0] + times).map { $0 - $1 }
    // The probe comes as late as the time-out itself, which is counted anew from there.
    let expected = [0.3, 0.3, 0.6, 1.2, 2.4, 4.8, 9.6, 19.2, 38.4, 76.8, 120, 120, 120]
    for (gap, expected) in zip(gaps, expected) {
      #expect(gap > expected - 0.01 && gap < expected * 1.13 + 0.02, "\(gaps)")
    }
  }

  /// A user who puts a good path in place waits for one time-out and not for what was backed off to.
  @Test func aChangeTakesTheBackOffBack() {
    let bench = TCPBench()
    bench.run(forMilliseconds: 500)
    bench.lose(.downstream, 1)
    bench.session.write(.bytes(Extent(start: 0, count: 100)), .downstream, at: bench.now)
    bench.run(forMilliseconds: 60_000)
    bench.lose(.downstream, 0)
    let changed = bench.now
    bench.world.run { bench.session.client.receivedBytes == 0 }
    #expect(bench.now - changed <= .milliseconds(420))
  }

  /// One segment of ten is missing: it comes a round trip later, and the window, 12 after two acknowledgements, shrinks to
  /// 0.7 of that.
  @Test func oneLossCostsARoundTrip() {
    let bench = TCPBench(tunnel: 500..<501)
    bench.run(forMilliseconds: 499.5)
    let write = { (first: Int64, count: Int) in
      bench.session.write(
        .bytes(Extent(start: first * 1_448, count: count * 1_448)), .downstream, at: bench.now)
    }
    write(0, 2)
    bench.run(forMilliseconds: 1)
    write(2, 1)
    bench.run(forMilliseconds: 1)
    write(3, 7)
    bench.run(forMilliseconds: 51)
    #expect(bench.session.client.receivedBytes == 2 * 1_448)
    bench.run(forMilliseconds: 98)
    #expect(bench.session.client.receivedBytes == 2 * 1_448)
    bench.run(forMilliseconds: 2)
    #expect(bench.session.client.receivedBytes == 10 * 1_448)
    bench.run(forMilliseconds: 60)
    #expect(bench.session.connection?.server.sender.congestion.window == 8)
  }

  /// T = 1.2 MSS / (RTT √p) for AIMD with CUBIC's factors (RFC 9438, after Mathis et al. 1997); within a quarter, the mean
  /// of six connections, since the formula knows no time-outs.
  @Test(arguments: [(0.01, 50.0), (0.03, 50.0), (0.01, 200.0)])
  func throughputIsThatOfTheFormula(loss: Double, roundTrip: Double) {
    var bytes = 0
    let seconds = 60 * roundTrip / 50
    for seed in UInt64(1)...6 {
      let world = LabWorld(seed: seed)
      var way = ChannelParameters(delay: .milliseconds(roundTrip / 2))
      way.capacity = .rate(bytesPerSecond: 12_500_000)
      var parameters = PathParameters(upstream: way, downstream: way)
      parameters.downstream.loss = .random(loss)
      let session = world.connect(over: world.addPath(parameters))
      session.server.toWrite = 1 << 30
      world.run(until: .zero + .seconds(seconds))
      bytes += session.client.receivedBytes
    }
    let formula = 1.2 * 1_448 / (roundTrip / 1_000 * loss.squareRoot())
    let measured = Double(bytes) / 6 / seconds
    #expect(abs(measured / formula - 1) < 0.25, "\(measured) against \(formula) bytes a second")
  }

  /// A delay that jumps fires the time-out though nothing is lost; that is noticed, and the window comes back.
  @Test func aMistakenTimeoutIsUndone() {
    let bench = TCPBench(bytesPerSecond: 1_250_000)
    bench.session.server.toWrite = 3_000_000
    bench.session.drive(at: bench.now)
    bench.run(forMilliseconds: 1_000)
    let sender = { bench.session.connection!.server.sender }
    let before = sender().congestion.window
    var slower = bench.path.parameters
    slower.downstream.delay = .milliseconds(1_500)
    bench.path.update(PathTimeline(slower), at: bench.now)
    bench.world.run(until: bench.now + .seconds(10)) { sender().flight?.phase != .loss }
    #expect(sender().flight?.phase == .loss && sender().congestion.window < before)
    bench.world.run(until: bench.now + .seconds(10)) { sender().flight?.phase == .loss }
    #expect(sender().congestion.window >= before)
    bench.world.run(until: bench.now + .seconds(100)) { bench.session.client.receivedBytes < 3_000_000 }
    #expect(bench.session.client.receivedBytes == 3_000_000)
  }

  /// The last segment of an answer has nothing behind it that could show its loss: a probe does, after a time-out.
  @Test func aLostTailIsProbedFor() {
    let bench = TCPBench()
    bench.run(forMilliseconds: 500)
    bench.lose(.downstream, 1)
    bench.session.write(.bytes(Extent(start: 0, count: 1_000)), .downstream, at: bench.now)
    let sent = bench.now
    bench.run(forMilliseconds: 100)
    bench.lose(.downstream, 0)
    bench.world.run { bench.session.client.receivedBytes == 0 }
    let milliseconds = (bench.now - sent).milliseconds
    #expect(milliseconds >= 350 && milliseconds < 400)
    // The next answer shows that there was a loss: the window is cut once.
    bench.run(forMilliseconds: 200)
    #expect(bench.session.connection?.server.sender.congestion.window == 10)
    bench.session.write(.bytes(Extent(start: 1_000, count: 1_000)), .downstream, at: bench.now)
    bench.run(forMilliseconds: 200)
    #expect(bench.session.connection?.server.sender.congestion.window == 7)
  }

  @Test(arguments: [2, 4, 8])
  func oneQueueIsSharedEqually(count: Int) {
    let world = LabWorld(seed: 3)
    let way = ChannelParameters(
      capacity: .rate(bytesPerSecond: 1_250_000), queueBytes: 65_536, delay: .milliseconds(20))
    let path = world.addPath(PathParameters(upstream: way, downstream: way))
    let sessions = (0..<count).map { number in
      world.run(until: world.now + .milliseconds(37))
      let session = world.connect(over: path)
      session.server.toWrite = 1 << 30
      return session
    }
    world.run(until: .zero + .seconds(20))
    let before = sessions.map(\.client.receivedBytes)
    world.run(until: .zero + .seconds(80))
    let got = zip(sessions, before).map { Double($0.client.receivedBytes - $1) }
    let sum = got.reduce(0, +)
    let squares = got.map { $0 * $0 }.reduce(0, +)
    #expect(sum * sum / (Double(count) * squares) > 0.95, "\(got)")
    // Payload is 1448 of 1500 bytes, and the queue never runs empty.
    let most = 60 * 1_250_000 * 1_448.0 / 1_500
    #expect(sum > 0.95 * most)
  }
}
