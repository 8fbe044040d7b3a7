import Reactor

/// The text form of Prometheus, version 0.0.4: families of series with a help text and a type each. Families come out
/// sorted by name, the series of one in the order in which they were put in.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricsText {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String { case counter, gauge, histogram }

  private var families: [(name: String, text: [UInt8])] = []

  /// A family without series leaves no trace.
  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ body: (inout MetricFamily) -> Void) {
    let head = "# HELP \(name) \(MetricsText.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
    var family = MetricFamily(name: name, head: head)
    body(&family)
    if !family.isEmpty { families.append((name, family.text)) }
  }

  /// A family of one series without labels; none where there is no value.
  mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: MetricValue?) {
    guard let value else { return }
    family(name, kind, help) { $0.add(value) }
  }

  var text: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(families.reduce(0) { $0 + $1.text.count })
    for family in families.sorted(by: { $0.name < $1.name }) { text += family.text }
    return text
  }

  private static func escaped(_ help: String) -> String {
    help.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
      .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
  }
}

/// A number as a series shows it, always exact.
enum MetricValue {
  case integer(Int64)
  case seconds(nanoseconds: Int64)

  static func integer(_ value: Int) -> MetricValue { .integer(Int64(value)) }

  /// `1.5` for 1,500,000,000 ns.
  var text: String {
    switch self {
    case .integer(let value): return String(value)
    case .seconds(let nanoseconds):
      let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
      let sign = nanoseconds < 0 ? "-" : ""
      guard rest > 0 else { return "\(sign)\(whole)" }
      let digits = String(String(1_000_000_000 + rest).dropFirst())
      return "\(sign)\(whole).\(digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex))"
    }
  }
}

/// A label with its value, escaped once for all the series that bear it: `proxy="web"`.
struct MetricLabel {
  let text: [UInt8]

  /// Any text will do, with all its control characters; what came in and was no UTF-8 is U+FFFD by now.
  init(_ name: String, _ value: String) {
    var text = Array(name.utf8) + Array("=\"".utf8)
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\\"), UInt8(ascii: "\""): text += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): text += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      default: text.append(byte)
      }
    }
    self.text = text + [UInt8(ascii: "\"")]
  }
}

/// The series of one name.
struct MetricFamily {
  fileprivate private(set) var text: [UInt8]
  private let name: [UInt8]
  private let headBytes: Int

  fileprivate init(name: String, head: String) {
    self.name = Array(name.utf8)
    text = Array(head.utf8)
    headBytes = text.count
  }

  fileprivate var isEmpty: Bool { text.count == headBytes }

  /// Labels are to be given in the order of their names.
  mutating func add(
    _ value: MetricValue, suffix: String = "", _ first: MetricLabel? = nil, _ second: MetricLabel? = nil,
    _ third: MetricLabel? = nil, _ fourth: MetricLabel? = nil
  ) {
    text += name
    text += suffix.utf8
    if let first { add(first, after: UInt8(ascii: "{")) }
    if let second { add(second, after: UInt8(ascii: ",")) }
    if let third { add(third, after: UInt8(ascii: ",")) }
    if let fourth { add(fourth, after: UInt8(ascii: ",")) }
    if first != nil { text.append(UInt8(ascii: "}")) }
    text.append(UInt8(ascii: " "))
    if case .integer(0) = value {
      // Most of what thousands of proxies count.
      text.append(UInt8(ascii: "0"))
    } else {
      text += value.text.utf8
    }
    text.append(UInt8(ascii: "\n"))
  }

  private mutating func add(_ label: MetricLabel, after separator: UInt8) {
    text.append(separator)
    text += label.text
  }

  /// Buckets are cumulative here.
  mutating func add(_ histogram: DurationHistogram, _ label: MetricLabel? = nil) {
    var sum: Int64 = 0
    for (bound, count) in zip(MetricFamily.bounds, histogram.counts) {
      sum += count
      add(.integer(sum), suffix: "_bucket", label ?? bound, label == nil ? nil : bound)
    }
    add(.seconds(nanoseconds: histogram.sumNanoseconds), suffix: "_sum", label)
    add(.integer(sum), suffix: "_count", label)
  }

  private static let bounds =
    DurationHistogram.bounds.map { MetricLabel("le", MetricValue.seconds(nanoseconds: $0).text) }
    + [MetricLabel("le", "+Inf")]
}
