/// What is said about some numbers.
extension Array where Element == Double {
  /// The middle one; of an even count the mean of the two in the middle. Nil of none.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }

  /// `share` 0...1; between two of them in proportion. Nil of none.
  func quantile(_ share: Double) -> Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let place = share * Double(count - 1)
    let below = Int(place)
    let above = Swift.min(count - 1, below + 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }

  var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

  /// Of a sample; 0 of fewer than two.
  var standardDeviation: Double {
    guard count > 1 else { return 0 }
    let mean = mean
    return (reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1)).squareRoot()
  }
}

/// How often something of a known probability happens in so many independent trials.
enum Binomial {
  /// The counts outside of which, on either side, at most the probability `tail` lies.
  static func range(trials: Int, probability: Double, tail: Double) -> ClosedRange<Int> {
    guard probability > 0 else { return 0...0 }
    guard probability < 1 else { return trials...trials }
    let all = probabilities(trials: trials, probability: probability)
    var (low, below) = (0, all[0])
    while below <= tail {
      low += 1
      below += all[low]
    }
    var (high, above) = (trials, all[trials])
    while above <= tail {
      high -= 1
      above += all[high]
    }
    return low...high
  }

  /// Of 0, 1 … `trials` times; by weights relative to the likeliest count, so that nothing vanishes.
  private static func probabilities(trials: Int, probability: Double) -> [Double] {
    let odds = probability / (1 - probability)
    var weights = [Double](repeating: 0, count: trials + 1)
    let middle = Swift.min(trials, Int(Double(trials + 1) * probability))
    weights[middle] = 1
    for count in stride(from: middle + 1, through: trials, by: 1) {
      weights[count] = weights[count - 1] * odds * Double(trials - count + 1) / Double(count)
    }
    for count in stride(from: middle - 1, through: 0, by: -1) {
      weights[count] = weights[count + 1] / odds * Double(count + 1) / Double(trials - count)
    }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }
}
