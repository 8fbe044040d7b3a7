import Settings

/// A profile's path as people would tell it; made from the API's object, so that a daemon of another version can be asked.
struct PathText {
  private let path: JSON

  init(_ path: JSON?) { self.path = path ?? [:] }

  // MARK: In a list

  var roundTrip: String {
    guard latency > 0 else { return "-" }
    return jitter > 0 ? "\(text("latency_ms")) ± \(text("jitter_ms")) ms" : "\(text("latency_ms")) ms"
  }

  /// Bytes per second of one direction.
  func rate(_ direction: String) -> String {
    path["\(direction)_bytes_per_second"]?.text ?? (opportunities(direction) == nil ? "-" : "trace")
  }

  /// Downstream, then upstream where that is another.
  var loss: String {
    let (down, up) = (shortLoss("downstream"), shortLoss("upstream"))
    return down == up ? down : "\(down) / \(up)"
  }

  var queue: String {
    if let duration = path["queue_ms"] { return "\(duration.text) ms" }
    return path["queue_bytes"]?.integerValue.map(UnitText.bytes) ?? "-"
  }

  /// How it is carried out, and whether it changes with time.
  var model: String {
    guard let model = path["model"]?.string else { return "-" }
    let control = path["congestion_control"]?.string.map { " \($0)" } ?? ""
    return "\(model)\(control)"
      + (path["timeline"] == nil ? "" : ", \(steps.count) \(steps.count == 1 ? "step" : "steps")")
  }

  /// Why it is plain, where nobody asked for that.
  var note: String? { path["model_note"]?.string }

  private func shortLoss(_ direction: String) -> String {
    let loss = path["\(direction)_loss"]
    guard let loss, loss.doubleValue != 0 else { return "-" }
    if let share = loss.doubleValue { return share.shareText }
    return (loss["loss"]?.doubleValue.map { "\($0.shareText) " } ?? "") + "bursts"
  }

  // MARK: By itself

  /// What there is to say, each with its heading. Those that go without saying are left out.
  var lines: [(String, String)] {
    [
      ("round trip", latency > 0 ? "\(roundTrip)\(distribution), half in each direction" : nil),
      ("lookup", path["dns_latency_ms"].flatMap { $0.doubleValue == 0 ? nil : "\($0.text) ms" }),
      ("downstream", direction("downstream")), ("upstream", direction("upstream")), ("queue", wholeQueue),
      ("model", wholeModel), ("timeline", path["timeline"] == nil ? nil : wholeTimeline),
    ].compactMap { heading, text in text.map { (heading, $0) } }
  }

  private var distribution: String { path["jitter_distribution"]?.string == "normal" ? " (standard deviation)" : "" }

  /// Nil where nothing is limited and nothing is lost.
  private func direction(_ direction: String) -> String? {
    let rate = path["\(direction)_bytes_per_second"]?.integerValue.map { rate in
      rate == 0 ? "holds everything" : "\(UnitText.bytes(rate))/s"
    }
    let parts = [rate ?? opportunities(direction).map(traceText), lossText(direction)].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private func lossText(_ direction: String) -> String? {
    let loss = path["\(direction)_loss"]
    guard let loss, loss.doubleValue != 0 else { return nil }
    if let share = loss.doubleValue { return "loses \(share.shareText)" }
    if let share = loss["loss"]?.doubleValue, let length = loss["mean_burst_packets"] {
      return "loses \(share.shareText) in bursts of \(length.text) packets"
    }
    return "loses in bursts, \(loss.pairs)"
  }

  private func traceText(_ times: [JSON]) -> String {
    let duration = times.last?.integerValue ?? 0
    let bytes = Int64(Double(times.count * 1500) / Double(max(1, duration)) * 1000)
    return "trace of \(times.count) packets in \(UnitText.time(milliseconds: duration)), "
      + "\(UnitText.roundedBytes(bytes))/s on the average"
  }

  /// Nil where nothing ever waits.
  private var wholeQueue: String? {
    if path["queue_ms"] != nil { return "\(queue) of each rate" }
    if path["queue_bytes"] != nil { return "\(queue) in each direction" }
    let hasRate = ["downstream", "upstream"].contains { rate($0) != "-" }
    guard hasRate, path["model"]?.string == "tcp" else { return nil }
    return "as much as a round trip carries, at least 65.536 kB"
  }

  private var wholeModel: String? {
    guard let model = path["model"]?.string else { return nil }
    if model == "tcp" { return "tcp, \(path["congestion_control"]?.string ?? "cubic")" }
    return note.map { "\(model): \($0)" } ?? "\(model): delay and rate only"
  }

  private var wholeTimeline: String {
    let all = steps.reduce(0) { $0 + ($1["for_ms"]?.doubleValue ?? 0) }
    let loop = path["timeline"]?["loop"]?.bool == true ? "over and over" : "then the last one stays"
    return "\(steps.count) \(steps.count == 1 ? "step" : "steps") in \(Self.time(.number(all))), \(loop)"
  }

  /// Nil without a timeline.
  var stepTable: TextTable? {
    guard !steps.isEmpty else { return nil }
    var table = TextTable(["STEP", "FOR", "CHANGES"], rightAligned: [1])
    for step in steps {
      let changes = step["path"]?.pairs ?? ""
      table.add([step["name"]?.string ?? "", Self.time(step["for_ms"] ?? 0), changes.isEmpty ? "-" : changes])
    }
    return table
  }

  private static func time(_ milliseconds: JSON) -> String {
    let whole = milliseconds.doubleValue.flatMap { Int64(exactly: $0) }
    return whole.map { UnitText.time(milliseconds: $0) } ?? "\(milliseconds.text) ms"
  }

  // MARK: Fields

  private var steps: [JSON] { path["timeline"]?["steps"]?.array ?? [] }
  private var latency: Double { path["latency_ms"]?.doubleValue ?? 0 }
  private var jitter: Double { path["jitter_ms"]?.doubleValue ?? 0 }
  private func text(_ key: String) -> String { path[key]?.text ?? "" }
  private func opportunities(_ direction: String) -> [JSON]? { path["trace"]?["\(direction)_ms"]?.array }
}

extension Double {
  /// Of a share from 0 to 1: in per cent where two decimals say all of it.
  fileprivate var shareText: String {
    let hundredths = self * 10_000
    return (hundredths.rounded() - hundredths).magnitude < 1e-6 ? UnitText.percent(self) : JSON.number(self).text
  }
}

extension JSON {
  /// `p=0.1 r=0.5`
  fileprivate var pairs: String {
    members.map { key, value in
      let text = value.members.isEmpty ? value.string ?? value.text : "(\(value.pairs))"
      return "\(key)=\(text)"
    }.joined(separator: " ")
  }
}
