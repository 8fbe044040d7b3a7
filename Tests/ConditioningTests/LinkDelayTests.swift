import Conditioning
import Testing

/// What a link says that it delays bytes by.
@Suite struct LinkDelayTests {
  private let identity = LinkIdentity(seed: 1, proxy: "p", session: 1, direction: .upstream)

  private func latency(
    _ name: String, _ milliseconds: Double, toxicity: Double = 1, trigger: Trigger = Trigger()
  ) -> StagePlan {
    let parameters = Latency.Parameters(latency: .milliseconds(milliseconds), jitter: .milliseconds(7))
    return StagePlan(name: name, kind: .latency(parameters), toxicity: toxicity, trigger: trigger)
  }

  private func delay(_ plan: [StagePlan]) -> Interval {
    Link(identity, plan: plan, owner: 1, at: .zero).delay
  }

  @Test func latenciesAddUpAndNothingElseCounts() {
    #expect(delay([]) == .zero)
    let other = StagePlan(name: "slow", kind: .bandwidth(Bandwidth.Parameters(bytesPerSecond: 1)))
    #expect(delay([latency("a", 50), other, latency("b", 30.5)]) == .milliseconds(80.5))
    #expect(delay([latency("a", -50), latency("b", 30)]) == .milliseconds(30))
  }

  @Test func whatToxicityLeavesOutDoesNotCount() {
    #expect(delay([latency("a", 50, toxicity: 0), latency("b", 30)]) == .milliseconds(30))
  }

  @Test func aTriggeredOneCountsOnceItActs() {
    var link = Link(
      identity, plan: [latency("a", 50), latency("b", 30, trigger: Trigger(bytes: 10))], owner: 1, at: .zero)
    let before = link.delay
    link.receive(.bytes(Extent(start: 0, count: 20)), at: .zero)
    while link.poll(at: Instant.zero + .seconds(1)) != nil {}
    let after = link.delay
    #expect(before == .milliseconds(50) && after == .milliseconds(80))
  }

  @Test func aChangeIsSeenAtOnce() {
    var link = Link(identity, plan: [latency("a", 50)], owner: 1, at: .zero)
    link.change(to: [latency("a", 200)], at: .zero)
    let changed = link.delay
    link.change(to: [], at: .zero)
    let gone = link.delay
    #expect(changed == .milliseconds(200) && gone == .zero)
  }
}
