/// Lengths of time as people write them: `30s`, `500ms`, `2m`, `1h`, `1.5s`, `1h30m`.
package enum DurationText {
  private static let units: [(name: String, nanoseconds: Double)] = [
    ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
  ]
  private static let allowed = "a time above 0 and up to 24h, in ms, s, m or h, such as 30s or 1.5m"

  /// - Throws: for text without a unit, and for times outside 0 (not included) to 24 hours.
  package static func parse(_ text: String) throws(SettingsError) -> Duration {
    .nanoseconds(try nanoseconds(text))
  }

  /// The same, as a whole number.
  package static func nanoseconds(_ text: String) throws(SettingsError) -> Int64 {
    var rest = text[...]
    var nanoseconds = 0.0
    while !rest.isEmpty {
      guard let part = nextPart(&rest) else { throw refusal(text) }
      nanoseconds += part
    }
    guard nanoseconds >= 1, nanoseconds <= 86_400e9 else { throw refusal(text) }
    return Int64(nanoseconds.rounded())
  }

  /// One number and its unit, in nanoseconds.
  private static func nextPart(_ rest: inout Substring) -> Double? {
    let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    rest = rest.dropFirst(number.count)
    let unit = rest.prefix { $0.isLetter }
    rest = rest.dropFirst(unit.count)
    guard number.count <= 20, number.first != ".", let value = Double(number) else { return nil }
    return units.first { $0.name == unit }.map { value * $0.nanoseconds }
  }

  private static func refusal(_ text: String) -> SettingsError {
    SettingsError(field: "time", message: "is \(JSON.string(text).excerpt); allowed: \(allowed)")
  }
}
