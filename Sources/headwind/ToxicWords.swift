import Settings

/// What a command line says about a toxic, as bodies of the API.
struct ToxicWords {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  // MARK: Attributes

  /// From `--attribute KEY=VALUE` and operands of the same form.
  ///
  /// - Parameter type: whose attributes they are to be. Of a kind that isn't known here all pass: the daemon will tell.
  func attributes(_ operands: some Sequence<String>, of type: String) throws(CommandError) -> JSON? {
    var attributes = JSONObject()
    for word in arguments.all("--attribute") + operands {
      let (key, text) = try attribute(word)
      try requireKnown(key, of: type)
      guard attributes[key] == nil else { throw arguments.usage("attribute \(key) is given twice") }
      let known = ToxicType(rawValue: type)?.attributes(isLenient: false).first { $0.name == key }
      attributes[key] =
        try known.map { known throws(CommandError) in try value(text, of: known) } ?? ToxicWords.value(text)
    }
    return attributes.members.isEmpty ? nil : .object(attributes)
  }

  private func attribute(_ word: String) throws(CommandError) -> (String, String) {
    guard let sign = word.firstIndex(of: "="), sign != word.startIndex else {
      throw arguments.usage("\(quoted(word)) is no attribute; allowed: KEY=VALUE, such as latency=100")
    }
    return (String(word[..<sign]), String(word[word.index(after: sign)...]))
  }

  /// More strictly than the API, which takes what toxiproxy takes: of somebody who types `latency=-1` it is a mistake.
  private func value(_ text: String, of attribute: AttributeDescription) throws(CommandError) -> JSON {
    let value = ToxicWords.value(text)
    guard case .integer(let range) = attribute.kind else { return value }
    let time: Int64? =
      switch attribute.unit {
      case .milliseconds: ToxicWords.time(text, in: 1_000_000)
      case .microseconds: ToxicWords.time(text, in: 1_000)
      default: nil
      }
    if let number = time ?? value.integerValue, range.contains(number) { return .integer(number) }
    let unit = attribute.unit.map { " of \($0.rawValue)" } ?? ""
    let times = [.milliseconds, .microseconds].contains(attribute.unit) ? ", or a time such as 20ms or 1.5s" : ""
    throw arguments.usage(
      "\(attribute.name) is \(quoted(text)); allowed: a whole number\(unit) from \(range.lowerBound) to "
        + "\(range.upperBound)\(times)")
  }

  /// A time with its unit, counted in units of so many nanoseconds, where that comes out even.
  static func time(_ text: String, in unitNanoseconds: Int64) -> Int64? {
    guard let time = try? DurationText.nanoseconds(text) else { return nil }
    let (count, rest) = time.quotientAndRemainder(dividingBy: unitNanoseconds)
    return rest == 0 ? count : nil
  }

  private func requireKnown(_ key: String, of type: String) throws(CommandError) {
    guard let type = ToxicType(rawValue: type) else { return }
    let keys = ToxicAttributes.keys(of: type)
    guard !keys.contains(key) else { return }
    let hint = nearest(to: key, among: keys).map { "did you mean \"\($0)\"? " } ?? ""
    let known = keys.isEmpty ? "it has none" : "known: \(keys.joined(separator: ", "))"
    throw arguments.usage("\(type.rawValue) has no attribute \(quoted(key)); \(hint)\(known)")
  }

  /// A number where the text is one (`1e3` is 1000), else a string.
  static func value(_ text: String) -> JSON {
    if let number = Int64(text) { return .integer(number) }
    if let number = UInt64(text) { return .unsigned(number) }
    // Not what Double reads besides decimal numbers: nan, inf, 0x1p3.
    let isDecimal = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
    guard isDecimal, let number = Double(text), number.isFinite else { return .string(text) }
    return Int64(exactly: number).map(JSON.integer) ?? .number(number)
  }

  // MARK: The other members

  func type(_ operands: inout ArraySlice<String>) throws(CommandError) -> String {
    guard let type = arguments.value("--type") ?? operands.popFirst() else {
      throw arguments.usage("missing: TYPE, such as latency")
    }
    let known = ToxicType.allCases.map(\.rawValue)
    guard !known.contains(type) else { return type }
    let hint = nearest(to: type, among: known).map { "did you mean \"\($0)\"? " } ?? ""
    throw arguments.usage("unknown type of toxic \(quoted(type)); \(hint)known: \(known.joined(separator: ", "))")
  }

  func stream() throws(CommandError) -> String? {
    let given =
      (arguments.value("--stream").map { [$0] } ?? [])
      + ["upstream", "downstream"].filter { arguments.has("--\($0)") }
    guard given.count <= 1 else {
      throw arguments.usage("more than one stream; give one of --stream, --upstream and --downstream")
    }
    guard let stream = given.first, Stream(rawValue: stream.lowercased()) == nil else { return given.first }
    throw arguments.usage("--stream is \(quoted(stream)); allowed: upstream, downstream")
  }

  func toxicity() throws(CommandError) -> JSON? {
    guard let text = arguments.value("--toxicity") else { return nil }
    let value = ToxicWords.value(text)
    guard let number = value.doubleValue, (0...1).contains(number) else {
      throw arguments.usage("--toxicity is \(quoted(text)); allowed: a number from 0 to 1")
    }
    return value
  }

  static let triggerOptions = [
    OptionSpec(name: "--after-bytes", value: "N", help: "Act once N bytes have passed since it came there."),
    OptionSpec(name: "--after-ms", value: "N", help: "Act once a connection is so old, in ms."),
    OptionSpec(name: "--first-connections", value: "N", help: "Act on the next N connections only."),
    OptionSpec(name: "--every", value: "N", help: "Act on every Nth new connection only."),
  ]

  /// When the toxic is to act, under the API's names.
  func triggers() throws(CommandError) -> [(String, JSON?)] {
    var triggers: [(String, JSON?)] = []
    for option in ToxicWords.triggerOptions {
      let key = String(option.name.dropFirst(2).map { $0 == "-" ? "_" : $0 })
      guard let text = arguments.value(option.name) else { continue }
      guard let number = Int64(text), number >= 0 else {
        throw arguments.usage("\(option.name) is \(quoted(text)); allowed: a whole number from 0 to \(Int64.max)")
      }
      triggers.append((key, .integer(number)))
    }
    return triggers
  }
}
