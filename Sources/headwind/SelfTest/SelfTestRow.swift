import Settings

/// One line of the result: what was promised, what was measured, and whether that is near enough.
struct SelfTestRow {
  /// Where a promise comes from.
  enum Source: Equatable {
    /// An exact formula of the profile's numbers.
    case formula(String)
    /// The median of so many runs of the model.
    case model(runs: Int)
    /// The probability that the toxics say, and how requests then fail.
    case chance(Set<ConnectionFailure>)
  }

  let figure: Figure
  /// Bytes of each transfer; 0 where there is none.
  var size = 0
  let promised: Double
  let source: Source
  /// From the 5th to the 95th percentile of the model's runs, each as long as what is measured.
  let band: ClosedRange<Double>
  /// In which a measurement has passed.
  let allowed: ClosedRange<Double>
  /// Nil: there is none, see `problem`.
  var measured: Double?
  /// Repetitions that it is made of.
  var count = 0
  /// Why it has failed whatever the number.
  var problem: String?

  /// Standard deviations of the model's runs that a measurement may be away: further is one in some 2,000, where there are
  /// no steps.
  static let deviations = 3.5

  var passed: Bool {
    guard problem == nil, let measured else { return false }
    return allowed.contains(measured)
  }

  /// - Parameter runs: what the model's runs had, in any order. Of none, a measurement can't pass.
  static func byModel(_ figure: Figure, size: Int, runs: [Double], formula: (value: Double, text: String)?)
    -> SelfTestRow
  {
    let median = runs.median ?? 0
    let promised = formula?.value ?? median
    let band = (runs.quantile(0.05) ?? median)...(runs.quantile(0.95) ?? median)
    var row = SelfTestRow(
      figure: figure, size: size, promised: promised,
      source: formula.map { .formula($0.text) } ?? .model(runs: runs.count),
      band: band, allowed: allowed(figure, runs: runs, promised: promised))
    if runs.isEmpty { row.problem = "the model never gets through" }
    return row
  }

  /// All that the model's runs had, some of their deviations to either side of their median, and the promise itself; and
  /// then what the machine may add.
  private static func allowed(_ figure: Figure, runs: [Double], promised: Double) -> ClosedRange<Double> {
    let median = runs.median ?? promised
    // One standard deviation, were they normal; times with losses reach further up than down.
    let down = median - (runs.quantile(0.159) ?? median)
    let up = (runs.quantile(0.841) ?? median) - median
    let least = min(runs.min() ?? promised, median - deviations * down, promised)
    let most = max(runs.max() ?? promised, median + deviations * up, promised)
    let (low, high) = (least - figure.tolerance(at: least), most + figure.tolerance(at: most))
    return max(0, low)...(figure.most.map { min($0, high) } ?? high)
  }
}

extension Figure {
  /// What a measurement may be off for the machine's sake, in the figure's unit.
  func tolerance(at value: Double) -> Double {
    switch self {
    case .downstreamRate, .upstreamRate, .sharedRate: 0.02 * value
    case .roundTrip, .spread, .firstByte, .transfer: 1 + 0.02 * value
    case .fairness: 0.02
    case .failures, .silence: 0
    }
  }

  /// What it can't be above.
  var most: Double? { self == .fairness || self == .failures ? 1 : nil }

  /// As the output states it.
  static let tolerances = "rates 2 %, times 1 ms + 2 %, fairness 0.02"
}
