import Testing

@testable import Conditioning

/// BBR over whole connections, in virtual time.
@Suite struct BBRTests {
  private static func link(loss: Double = 0, queueInRoundTrips: Double = 1, rate: Double = 5e6) -> LabLink {
    LabLink("bbr", down: rate, up: rate, rtt: 50, loss: loss, bdps: queueInRoundTrips).with(.bbr)
  }

  /// Downloads without an end.
  private func download(_ link: LabLink, sessions: Int = 1, seed: UInt64 = 1) -> (LabWorld, [LabSession]) {
    let world = LabWorld(seed: seed)
    let path = world.addPath(link.parameters)
    let all = (0..<sessions).map { _ in world.connect(over: path) }
    for session in all {
      session.server.toWrite = 1 << 40
      session.drive(at: world.now)
    }
    return (world, all)
  }

  private func run(_ world: LabWorld, seconds: Double) {
    world.run(until: world.now + .seconds(seconds)) { true }
  }

  private func model(_ session: LabSession) -> BBR? {
    guard case .bbr(let bbr)? = session.connection?.server.sender.congestion else { return nil }
    return bbr
  }

  /// Received bytes a second, as a share of what the link carries of payload.
  private func share(_ world: LabWorld, _ session: LabSession, rate: Double = 5e6, seconds: Double) -> Double {
    let before = session.client.receivedBytes
    run(world, seconds: seconds)
    return Double(session.client.receivedBytes - before) / (seconds * rate / 8 * 1_448 / 1_500)
  }

  @Test func itFindsTheRateAndTheRoundTrip() throws {
    let (world, sessions) = download(Self.link(queueInRoundTrips: 10))
    run(world, seconds: 3)
    let bbr = try #require(model(sessions[0]))
    #expect(bbr.mode == .probeBandwidth && bbr.fullPipe.isReached)
    #expect((0.97...1.03).contains(bbr.rate.segmentsPerSecond / (5e6 / 8 / 1_500)))
    #expect((50...53).contains(bbr.leastRoundTrip.milliseconds))
    #expect(share(world, sessions[0], seconds: 5) > 0.97)
  }

  /// Two round trips' worth is all that it has under way, so that at most one waits; CUBIC fills what queue there is.
  @Test func itLeavesALongQueueNearlyEmpty() throws {
    func roundTrip(_ control: CongestionControl) throws -> Double {
      let (world, sessions) = download(Self.link(queueInRoundTrips: 10).with(control))
      run(world, seconds: 6)
      return try #require(sessions[0].connection).server.sender.roundTrips.smoothedTime.milliseconds
    }
    #expect(try roundTrip(.bbr) < 130)
    #expect(try roundTrip(.cubic) > 300)
  }

  @Test(arguments: [0.01, 0.03]) func aLossIsNoReasonToSlowDown(loss: Double) {
    func share(_ control: CongestionControl) -> Double {
      let (world, sessions) = download(Self.link(loss: loss).with(control))
      run(world, seconds: 2)
      return self.share(world, sessions[0], seconds: 20)
    }
    #expect(share(.bbr) > 0.8)
    // 1.2 MSS/(RTT √p) is 0.58 of this link at 1 %, 0.33 at 3 %.
    #expect(share(.cubic) < 0.75)
  }

  @Test func everyTenSecondsItLooksForTheRoundTrip() throws {
    let (world, sessions) = download(Self.link(queueInRoundTrips: 2))
    let bbr: () -> BBR? = { model(sessions[0]) }
    var probes: [Double] = []
    var isProbing = false
    var least = Int.max
    for _ in 0..<4_000 {
      run(world, seconds: 0.01)
      let now = bbr()?.mode == .probeRoundTrip
      if now && !isProbing { probes.append((world.now - .zero).seconds) }
      if now { least = min(least, bbr()?.window ?? .max) }
      isProbing = now
    }
    // A time when the queue is empty is as good as a look; a look every ten seconds is the least.
    #expect((3...4).contains(probes.count) && least == 4)
    for (one, next) in zip(probes, probes.dropFirst()) { #expect((10...11).contains(next - one)) }
    #expect(share(world, sessions[0], seconds: 10) > 0.93)
  }

  @Test func aPauseTakesNothingAway() throws {
    func times(_ control: CongestionControl) throws -> (second: Double, afterIdle: Double) {
      let figures = try #require(LabWorkload.idleBurst.run(over: LabLink.named("lte").with(control), seed: 1))
      return (try #require(figures["second_ms"]?.first), try #require(figures["after_idle_ms"]?.first))
    }
    let bbr = try times(.bbr)
    #expect(abs(bbr.afterIdle - bbr.second) < 10)
    let cubic = try times(.cubic)
    #expect(cubic.afterIdle > cubic.second + 100)
  }

  @Test(arguments: 1...3) func sixShareALink(seed: UInt64) {
    let (world, sessions) = download(Self.link(queueInRoundTrips: 2), sessions: 6, seed: seed)
    run(world, seconds: 15)
    let before = sessions.map(\.client.receivedBytes)
    run(world, seconds: 30)
    let got = zip(sessions, before).map { Double($0.client.receivedBytes - $1) }
    let sum = got.reduce(0, +)
    #expect(sum / (30 * 5e6 / 8 * 1_448 / 1_500) > 0.95)
    let fairness = sum * sum / (6 * got.reduce(0) { $0 + $1 * $1 })
    #expect(fairness > 0.85, "\(got)")
  }

  /// The medians of the kernel's BBR over links without loss: `truth/bbr` of the link lab.
  @Test(arguments: [
    LinkLabTests.Cell("lte", .new14k, "total_ms", 102.5), .init("lte", .new100k, "total_ms", 256.5),
    .init("lte", .new1m, "total_ms", 464.6), .init("lte", .par6, "total_ms", 271.6),
    .init("lte", .par6, "each_ttfb_ms", 105.9), .init("3g", .new100k, "total_ms", 793.6),
    .init("3g", .new1m, "total_ms", 5_712.7), .init("edge", .new100k, "total_ms", 4_375.7),
    .init("edge", .new1m, "total_ms", 38_827.1),
  ])
  func takesAsLongAsTheKernels(cell: LinkLabTests.Cell) throws {
    var samples: [Double] = []
    for seed in UInt64(1)...9 {
      samples += try #require(cell.workload.run(over: .named(cell.link).with(.bbr), seed: seed))[cell.figure] ?? []
    }
    let median = samples.sorted()[samples.count / 2]
    #expect(abs(median / cell.median - 1) < 0.04, "\(median) ms instead of \(cell.median)")
  }

  /// To and fro between BBR and CUBIC, under loss, while it flows.
  @Test(arguments: 1...8) func aChangeOfControlKeepsEveryByte(seed: UInt64) {
    let world = LabWorld(seed: seed)
    var dice = SeededGenerator(seed: seed, "changes")
    let paths = [CongestionControl.bbr, .cubic].map { world.addPath(Self.link(loss: 0.05).with($0).parameters) }
    let session = world.connect(over: paths[0])
    session.client.keepsRecord = true
    session.server.toWrite = 2_000_000
    session.drive(at: world.now)
    for round in 1...60 {
      run(world, seconds: dice.unit() * 0.3)
      session.change(to: LabWorld.plan(paths[round % 2]), at: world.now)
    }
    session.server.marks = [.end]
    session.drive(at: world.now)
    world.run(until: world.now + .seconds(600)) { session.client.received.last != .end }
    #expect(session.client.receivedBytes == 2_000_000 && session.client.received.last == .end)
    var offset: Int64 = 0
    for case .bytes(let extent) in session.client.received {
      #expect(extent.start == offset)
      offset = extent.start + Int64(extent.count)
    }
  }

  @Test func onlyThoseWhoUseItCarryIt() {
    #expect(MemoryLayout<Congestion>.size <= MemoryLayout<CubicController>.size + 8)
  }
}
