package import Conditioning

extension TraceSpec {
  package static let maximumOpportunities = 1_000_000
  package static let milliseconds: ClosedRange<Int64> = 0...86_400_000
  /// Of a file: ten characters for each.
  private static let maximumFileBytes = 10 * maximumOpportunities

  static func keys(_ direction: Direction) -> (inline: String, file: String) {
    ("\(direction)_ms", "\(direction)_file")
  }

  /// Nil when absent.
  ///
  /// - Parameter directory: where files of a trace are; nil: it may not name any.
  static func read(_ fields: Fields, directory: String?) throws(SettingsError) -> TraceSpec? {
    guard fields.value("trace") != nil else { return nil }
    let (down, up) = (keys(.downstream), keys(.upstream))
    let trace = try fields.fields("trace")
    try trace.refuseUnknownKeys([down.inline, up.inline, down.file, up.file])
    let spec = TraceSpec(
      downstream: try read(.downstream, trace, directory), upstream: try read(.upstream, trace, directory))
    guard spec != TraceSpec() else {
      throw fields.refusal("trace", allowed: "\(down.inline), \(up.inline) or both")
    }
    return spec
  }

  private static func read(
    _ direction: Direction, _ fields: Fields, _ directory: String?
  ) throws(SettingsError) -> [UInt32]? {
    let (inline, file) = keys(direction)
    guard let name = try fields.string(file) else {
      guard let elements = try fields.array(inline, atMost: maximumOpportunities, of: "whole numbers") else {
        return nil
      }
      return try opportunities(elements, fields, inline)
    }
    guard fields.value(inline) == nil else { throw fields.refusal(file, allowed: "none beside \(inline)") }
    guard let directory else {
      throw fields.refusal(
        file, allowed: "only in a profile's own file in a directory of profiles; here the numbers stand in \(inline)")
    }
    let path = name.hasPrefix("/") ? name : directory + name
    do {
      return try opportunities(lines: try SettingsFile.read(path, atMost: maximumFileBytes))
    } catch {
      // The profile's file stays the source, since that is what is being loaded.
      throw SettingsError(
        error.kind, source: fields.source, field: fields.pathOf(file), message: "names \(path): \(error.fieldMessage)")
    }
  }

  private static func opportunities(
    _ elements: [JSON], _ fields: Fields, _ key: String
  ) throws(SettingsError) -> [UInt32] {
    var reader = OpportunityReader(count: elements.count)
    for (index, element) in elements.enumerated() {
      if let allowed = reader.refusal(of: element.integerValue) {
        throw SettingsError(
          source: fields.source, field: "\(fields.pathOf(key))[\(index)]",
          message: "is \(element.excerpt); allowed: \(allowed)")
      }
    }
    guard !elements.isEmpty else { throw fields.refusal(key, allowed: OpportunityReader.countText) }
    return reader.opportunities
  }
}

// MARK: Mahimahi's files

extension TraceSpec {
  /// One whole number a line. White space around it, a byte-order mark and a last empty line are as if not there.
  static func opportunities(lines text: [UInt8]) throws(SettingsError) -> [UInt32] {
    let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let count = text[start...].count { $0 == newline } + (text.count == start || text.last == newline ? 0 : 1)
    guard (1...maximumOpportunities).contains(count) else {
      throw SettingsError(message: "has \(count) lines; allowed: \(OpportunityReader.countText)")
    }
    var reader = OpportunityReader(count: count)
    var index = start
    for number in 1...count {
      let line = index..<(text[index...].firstIndex(of: newline) ?? text.count)
      if let allowed = reader.refusal(of: wholeNumber(text, in: line)) {
        let shown = String(decoding: text[trimmed(line, of: text)], as: UTF8.self)
        throw SettingsError(
          field: "line \(number)", message: "is \(JSON.string(shown).excerpt); allowed: \(allowed)")
      }
      index = line.upperBound + 1
    }
    return reader.opportunities
  }

  private static let newline = UInt8(ascii: "\n")

  private static func trimmed(_ line: Range<Int>, of text: [UInt8]) -> Range<Int> {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) }
    var (start, end) = (line.lowerBound, line.upperBound)
    while end > start, isSpace(text[end - 1]) { end -= 1 }
    while start < end, isSpace(text[start]) { start += 1 }
    return start..<end
  }

  /// Nil for what isn't one, and for what is far too large. By index, because a daemon reads its files between two turns
  /// of its loop, and slices of a million lines take ten times as long.
  private static func wholeNumber(_ text: [UInt8], in line: Range<Int>) -> Int64? {
    let digits = trimmed(line, of: text)
    guard (1...12).contains(digits.count) else { return nil }
    var number: Int64 = 0
    for index in digits {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + Int64(digit)
    }
    return number
  }
}

/// Takes the times of a trace one after the other.
private struct OpportunityReader {
  static let countText =
    "1 to \(TraceSpec.maximumOpportunities) whole numbers, none below the one before, the last above 0"

  private(set) var opportunities: [UInt32] = []
  private let count: Int

  init(count: Int) {
    self.count = count
    opportunities.reserveCapacity(count)
  }

  /// - Returns: what is allowed, if `value` isn't; nil otherwise, and it has been taken.
  mutating func refusal(of value: Int64?) -> String? {
    let isLast = opportunities.count == count - 1
    let least = max(isLast ? 1 : 0, opportunities.last.map(Int64.init) ?? 0)
    let range = least...TraceSpec.milliseconds.upperBound
    if let value, range.contains(value) {
      opportunities.append(UInt32(value))
      return nil
    }
    let isFalling = value.map { $0 < opportunities.last ?? 0 } ?? false
    if isFalling { return "\(range.text), as the times of a trace don't fall" }
    return value == 0 ? "\(range.text), as a round of a trace takes some time" : range.text
  }
}

extension TraceSpec {
  package subscript(direction: Direction) -> [UInt32]? { direction == .upstream ? upstream : downstream }

  /// What the path can deliver in the long run, headers too; nil where it isn't the trace that says.
  package func meanBytesPerSecond(_ direction: Direction) -> Double? {
    guard let opportunities = self[direction], let last = opportunities.last else { return nil }
    return Double(opportunities.count * CapacityTrace.opportunityBytes) / Double(last) * 1000
  }
}
