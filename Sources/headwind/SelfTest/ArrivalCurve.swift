/// How a transfer arrived in several runs: for each amount the times by which it had come.
struct ArrivalCurve {
  /// Bytes between two looks: a full packet's.
  static let grain = 1448

  /// What had come, and by when in the median and in 9 of 10 runs (ms).
  struct Level {
    let bytes: Int
    let median: Double
    let early: Double
    let late: Double
  }

  let levels: [Level]

  /// - Parameter runs: those that came whole.
  init(_ runs: [Fetches.Run], bytes: Int) {
    let amounts = Array(stride(from: ArrivalCurve.grain, to: bytes, by: ArrivalCurve.grain)) + [bytes]
    let times = runs.map { ArrivalCurve.times(of: $0, amounts) }
    levels = amounts.indices.compactMap { index in
      let all = times.compactMap { $0[index] }
      guard let median = all.median, let early = all.quantile(0.05), let late = all.quantile(0.95) else { return nil }
      return Level(bytes: amounts[index], median: median, early: early, late: late)
    }
  }

  /// When each amount had come; nil where it never did.
  private static func times(of run: Fetches.Run, _ amounts: [Int]) -> [Double?] {
    var place = 0
    return amounts.map { amount in
      while place < run.arrivals.count, run.arrivals[place].bytes < amount { place += 1 }
      return place < run.arrivals.count ? run.arrivals[place].milliseconds : nil
    }
  }

  var end: Double { levels.map(\.late).max() ?? 0 }

  /// The runs differ by more than a line is thick.
  func hasBand(of milliseconds: Double) -> Bool { levels.contains { $0.late - $0.early > milliseconds } }
}
