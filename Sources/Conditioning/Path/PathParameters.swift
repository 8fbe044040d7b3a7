/// What a path does to packets, in each direction.
///
/// A packet goes through a drop-tail queue, a serialiser (the rate), loss, then delay and jitter; so a lost packet has used
/// its share of the link. Rates count IP bytes, headers too.
package struct PathParameters: Equatable, Sendable {
  package var upstream: ChannelParameters
  package var downstream: ChannelParameters
  /// That of the modelled senders at both ends.
  package var congestionControl: CongestionControl

  package init(
    upstream: ChannelParameters = ChannelParameters(), downstream: ChannelParameters = ChannelParameters(),
    congestionControl: CongestionControl = .cubic
  ) {
    self.upstream = upstream
    self.downstream = downstream
    self.congestionControl = congestionControl
  }

  package subscript(direction: Direction) -> ChannelParameters {
    direction == .upstream ? upstream : downstream
  }
}

package enum CongestionControl: String, CaseIterable, Sendable {
  /// RFC 9438 with HyStart, as Linux has it.
  case cubic
  /// BBR version 1: paced by a model of the path, no window cut on loss.
  case bbr
}

/// One direction of a path.
package struct ChannelParameters: Equatable, Sendable {
  package var capacity: Capacity
  /// IP bytes that wait for the serialiser at most; what finds no room is dropped. Nil: no limit.
  package var queueBytes: Int?
  /// One way.
  package var delay: Interval
  /// ± around the delay: half width (uniform) or standard deviation (normal). A delay below 0 is 0.
  package var jitter: Interval
  package var jitterDistribution: JitterDistribution
  package var loss: LossModel

  package init(
    capacity: Capacity = .unlimited, queueBytes: Int? = nil, delay: Interval = .zero, jitter: Interval = .zero,
    jitterDistribution: JitterDistribution = .uniform, loss: LossModel = .none
  ) {
    self.capacity = capacity
    self.queueBytes = queueBytes
    self.delay = delay
    self.jitter = jitter
    self.jitterDistribution = jitterDistribution
    self.loss = loss
  }
}

package enum Capacity: Equatable, Sendable {
  case unlimited
  /// 0 stands still.
  case rate(bytesPerSecond: Int64)
  case trace(CapacityTrace)
}

package enum JitterDistribution: String, CaseIterable, Sendable {
  case uniform, normal
}

package enum LossModel: Equatable, Sendable {
  case none
  /// Each packet by itself, 0...1.
  case random(Double)
  case bursts(GilbertElliott)
}

/// Loss in bursts: a chain of two states that steps once a packet (E. N. Gilbert 1960, E. O. Elliott 1963), with the four
/// numbers of netem's `gemodel p r 1-h 1-k`. All are probabilities, 0...1.
package struct GilbertElliott: Equatable, Sendable {
  /// p: from the good state to the bad one.
  package var goodToBad: Double
  /// r: from the bad state to the good one; 1/r packets is the mean length of a burst.
  package var badToGood: Double
  /// 1-h: loss in the bad state.
  package var lossInBad: Double
  /// 1-k: loss in the good state.
  package var lossInGood: Double

  package init(goodToBad: Double, badToGood: Double, lossInBad: Double = 1, lossInGood: Double = 0) {
    self.goodToBad = goodToBad
    self.badToGood = badToGood
    self.lossInBad = lossInBad
    self.lossInGood = lossInGood
  }

  /// Bursts of that mean length in which all is lost. `loss` 0 ..< 1, `meanBurstPackets` at least 1.
  package init(loss: Double, meanBurstPackets: Double) {
    let badToGood = 1 / meanBurstPackets
    self.init(goodToBad: badToGood * loss / (1 - loss), badToGood: badToGood)
  }

  /// The share of packets lost in the long run.
  package var meanLoss: Double {
    let sum = goodToBad + badToGood
    let bad = sum > 0 ? goodToBad / sum : 0
    return bad * lossInBad + (1 - bad) * lossInGood
  }
}
