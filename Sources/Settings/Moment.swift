/// A moment as people and scripts write it: the `id` of an event, a time as in RFC 3339, `@SECONDS` since 1970 (what
/// `date +%s` prints), or how long ago it was.
package enum Moment: Hashable, Sendable {
  case event(Int)
  /// Since 1970-01-01 00:00 UTC.
  case time(nanoseconds: Int64)
  case ago(Duration)

  package static let allowed =
    "the id of an event, a time such as 2026-11-30T10:00:00Z, @SECONDS since 1970, or how long ago, such as 5m"

  /// - Throws: with the value and what is allowed.
  package init(parsing text: String) throws(SettingsError) {
    if let id = Int(text), id >= 0, text.first != "+" {
      self = .event(id)
    } else if text.first == "@", let nanoseconds = Moment.nanoseconds(ofSeconds: text.dropFirst()) {
      self = .time(nanoseconds: nanoseconds)
    } else if let nanoseconds = TimeText.parse(text) {
      self = .time(nanoseconds: nanoseconds)
    } else if let duration = try? DurationText.parse(text) {
      self = .ago(duration)
    } else {
      throw SettingsError(message: "is \(JSON.string(String(text.prefix(60))).text); allowed: \(Moment.allowed)")
    }
  }

  /// `1764496800` or `1764496800.25`.
  private static func nanoseconds(ofSeconds text: Substring) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    // Later than 2262 there are no nanoseconds to count in.
    guard let seconds = TimeText.digits(parts[0]), seconds < .max / 1_000_000_000 else { return nil }
    guard parts.count == 2 else { return seconds * 1_000_000_000 }
    return TimeText.fraction(parts[1]).map { seconds * 1_000_000_000 + $0 }
  }
}

/// Times as in RFC 3339: `2026-11-30T10:00:00.000Z`, `2026-11-30T11:00:00+01:00`.
package enum TimeText {
  /// Nanoseconds since 1970-01-01 00:00 UTC; nil for what is no such time, and outside of the years 1970 to 2261.
  package static func parse(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    func number(_ range: Range<Int>) -> Int64? { digits(Substring(decoding: bytes[range], as: UTF8.self)) }
    let marks: [(Int, String)] = [(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")]
    guard marks.allSatisfy({ place, allowed in allowed.utf8.contains(bytes[place]) }),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19),
      (1970...2261).contains(year), (1...12).contains(month), (1...days(in: month, of: year)).contains(day),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    var rest = Substring(decoding: bytes[19...], as: UTF8.self)
    var nanoseconds: Int64 = 0
    if rest.first == "." {
      let part = rest.dropFirst().prefix { $0.isNumber }
      guard let fraction = fraction(part) else { return nil }
      nanoseconds = fraction
      rest = rest.dropFirst(1 + part.count)
    }
    guard let offset = offsetSeconds(rest) else { return nil }
    let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return seconds < 0 ? nil : seconds * 1_000_000_000 + nanoseconds
  }

  /// `Z`, `+01:00`: seconds east of Greenwich.
  private static func offsetSeconds(_ text: Substring) -> Int64? {
    if text == "Z" || text == "z" { return 0 }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard text.first == "+" || text.first == "-", parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
      let hours = digits(parts[0]), let minutes = digits(parts[1]), hours < 24, minutes < 60
    else { return nil }
    return (text.first == "-" ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }

  /// ASCII digits alone.
  static func digits(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }

  /// What stands behind the point of seconds, in nanoseconds.
  static func fraction(_ text: Substring) -> Int64? {
    guard (1...18).contains(text.utf8.count), digits(text) != nil else { return nil }
    return digits((text + "000000000").prefix(9))
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// In the Gregorian calendar; years are counted from March, so that the leap day is the last of one.
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let (y, m) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468
  }
}
