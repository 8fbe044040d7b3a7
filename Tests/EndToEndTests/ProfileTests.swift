import Testing

/// The profiles do what their numbers say: bounds from below are exact, those from above are generous.
@Suite
struct ProfileTests {
  /// Least and most milliseconds of a round trip, without what the machine adds.
  static let roundTrips: [(profile: String, range: ClosedRange<Double>)] = [
    ("none", 0...0), ("3g", 50...150), ("lte", 50...50), ("edge", 300...500),
  ]

  @Test(.blocking, arguments: roundTrips)
  func aRoundTripTakesWhatTheProfileSays(profile: String, range: ClosedRange<Double>) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], ["--profile", profile])
    let client = try daemon.connect()
    for _ in 1...3 {
      let time = try client.echoTime("x").milliseconds
      #expect(time >= range.lowerBound)
      #expect(time <= range.upperBound + Machine.promptly.milliseconds)
    }
  }

  @Test(.heavy) func aDownloadTakesAsLongAsTheRateSays() throws {
    let size = 300_000
    let upstream = try Upstream.answering(size)
    let daemon = try Daemon(["p": upstream.address], ["--profile", "3g"])
    let client = try daemon.connect()
    try client.send("?")
    let start = ContinuousClock.now
    expectSame(try client.receive(exactly: size), NumberedStream.bytes(0..<size))
    let time = ContinuousClock.now - start
    // 1.5 s at 200 kB/s, and the round trip.
    #expect(time >= .milliseconds(1450))
    #expect(time <= .milliseconds(3000))
  }

  /// Bytes per second over `window`.
  private func rate(_ client: Connection, _ checker: inout NumberedStream.Checker, over window: Duration) throws
    -> Double
  {
    let (start, before) = (ContinuousClock.now, checker.offset)
    while ContinuousClock.now - start < window {
      try checker.read(client, to: checker.offset + 1)
    }
    return Double(checker.offset - before) / (ContinuousClock.now - start).seconds
  }

  @Test(.heavy) func aSwitchInMidDownloadChangesTheRateAndLosesNothing() throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address], ["--profile", "3g"])
    let client = try daemon.connect()
    var checker = NumberedStream.Checker()
    /// Of what comes behind `settling` bytes: the kernel still holds some that was sent at the rate before, and a fast
    /// network's window has overrun a slow one's queue, so that bytes come in lumps until that is repaired.
    func expect(_ range: ClosedRange<Double>, settling: Int, over bytes: Int, _ words: Comment) throws {
      try checker.read(client, to: checker.offset + settling)
      let (start, before) = (ContinuousClock.now, checker.offset)
      try checker.read(client, to: before + bytes)
      let rate = Double(checker.offset - before) / (ContinuousClock.now - start).seconds
      #expect(range.contains(rate), words)
    }
    try expect(120_000...280_000, settling: 100_000, over: 400_000, "3g is 200 kB/s")
    try daemon.api.use("lte")
    // A window that fits 3g is a sixth of what lte needs: slow start takes a few round trips.
    try expect(3_000_000...9_000_000, settling: 5_000_000, over: 12_000_000, "lte is 6.25 MB/s")
    try daemon.api.use("3g")
    try expect(120_000...280_000, settling: 700_000, over: 700_000, "3g is 200 kB/s")
    try daemon.api.use("none")
    try expect(7_000_000...1e12, settling: 20_000_000, over: 50_000_000, "no limit: more than lte lets through")
  }

  @Test(.heavy) func aNewConnectionIsAsFastAsTheNewProfile() throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address], ["--profile", "3g"])
    let first = try daemon.connect()
    var checker = NumberedStream.Checker()
    try checker.read(first, to: 50_000)
    try daemon.api.use("lte")
    // It would take its share.
    first.abort()
    #expect(try eventually { try daemon.sessions.isEmpty })
    let client = try daemon.connect()
    var second = NumberedStream.Checker()
    _ = try rate(client, &second, over: .milliseconds(600))
    let rate = try rate(client, &second, over: .milliseconds(800))
    #expect((3_000_000...9_000_000).contains(rate), "lte is 6.25 MB/s")
  }

  @Test(.heavy) func switchingWildlyLosesNothing() throws {
    let upstream = try Upstream.flood()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    var checker = NumberedStream.Checker()
    for profile in ["lte", "3g", "edge", "none", "100-loss", "lte", "edge", "3g", "none", "lte", "none"] {
      try daemon.api.use(profile)
      if profile != "100-loss" { try checker.read(client, to: checker.offset + 20_000) }
    }
    try checker.read(client, to: checker.offset + 10_000_000)
  }
}
