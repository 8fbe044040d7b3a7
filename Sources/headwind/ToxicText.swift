import Settings

/// A toxic as people would tell it; made from the API's object, so that a kind that isn't known here can be shown.
struct ToxicText {
  private let toxic: JSON
  private let attributes: JSON

  init(_ toxic: JSON) {
    self.toxic = toxic
    attributes = toxic["attributes"] ?? [:]
  }

  var name: String { toxic["name"]?.string ?? "" }
  var type: String { toxic["type"]?.string ?? "" }
  /// A toxic without a stream is in both.
  var stream: String { toxic["stream"]?.string ?? "both" }
  var toxicity: String { UnitText.percent(toxic["toxicity"]?.doubleValue ?? 1) }

  /// What it does, and when it begins to: `100 ms ± 20 ms, after 1 MB`.
  var effect: String { ([action] + conditions).joined(separator: ", ") }

  /// All of it in one line: `latency downstream, 100 ms ± 20 ms, toxicity 50 %`.
  var line: String {
    let share = toxic["toxicity"]?.doubleValue ?? 1
    return "\(type) \(stream), \(effect)" + (share == 1 ? "" : ", toxicity \(toxicity)")
  }

  private var action: String {
    switch type {
    case "latency": "\(time("latency"))" + (number("jitter") > 0 ? " ± \(time("jitter"))" : "")
    case "bandwidth": number("rate") == 0 ? "holds everything" : UnitText.rate(kilobytesPerSecond: number("rate"))
    case "slow_close": "ends \(time("delay")) late"
    case "timeout": "drops everything" + (number("timeout") > 0 ? ", closes after \(time("timeout"))" : "")
    case "reset_peer": "resets " + (number("timeout") > 0 ? "after \(time("timeout"))" : "at once")
    case "slicer": slices
    case "limit_data": "closes after \(UnitText.bytes(max(0, number("bytes"))))"
    case "drop": drops
    case "stall": "holds everything" + (attributes["for_ms"] == nil ? "" : " for \(time("for_ms"))")
    case "noop": "nothing"
    default: attributes.members.map { "\($0)=\($1.string ?? $1.text)" }.joined(separator: " ")
    }
  }

  private var slices: String {
    guard number("average_size") > 0 else { return "cuts nothing" }
    let variation = number("size_variation") > 0 ? " ± \(UnitText.bytes(number("size_variation")))" : ""
    let delay = number("delay") > 0 ? ", \(UnitText.time(microseconds: number("delay"))) apart" : ""
    return "pieces of \(UnitText.bytes(number("average_size")))\(variation)\(delay)"
  }

  private var drops: String {
    let share = UnitText.percent(attributes["probability"]?.doubleValue ?? 1)
    let what = "\(share) of \(attributes["per"]?.string ?? "connection")s"
    return switch attributes["how"]?.string {
    case "reset": "resets \(what)"
    case "close": "closes \(what)"
    case "refuse": "refuses \(what)"
    case "hang": "leaves \(what) hanging"
    case let how: "drops \(what)" + (how.map { " by \($0)" } ?? "")
    }
  }

  /// The triggers, which any toxic may have.
  private var conditions: [String] {
    let passed = [
      toxic["after_bytes"]?.integerValue.map(UnitText.bytes),
      toxic["after_ms"]?.integerValue.map { UnitText.time(milliseconds: $0) },
    ].compactMap { $0 }
    let first = toxic["first_connections"].map { "on the first \($0.text) connections" }
    let every = toxic["every"].map { "on 1 connection in \($0.text)" }
    return (passed.isEmpty ? [] : ["after \(passed.joined(separator: " and "))"]) + [first, every].compactMap { $0 }
  }

  private func number(_ attribute: String) -> Int64 { attributes[attribute]?.integerValue ?? 0 }
  private func time(_ attribute: String) -> String { UnitText.time(milliseconds: number(attribute)) }
}

extension ToxicText {
  /// The kinds with their attributes and what these are counted in, for the help.
  static var kinds: String {
    let width = ToxicType.allCases.map(\.rawValue.count).max() ?? 0
    return ToxicType.allCases.map { type in
      let attributes = ToxicAttributes.keys(of: type).map { "\($0)=\(placeholder($0, of: type.rawValue))" }
      let space = String(repeating: " ", count: width - type.rawValue.count)
      return "  \(type.rawValue)\(space)  " + (attributes.isEmpty ? "-" : attributes.joined(separator: " "))
    }.joined(separator: "\n")
  }

  private static func placeholder(_ attribute: String, of type: String) -> String {
    switch (type, attribute) {
    case ("slicer", "delay"): "MICROSECONDS"
    case ("bandwidth", "rate"): "KILOBYTES_PER_SECOND"
    case (_, "probability"): "0...1"
    case (_, "per"): DropSpec.Unit.allCases.map(\.rawValue).joined(separator: "|")
    case (_, "how"): DropSpec.Manner.allCases.map(\.rawValue).joined(separator: "|")
    case (_, "bytes"), (_, "average_size"), (_, "size_variation"): "BYTES"
    default: "MS"
    }
  }

  /// Heading and rows for a table of toxics.
  static func table(_ toxics: [JSON]) -> TextTable {
    var table = TextTable(["TOXIC", "TYPE", "STREAM", "TOXICITY", "EFFECT"], rightAligned: [3])
    for toxic in toxics.map(ToxicText.init) {
      table.add([toxic.name, toxic.type, toxic.stream, toxic.toxicity, toxic.effect])
    }
    return table
  }
}
