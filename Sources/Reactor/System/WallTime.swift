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
    // Every event and session in a list has one: digits are put in place without strings of their own.
    return String(unsafeUninitializedCapacity: 24) { text in
      _ = text.initialize(fromContentsOf: "0000-00-00T00:00:00.000Z".utf8)
      func put(_ number: Int, endingAt end: Int) {
        var (rest, position) = (number, end)
        while rest > 0 {
          text[position] = UInt8(ascii: "0") + UInt8(rest % 10)
          (rest, position) = (rest / 10, position - 1)
        }
      }
      put(Int(parts.tm_year) + 1900, endingAt: 3)
      put(Int(parts.tm_mon) + 1, endingAt: 6)
      put(Int(parts.tm_mday), endingAt: 9)
      put(Int(parts.tm_hour), endingAt: 12)
      put(Int(parts.tm_min), endingAt: 15)
      put(Int(parts.tm_sec), endingAt: 18)
      put(Int(nanoseconds / 1_000_000 % 1_000), endingAt: 22)
      return 24
    }
  }
}
