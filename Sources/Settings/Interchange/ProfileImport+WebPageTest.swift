// WebPageTest's connectivity.ini: sections with `label`, `bwIn` and `bwOut` in bits per second, `latency` (the round trip)
// and `plr` in percent. A section may also stand on one line: `[3G] label="3G", bwIn=1600000, bwOut=768000, latency=300`.
extension ImportRequest {
  func webPageTest() throws(SettingsError) -> ProfileImport {
    let (name, section) = try picked(from: try webPageTestSections(), "section", "sections")
    let latency = try section.number("latency", in: 0...PathSpec.maximumLatencyMilliseconds) ?? 0
    let loss = LossSpec.share((try section.number("plr", in: 0...100) ?? 0) / 100)
    let path = PathSpec(
      latencyMilliseconds: latency, downstreamBytesPerSecond: try section.rate("bwIn"),
      upstreamBytesPerSecond: try section.rate("bwOut"), downstreamLoss: loss, upstreamLoss: loss)
    var comments: [String] = []
    if latency > 0 {
      comments.append(
        "Latency: the round trip there, on top of the real path; here, too (half of it in each direction).")
    }
    if loss != .none { comments.append("Loss: plr is read as that of each direction.") }
    return try imported(named: name, of: "WebPageTest's [\(name.plainExcerpt)]", path: path, comments: comments)
  }

  private func webPageTestSections() throws(SettingsError) -> [(name: String, entry: ConnectivitySection)] {
    var sections: [(name: String, entry: ConnectivitySection)] = []
    let lines = String(decoding: plainText, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      var rest = line.trimmed
      guard let first = rest.first, first != ";", first != "#" else { continue }
      let place = "line \(index + 1)"
      if first == "[" {
        guard let end = rest.firstIndex(of: "]"), end > rest.index(after: rest.startIndex) else {
          throw SettingsError(.shape, source: source, field: place, message: "is no section; allowed: [NAME]")
        }
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        sections.append((name, ConnectivitySection(source: source, name: name)))
        rest = rest[rest.index(after: end)...].trimmed
      }
      for (key, value) in try Self.pairs(rest, source: source, place: place) {
        if sections.isEmpty { sections.append(("", ConnectivitySection(source: source, name: ""))) }
        sections[sections.count - 1].entry.values[key.lowercased()] = value
      }
    }
    return sections.filter { !$0.entry.isForeign }
  }

  /// `label="3G (1.6 Mbps, 300 ms)", bwIn=1600000`: a value ends at its quote, or where the next key begins.
  private static func pairs(
    _ text: Substring, source: String, place: String
  ) throws(SettingsError) -> [(String, String)] {
    var pairs: [(String, String)] = []
    var rest = text
    while !rest.isEmpty {
      guard let sign = rest.firstIndex(of: "="), sign > rest.startIndex else {
        throw SettingsError(
          .shape, source: source, field: place, message: "is \(JSON.string(String(rest)).excerpt); allowed: KEY=VALUE")
      }
      let key = String(rest[..<sign].trimmed)
      rest = rest[rest.index(after: sign)...].trimmed
      let value = takeValue(&rest)
      pairs.append((key, value))
      rest = rest.drop { $0 == "," || $0.isWhitespace }
    }
    return pairs
  }

  private static func takeValue(_ rest: inout Substring) -> String {
    if rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
      let value = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      return String(value)
    }
    // The comma in front of the last word before the next sign.
    let end = rest.firstIndex(of: "=").flatMap { rest[..<$0].lastIndex(of: ",") } ?? rest.endIndex
    let value = rest[..<end].trimmed
    rest = rest[end...]
    return String(value)
  }
}

private struct ConnectivitySection {
  var source: String
  var name: String
  /// By keys in small letters.
  var values: [String: String] = [:]

  init(source: String, name: String) {
    self.source = source
    self.name = name
  }

  /// Whether it describes no connection: other sections of such files do not.
  var isForeign: Bool { ["bwin", "bwout", "latency", "plr"].allSatisfy { values[$0] == nil } }

  func number(_ key: String, in range: ClosedRange<Double>) throws(SettingsError) -> Double? {
    guard let text = values[key.lowercased()] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      let (least, most) = (JSON.decimalText(of: range.lowerBound), JSON.decimalText(of: range.upperBound))
      throw SettingsError(
        source: source, field: name.isEmpty ? key : "[\(name.plainExcerpt)] \(key)",
        message: "is \(JSON.string(text).excerpt); allowed: a number from \(least) to \(most)")
    }
    return number
  }

  /// Bytes per second; 0 is no limit.
  func rate(_ key: String) throws(SettingsError) -> Int64? {
    guard let bits = try number(key, in: 0...8e12), bits > 0 else { return nil }
    return max(1, Int64((bits / 8).rounded()))
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var rest = drop(while: \.isWhitespace)
    while rest.last?.isWhitespace ?? false { rest.removeLast() }
    return rest
  }
}
