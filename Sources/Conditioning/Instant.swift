/// A point in time: nanoseconds on a monotonic clock whose zero means nothing.
///
/// Eight bytes of our own instead of a clock protocol: a test starts at zero and turns time by hand, and points and
/// spans can't be mixed up. Arithmetic saturates, so that a delay of "for ever" stays in the future.
package struct Instant: Comparable, Hashable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package static let zero = Instant(nanoseconds: 0)
  /// Before every other instant; as a deadline it means "at once".
  package static let distantPast = Instant(nanoseconds: .min)
  package static let distantFuture = Instant(nanoseconds: .max)

  package static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  package static func + (instant: Instant, interval: Interval) -> Instant {
    Instant(nanoseconds: instant.nanoseconds.addingSaturated(interval.nanoseconds))
  }

  package static func - (left: Instant, right: Instant) -> Interval {
    Interval(nanoseconds: left.nanoseconds.subtractingSaturated(right.nanoseconds))
  }
}

/// A span of time in nanoseconds; may be negative. Arithmetic saturates.
package struct Interval: Comparable, Hashable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package static let zero = Interval(nanoseconds: 0)

  package static func nanoseconds(_ value: Int64) -> Interval { Interval(nanoseconds: value) }
  /// Rounded to the nearest nanosecond, clamped to what fits; traps on NaN, as the next two.
  package static func microseconds(_ value: Double) -> Interval { Interval(rounding: value * 1e3) }
  package static func milliseconds(_ value: Double) -> Interval { Interval(rounding: value * 1e6) }
  package static func seconds(_ value: Double) -> Interval { Interval(rounding: value * 1e9) }

  package var seconds: Double { Double(nanoseconds) / 1e9 }
  package var milliseconds: Double { Double(nanoseconds) / 1e6 }

  package static func < (left: Interval, right: Interval) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  package static func + (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds.addingSaturated(right.nanoseconds))
  }

  package static func - (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds.subtractingSaturated(right.nanoseconds))
  }

  init(rounding nanoseconds: Double) {
    precondition(!nanoseconds.isNaN, "an interval can't be NaN")
    // Int64.max is no Double: the comparison is with the next one, 2^63.
    if nanoseconds >= 0x1p63 {
      self.nanoseconds = .max
    } else if nanoseconds < -0x1p63 {
      self.nanoseconds = .min
    } else {
      // Not `rounded()`, which wants the C library's mathematics. The half is lost on numbers too large to have fractions.
      self.nanoseconds = Int64(nanoseconds + (nanoseconds < 0 ? -0.5 : 0.5))
    }
  }
}

extension FixedWidthInteger {
  func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  func multipliedSaturated(by other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  func subtractingSaturated(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
