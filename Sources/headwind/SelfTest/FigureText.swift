/// Measured numbers for people: three digits that count.
enum FigureText {
  static func text(_ value: Double, _ figure: Figure) -> String {
    switch figure {
    case .downstreamRate, .upstreamRate, .sharedRate: rate(value)
    case .roundTrip, .spread, .firstByte, .transfer: time(milliseconds: value)
    case .fairness: decimal(value, places: 3)
    case .failures: "\(decimal(value * 100, places: value >= 0.9995 || value == 0 ? 0 : 1)) %"
    case .silence: "\(decimal(value, places: 0)) B"
    }
  }

  static func rate(_ bytesPerSecond: Double) -> String {
    switch bytesPerSecond {
    case ..<999.5: "\(digits(bytesPerSecond)) B/s"
    case ..<999_500: "\(digits(bytesPerSecond / 1e3)) kB/s"
    case ..<999_500_000: "\(digits(bytesPerSecond / 1e6)) MB/s"
    default: "\(digits(bytesPerSecond / 1e9)) GB/s"
    }
  }

  static func time(milliseconds: Double) -> String {
    milliseconds < 999.5 ? "\(digits(milliseconds)) ms" : "\(digits(milliseconds / 1e3)) s"
  }

  static func bytes(_ count: Int) -> String {
    count % 1024 == 0 ? "\(count / 1024) KiB" : "\(count) B"
  }

  /// Three that count, or all before the point; two places behind it at most.
  private static func digits(_ value: Double) -> String {
    let magnitude = value.magnitude
    return decimal(value, places: magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0)
  }

  /// Rounded to so many places, which all are shown.
  static func decimal(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    guard let scaled = Int64(exactly: (value * scale).rounded()) else { return "\(value)" }
    let digits = scaled.magnitude.description
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let sign = scaled < 0 ? "-" : ""
    guard places > 0 else { return sign + padded }
    return "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
  }
}
