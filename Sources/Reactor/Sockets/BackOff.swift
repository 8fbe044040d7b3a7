/// Growing waits before trying again: each twice the last, up to a limit.
struct BackOff {
  private let range: ClosedRange<Int64>
  private var following: Int64

  /// The first and the longest wait.
  init(nanoseconds range: ClosedRange<Int64>) {
    self.range = range
    following = range.lowerBound
  }

  /// Whether it has failed since it last worked.
  var isWaiting: Bool { following != range.lowerBound }

  /// How long to wait now, in nanoseconds.
  mutating func next() -> Int64 {
    let wait = following
    following = min(wait * 2, range.upperBound)
    return wait
  }

  /// It worked: the next wait is the first again.
  mutating func reset() {
    following = range.lowerBound
  }
}
