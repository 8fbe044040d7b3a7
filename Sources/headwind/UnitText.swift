/// Numbers with their units, as people write them. Nothing is rounded but where it says so: settings are shown as they are.
enum UnitText {
  private static let bytes = [("B", 0), ("kB", 3), ("MB", 6), ("GB", 9), ("TB", 12)]
  private static let rates = [("kB/s", 0), ("MB/s", 3), ("GB/s", 6)]
  private static let milliseconds = [("ms", 0), ("s", 3)]
  private static let microseconds = [("µs", 0), ("ms", 3), ("s", 6)]

  static func bytes(_ count: Int64) -> String { scaled(count, bytes) }
  static func rate(kilobytesPerSecond: Int64) -> String { scaled(kilobytesPerSecond, rates) }
  static func time(milliseconds: Int64) -> String { scaled(milliseconds, self.milliseconds) }
  static func time(microseconds: Int64) -> String { scaled(microseconds, self.microseconds) }

  /// Three digits of what was counted: `1.23 MB`.
  static func roundedBytes(_ count: Int64) -> String {
    let unit = (0..<max(0, count.magnitude.description.count - 3)).reduce(UInt64(1)) { unit, _ in unit * 10 }
    let rounded = (count.magnitude + unit / 2) / unit * unit
    return bytes(Int64(clamping: rounded) * count.signum())
  }

  /// Of a share from 0 to 1, with at most two decimals: `33.33 %`.
  static func percent(_ share: Double) -> String {
    let hundredths = (share * 10_000).rounded()
    guard let number = Int64(exactly: hundredths) else { return "\(share)" }
    return "\(decimal(number, shiftedBy: 2)) %"
  }

  /// In the largest unit of which there is at least one; units are a name and a power of ten.
  private static func scaled(_ number: Int64, _ units: [(name: String, power: Int)]) -> String {
    let digits = number.magnitude.description.count
    let unit = units.last { $0.power < digits } ?? units[0]
    return "\(decimal(number, shiftedBy: unit.power)) \(unit.name)"
  }

  /// `number` / 10^places, exactly.
  private static func decimal(_ number: Int64, shiftedBy places: Int) -> String {
    let plain = number.magnitude.description
    let digits = String(repeating: "0", count: max(0, places + 1 - plain.count)) + plain
    var fraction = digits.suffix(places)
    while fraction.last == "0" { fraction.removeLast() }
    return (number < 0 ? "-" : "") + digits.dropLast(places) + (fraction.isEmpty ? "" : ".\(fraction)")
  }
}
