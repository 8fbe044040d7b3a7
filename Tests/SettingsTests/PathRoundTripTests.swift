import Conditioning
import Testing

@testable import Settings

/// Random paths of all kinds: what `GET` gives, `PUT` takes, and it is the same.
@Suite struct PathRoundTripTests {
  @Test func whatIsWrittenReadsTheSame() throws {
    var dice = Dice(state: 11)
    var seen: [String: Int] = [:]
    for _ in 0..<2_000 {
      let profile = Profile(name: "x", path: dice.path())
      let again = try Profile(text: profile.json.text.utf8, source: "again")
      #expect(again == profile)
      for key in profile.json["path"]?.objectValue?.members.map(\.key) ?? [] { seen[key, default: 0] += 1 }
    }
    for key in PathSpec.changeableKeys + PathSpec.lastingKeys {
      #expect(seen[key, default: 0] > 50, "\(key) is looked at")
    }
  }
}

extension Dice {
  fileprivate mutating func flip() -> Bool { Bool.random(using: &self) }
  fileprivate mutating func number(_ range: ClosedRange<Double>) -> Double {
    flip() ? Double.random(in: range, using: &self) : Double.random(in: range, using: &self).rounded(.up)
  }

  fileprivate mutating func path() -> PathSpec {
    var path = PathSpec()
    path.dnsLatencyMilliseconds = flip() ? number(0...60_000) : 0
    if flip() { return plain(path) }
    change(&path)
    path.congestionControl = flip() ? .bbr : .cubic
    switch Int.random(in: 0..<3, using: &self) {
    case 0: path.timeline = timeline(of: path)
    case 1:
      path.trace = TraceSpec(downstream: opportunities(), upstream: flip() ? opportunities() : nil)
      path.downstreamBytesPerSecond = nil
      if path.trace?.upstream != nil { path.upstreamBytesPerSecond = nil }
    default: break
    }
    return path
  }

  /// Whatever doesn't need TCP, as fast as may be.
  private mutating func plain(_ path: PathSpec) -> PathSpec {
    var path = path
    path.latencyMilliseconds = flip() ? number(0...100) : 0
    path.jitterMilliseconds = flip() ? path.latencyMilliseconds / 3 : 0
    path.downstreamBytesPerSecond = flip() ? Int64.random(in: 0...300_000_000, using: &self) : nil
    path.upstreamBytesPerSecond = flip() ? Int64.random(in: 0...300_000_000, using: &self) : nil
    if path.isTCPModelled, flip() { path.model = .plain }
    return path
  }

  private mutating func change(_ path: inout PathSpec) {
    path.latencyMilliseconds = number(24...600_000)
    path.jitterMilliseconds = flip() ? number(0...24) : 0
    path.jitterDistribution = flip() ? .normal : .uniform
    if flip() || path.queue != nil || path.downstreamBytesPerSecond != nil {
      path.downstreamBytesPerSecond = Int64.random(in: 0...125_000_000, using: &self)
    }
    if flip() || path.upstreamBytesPerSecond != nil {
      path.upstreamBytesPerSecond = Int64.random(in: 0...125_000_000, using: &self)
    }
    path.downstreamLoss = loss()
    path.upstreamLoss = loss()
    guard path.downstreamBytesPerSecond != nil else { return }
    path.queue =
      flip() ? .milliseconds(number(0.001...600_000)) : .bytes(.random(in: 1500...1_000_000_000, using: &self))
  }

  private mutating func loss() -> LossSpec {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return .share(number(0...1))
    case 1:
      let loss = Double.random(in: 0..<1, using: &self)
      return .bursts(loss: loss, meanBurstPackets: max(1, loss / (1 - loss)) + number(0...10))
    case 2:
      return .netem(
        goodToBad: number(0...1), badToGood: .random(in: 0.001...1, using: &self), lossInBad: number(0...1),
        lossInGood: number(0...1))
    default: return .none
    }
  }

  private mutating func timeline(of path: PathSpec) -> TimelineSpec {
    let steps = (0..<Int.random(in: 1...5, using: &self)).map { index -> TimelineSpec.Step in
      var step = path
      if flip() { change(&step) }
      return TimelineSpec.Step(name: "\"step\" \(index)", durationMilliseconds: number(1...86_400_000), path: step)
    }
    return TimelineSpec(steps: steps, isLooped: flip())
  }

  private mutating func opportunities() -> [UInt32] {
    var times = (0..<Int.random(in: 1...60, using: &self)).map { _ in UInt32.random(in: 0...1000, using: &self) }
    times.sort()
    return times.dropLast() + [times[times.count - 1] + 1]
  }
}
