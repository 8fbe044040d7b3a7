import Conditioning
import Settings

// What a path promises by arithmetic alone.
extension PathPromise {
  /// What of a rate is payload: all in the plain model, which knows no packets.
  static func payloadShare(_ path: PathSpec) -> Double { path.modelInForce == .tcp ? 1448.0 / 1500 : 1 }

  /// Payload bytes per second that a direction carries when it is always busy; nil where no formula says it.
  func payloadRate(_ direction: Direction) -> Double? {
    guard path.trace?[direction] == nil, isLossless else { return nil }
    return path.bytesPerSecond(direction).map { Double($0) * PathPromise.payloadShare(path) }
  }

  private var isLossless: Bool { Direction.allCases.allSatisfy { path.loss($0).model == .none } }

  /// Milliseconds that packets of this payload take on the wires, where no more than rates and latency matter.
  private func wireMilliseconds(_ sizes: [(bytes: Int, direction: Direction)]) -> Double {
    sizes.reduce(0) { sum, packet in
      guard let rate = path.bytesPerSecond(packet.direction), rate > 0 else { return sum }
      return sum + Double(packet.bytes) / Double(rate) * 1000
    }
  }

  /// What a formula says about a figure; nil where it can't be said exactly.
  func formula(_ figure: Figure) -> (value: Double, text: String)? {
    guard path.trace == nil, path.timeline == nil else { return nil }
    guard isLossless else { return nil }
    switch figure {
    case .downstreamRate: return rateFormula(.downstream)
    case .upstreamRate: return rateFormula(.upstream)
    case .roundTrip: return roundTripFormula
    case .spread: return spreadFormula
    case .firstByte: return firstByteFormula
    case .transfer, .sharedRate, .fairness, .failures, .silence: return nil
    }
  }

  private func rateFormula(_ direction: Direction) -> (value: Double, text: String)? {
    guard let value = payloadRate(direction), let rate = path.bytesPerSecond(direction) else { return nil }
    let share = PathPromise.payloadShare(path) < 1 ? " × 1448/1500" : ""
    return (value, "\(UnitText.bytes(rate))/s" + share)
  }

  private var isUniform: Bool { path.jitterMilliseconds == 0 || path.jitterDistribution == .uniform }

  /// The deviations of both ways are symmetric, so the median has none of them.
  private var roundTripFormula: (value: Double, text: String)? {
    guard isUniform else { return nil }
    let header = path.modelInForce == .tcp ? 52 : 0
    let bytes = Pings.messageBytes + header
    return (
      path.latencyMilliseconds + wireMilliseconds([(bytes, .upstream), (bytes, .downstream)]), "latency, packets"
    )
  }

  /// The sum of two uniform deviations of half the jitter has a triangle for its density: a tenth lies above
  /// jitter · (1 - √0.2).
  private var spreadFormula: (value: Double, text: String)? {
    guard isUniform else { return nil }
    return (
      path.jitterMilliseconds * (1 - 0.2.squareRoot()), path.jitterMilliseconds > 0 ? "0.553 × jitter" : "no jitter"
    )
  }

  /// SYN and SYN-ACK, the request, then its acknowledgement and the first full packet. With jitter the packet may have to
  /// wait for the acknowledgement before it, which no simple formula says.
  private var firstByteFormula: (value: Double, text: String)? {
    guard path.jitterMilliseconds == 0, path.modelInForce == .tcp else { return nil }
    let wire = wireMilliseconds([
      (60, .upstream), (60, .downstream), (Fetches.requestBytes + 52, .upstream), (52, .downstream),
      (1500, .downstream),
    ])
    return (path.latencyMilliseconds * 2 + wire, "2 × latency, packets")
  }
}
