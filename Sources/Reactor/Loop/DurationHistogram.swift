/// How many durations fell into which range, and their sum: what a Prometheus histogram is made of.
package struct DurationHistogram: Equatable, Sendable {
  /// The upper bound of each bucket, itself included, in nanoseconds: 100 µs to 1 s, about 2.5-fold steps. What is longer
  /// falls into one more bucket without a bound.
  package static let bounds: [Int64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
    250_000_000, 1_000_000_000,
  ]

  /// One number a bucket, not cumulative.
  package private(set) var counts = [Int64](repeating: 0, count: bounds.count + 1)
  package private(set) var sumNanoseconds: Int64 = 0

  package init() {}

  package var count: Int64 { counts.reduce(0, +) }

  package mutating func record(nanoseconds: Int64) {
    // Nearly all that is measured belongs to the first bucket or the second: a search from there is the quickest.
    var bucket = 0
    while bucket < DurationHistogram.bounds.count, nanoseconds > DurationHistogram.bounds[bucket] { bucket += 1 }
    counts[bucket] += 1
    sumNanoseconds += max(nanoseconds, 0)
  }
}
