import Testing

@testable import Conditioning

/// When a path asks to be woken: no later than anybody could tell, and no more often than needed.
@Suite struct WakeUpTests {
  private func path(_ channel: ChannelParameters) -> NetworkPath {
    let parameters = PathParameters(upstream: channel, downstream: channel)
    return NetworkPath(PathTimeline(parameters), seed: 1, name: "test", at: .zero)
  }

  private func path(delay: Double, jitter: Double = 0, rate: Int64? = nil) -> NetworkPath {
    path(
      ChannelParameters(
        capacity: rate.map { .rate(bytesPerSecond: $0) } ?? .unlimited, delay: .milliseconds(delay),
        jitter: .milliseconds(jitter)))
  }

  private func wake(_ path: NetworkPath, at milliseconds: Double) {
    path.drive(at: .milliseconds(milliseconds))
  }

  @Test func anIsolatedDeliveryIsExact() {
    let path = path(delay: 25)
    #expect(path.deadline == nil)
    path.sendPhantoms(1)
    #expect(path.deadline == .milliseconds(25))
    wake(path, at: 25.1)
    #expect(path.deadline == nil)
    wake(path, at: 30)
    path.sendPhantoms(1, .downstream)
    #expect(path.deadline == .milliseconds(55))
  }

  @Test func whatWasUnderWayAlreadyMayShareAWakeUp() {
    // 1,500 bytes take 0.24 ms.
    let path = path(delay: 25, rate: 6_250_000)
    path.sendPhantoms(9)
    #expect(path.deadline == .milliseconds(25.24))
    wake(path, at: 25.3)
    #expect(path.deadline == .milliseconds(26.3))
    wake(path, at: 26.3)
    #expect(path.deadline == .milliseconds(27.3))
    wake(path, at: 27.3)
    #expect(path.deadline == nil)
  }

  @Test func whatArrivesLaterThanThatIsExact() {
    let path = path(delay: 25, rate: 1_000_000)
    path.sendPhantoms(3)
    wake(path, at: 26.5)
    #expect(path.deadline == .milliseconds(28))
    wake(path, at: 28.2)
    #expect(path.deadline == .milliseconds(29.5))
  }

  /// Request and response over a path of a tenth of a millisecond.
  @Test func anAnswerIsExact() {
    let path = path(delay: 0.1)
    path.sendPhantoms(1, .upstream)
    wake(path, at: 0.1)
    path.sendPhantoms(1, .downstream)
    #expect(path.deadline == .milliseconds(0.2))
    wake(path, at: 0.2)
    path.sendPhantoms(1, .upstream)
    #expect(path.deadline == .milliseconds(0.3))
  }

  @Test func whatCannotBeSeenWaitsForItsConsequences() {
    for (delay, jitter, wait) in [(25.0, 0.0, 2.0), (1.5, 0, 1.5), (0, 0, 0), (25, 24, 1), (25, 50, 0)] {
      let path = path(delay: delay)
      path.sendPhantoms(1, size: 52, isVisible: false)
      let upstream = path.parameters.upstream
      let downstream = ChannelParameters(delay: .milliseconds(delay), jitter: .milliseconds(jitter))
      path.update(PathTimeline(PathParameters(upstream: upstream, downstream: downstream)), at: .zero)
      #expect(path.deadline == .milliseconds(delay + wait), "\(delay), \(jitter)")
    }
  }

  /// All but one packet in 30,000 come at most four deviations too early.
  @Test func normalJitterIsFourDeviationsAtMost() {
    for (jitter, wait) in [(2.25, 1.0), (2.125, 1.5), (3, 0)] {
      let path = path(delay: 10)
      path.sendPhantoms(1, size: 52, isVisible: false)
      let upstream = path.parameters.upstream
      let downstream = ChannelParameters(
        delay: .milliseconds(10), jitter: .milliseconds(jitter), jitterDistribution: .normal)
      path.update(PathTimeline(PathParameters(upstream: upstream, downstream: downstream)), at: .zero)
      #expect(path.deadline == .milliseconds(10 + wait), "\(jitter)")
    }
  }

  @Test func nobodyWaitsForAnAnswerThatCannotLeave() {
    let (open, closed) = (ChannelParameters(), ChannelParameters(capacity: .rate(bytesPerSecond: 0)))
    let path = path(ChannelParameters(delay: .milliseconds(1)))
    path.update(PathTimeline(PathParameters(upstream: open, downstream: closed)), at: .zero)
    path.sendPhantoms(1, size: 52, isVisible: false)
    #expect(path.deadline == .zero)
    path.sendPhantoms(1, .downstream)
    #expect(path.deadline == .milliseconds(2))
  }

  @Test func anAnswerThatWouldHaveToWaitItselfCanWaitAsLong() {
    // Nothing but a rate, 1,500 bytes in 0.24 ms: what arrives now is answered behind six of these.
    let path = path(delay: 0, rate: 6_250_000)
    path.sendPhantoms(6, .downstream, isVisible: false)
    path.sendPhantoms(1, .upstream, size: 125, isVisible: false)
    // It arrives at 0.02 ms, the six until 1.44.
    #expect(path.deadline == .milliseconds(0.24))
    wake(path, at: 0.24)
    path.sendPhantoms(1, .upstream, size: 125, isVisible: false)
    wake(path, at: 0.48)
    path.sendPhantoms(10, .upstream, isVisible: false)
    #expect(path.deadline == .milliseconds(1.44))
  }

  @Test func timersWaitForTheirConsequences() throws {
    let path = path(delay: 1.5)
    let link = Link(.test(1), plan: [.tcp(path)], owner: 1, at: .zero)
    let found = link.connection
    let connection = try #require(found)
    path.arm(connection, at: .milliseconds(300))
    path.arm(connection, at: .milliseconds(400))
    #expect(path.deadline == .milliseconds(301.5))
    path.arm(connection, at: .milliseconds(200))
    #expect(path.deadline == .milliseconds(201.5))
    path.leave(connection)
    #expect(path.deadline == nil)
  }

  /// 50 Mbit/s with an acknowledgement for every second packet: 6,250 arrivals a second.
  @Test(arguments: [0.0, 0.2, 1, 25]) func aDenseStreamWakesAThousandTimesASecond(delay: Double) throws {
    let path = path(
      ChannelParameters(
        capacity: .rate(bytesPerSecond: 6_250_000), queueBytes: 64_000, delay: .milliseconds(delay)))
    var wakeUps = 0
    while path.clock < .seconds(2) {
      // A sender that keeps the queue filled, and a receiver that answers.
      path.sendPhantoms(40, .downstream)
      path.sendPhantoms(1, .upstream, size: 52, isVisible: false)
      let deadline = try #require(path.deadline)
      #expect(deadline > path.clock)
      path.drive(at: deadline)
      wakeUps += 1
    }
    #expect(wakeUps <= 2_010)
    let counters = path.counters(.downstream)
    // All that the link could take, but for the first flight's way.
    #expect(counters.packets - counters.dropped >= 8_333 - Int64(delay / 0.24))
  }
}
