package import Conditioning

/// Loss of packets as a user states it: a share, bursts by their mean length, or netem's four numbers.
package enum LossSpec: Hashable, Sendable {
  /// 0...1, each packet by itself.
  case share(Double)
  /// `{"loss": 0.01, "mean_burst_packets": 5}`: all is lost in a burst. 0 ..< 1; at least 1 and at least loss/(1−loss),
  /// as there is a packet between two bursts.
  case bursts(loss: Double, meanBurstPackets: Double)
  /// `{"p": 0.002, "r": 0.2, "1-h": 1, "1-k": 0}`, as `tc … netem loss gemodel` takes them, each 0...1.
  case netem(goodToBad: Double, badToGood: Double, lossInBad: Double, lossInGood: Double)

  package static let none = LossSpec.share(0)

  package var model: LossModel {
    switch self {
    case .share(let share): share > 0 ? .random(share) : .none
    case .bursts(let loss, let length):
      loss > 0 ? .bursts(GilbertElliott(loss: loss, meanBurstPackets: length)) : .none
    case .netem(let p, let r, let bad, let good):
      good > 0 || (p > 0 && bad > 0)
        ? .bursts(GilbertElliott(goodToBad: p, badToGood: r, lossInBad: bad, lossInGood: good)) : .none
    }
  }

  package var json: JSON {
    switch self {
    case .share(let share): .number(share)
    case .bursts(let loss, let length): ["loss": .number(loss), "mean_burst_packets": .number(length)]
    case .netem(let p, let r, let bad, let good):
      ["p": .number(p), "r": .number(r), "1-h": .number(bad), "1-k": .number(good)]
    }
  }
}
