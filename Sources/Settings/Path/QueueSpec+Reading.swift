extension QueueSpec {
  static let keys = ["queue_ms", "queue_bytes"]

  package static let maximumMilliseconds = 600_000.0
  package static let bytes: ClosedRange<Int64> = 1_500...1_000_000_000

  /// Nil when absent.
  static func read(_ fields: Fields) throws(SettingsError) -> QueueSpec? {
    let allowed = "a number above 0, at most \(JSON.decimalText(of: maximumMilliseconds))"
    let duration = try fields.number("queue_ms", allowed: allowed) { 0 < $0 && $0 <= maximumMilliseconds }
    let size = try fields.integer("queue_bytes", in: bytes)
    guard let size else { return duration.map(QueueSpec.milliseconds) }
    guard duration == nil else {
      throw fields.refusal("queue_bytes", allowed: "none beside queue_ms, as a queue has one size")
    }
    return .bytes(size)
  }

  var key: String {
    switch self {
    case .milliseconds: "queue_ms"
    case .bytes: "queue_bytes"
    }
  }

  var json: JSON {
    switch self {
    case .milliseconds(let duration): .number(duration)
    case .bytes(let bytes): .integer(bytes)
    }
  }
}
