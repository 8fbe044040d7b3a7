import Conditioning
import Settings

/// What a profile's toxics promise about requests that fail: a request on a new connection each.
struct FailurePromise: Equatable {
  /// That one of the toxics fells it.
  var share = 0.0
  var kinds: Set<ConnectionFailure> = []
  /// Toxics that are not tested, by their names.
  var untested: [String] = []

  init(_ profile: Profile) {
    var survives = 1.0
    for toxic in profile.toxics {
      guard case .drop(let drop) = toxic.attributes, let probability = FailurePromise.probability(toxic, drop) else {
        untested.append(toxic.name)
        continue
      }
      survives *= 1 - probability
      if probability > 0 { kinds.insert(FailurePromise.kind(drop, probability: probability)) }
    }
    share = 1 - survives
  }

  /// Nil where it depends on more than the request.
  private static func probability(_ toxic: ToxicSpec, _ drop: DropSpec) -> Double? {
    guard toxic.trigger.isEmpty else { return nil }
    // Exchanges are opened by clients.
    if drop.per == .exchange, toxic.stream == .downstream { return 0 }
    return min(1, max(0, drop.probability)) * Double(min(1, max(0, toxic.toxicity)))
  }

  private static func kind(_ drop: DropSpec, probability: Double) -> ConnectionFailure {
    switch drop.how {
    case .reset: .reset
    case .close: .closed
    case .hang: .timeout
    // A listener refuses all or nothing.
    case .refuse: probability >= 1 && drop.per == .connection ? .refused : .reset
    }
  }

  /// What so many independent requests may have, but for one case in a thousand on either side.
  func row(trials: Int) -> SelfTestRow {
    let band = Binomial.range(trials: trials, probability: share, tail: 0.05)
    let allowed = Binomial.range(trials: trials, probability: share, tail: 0.001)
    return SelfTestRow(
      figure: .failures, promised: share, source: .chance(kinds), band: FailurePromise.shares(band, trials),
      allowed: FailurePromise.shares(allowed, trials))
  }

  private static func shares(_ range: ClosedRange<Int>, _ trials: Int) -> ClosedRange<Double> {
    Double(range.lowerBound) / Double(trials)...Double(range.upperBound) / Double(trials)
  }
}
