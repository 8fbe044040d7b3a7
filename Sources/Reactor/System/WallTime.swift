internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A moment by the calendar, for people and logs; never for measuring.
package struct WallTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Since 1970-01-01 00:00 UTC.
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// By CLOCK_REALTIME.
  package static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  package func advanced(nanoseconds: Int64) -> WallTime {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return WallTime(nanoseconds: overflow ? .max : sum)
  }

  package static func < (a: WallTime, b: WallTime) -> Bool { a.nanoseconds < b.nanoseconds }

  /// `2026-11-30T10:00:00.000Z` (RFC 3339, UTC, milliseconds).
  package var description: String {
    var seconds = time_t(nanoseconds / 1_000_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let milliseconds = nanoseconds / 1_000_000 % 1_000
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date = "\(Int(parts.tm_year) + 1900)-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
    let time = "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
    return "\(date)T\(time).\(padded(Int(milliseconds), 3))Z"
  }
}
