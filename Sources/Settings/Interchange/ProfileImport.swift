/// The files that a profile can be made from.
package enum ImportFormat: String, CaseIterable, Sendable {
  /// A property list of Apple's Network Link Conditioner.
  case nlc
  /// WebPageTest's connectivity.ini, or a line of it.
  case wpt
  /// toxiproxy's list of proxies.
  case toxiproxy

  /// By the first characters; nil when they are no format's.
  static func detected(in text: [UInt8]) -> ImportFormat? {
    if text.starts(with: "bplist".utf8) { return .nlc }
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
    let rest = text.drop { blanks.contains($0) }
    switch rest.first {
    case UInt8(ascii: "<"): return .nlc
    case UInt8(ascii: "{"): return .toxiproxy
    case UInt8(ascii: "["):
      // A section's name is followed by its bracket; an array of proxies holds objects.
      let inside = rest.dropFirst().drop { blanks.contains($0) }
      return inside.first == UInt8(ascii: "{") || inside.first == UInt8(ascii: "]") ? .toxiproxy : .wpt
    case UInt8(ascii: ";"), UInt8(ascii: "#"): return .wpt
    default: return rest.contains(UInt8(ascii: "=")) ? .wpt : nil
    }
  }
}

/// A profile made from another tool's file.
package struct ProfileImport: Hashable, Sendable {
  package var profile: Profile
  /// What its numbers meant there and how they were carried over, a sentence or two each.
  package var comments: [String]
}

/// What is to be imported, and under which name.
package struct ImportRequest: Sendable {
  package var text: [UInt8]
  /// What the text came from, for messages.
  package var source: String
  /// Nil: to be told by the text.
  package var format: ImportFormat?
  /// Which of several in the file; nil: the one that is selected there, or the only one.
  package var pick: String?
  /// Nil: made from the name in the file.
  package var name: String?

  package init(text: [UInt8], source: String, format: ImportFormat? = nil, pick: String? = nil, name: String? = nil) {
    self.text = text
    self.source = source
    self.format = format
    self.pick = pick
    self.name = name
  }

  package func read() throws(SettingsError) -> ProfileImport {
    guard !text.isEmpty else { throw SettingsError(.shape, source: source, message: "is empty") }
    guard let format = format ?? ImportFormat.detected(in: text) else {
      throw SettingsError(
        .shape, source: source,
        message: "is no property list, no [section] of KEY=VALUE lines and no JSON; --format says what it is")
    }
    return switch format {
    case .nlc: try linkConditioner()
    case .wpt: try webPageTest()
    case .toxiproxy: try toxiproxy()
    }
  }

  /// The text without a byte-order mark.
  var plainText: ArraySlice<UInt8> { text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...] }

  /// The file's name without its way, which is nobody else's business.
  var sourceName: String { source.split(separator: "/").last.map(String.init) ?? source }

  // MARK: For the formats

  /// The entry that is meant, of those in the order of the file.
  ///
  /// - Parameters:
  ///   - what: what they are called, one of them.
  ///   - several: what they are called, many of them.
  ///   - selected: the one that the file itself points at.
  func picked<Entry>(
    from entries: [(name: String, entry: Entry)], _ what: String, _ several: String, selected: String? = nil
  ) throws(SettingsError) -> (name: String, entry: Entry) {
    let names = entries.map { JSON.string($0.name).excerpt }.joined(separator: ", ")
    guard !entries.isEmpty else { throw SettingsError(source: source, message: "has no \(what) to import") }
    if let pick {
      if let entry = entries.first(where: { $0.name == pick }) { return entry }
      if let entry = entries.first(where: { $0.name.lowercased() == pick.lowercased() }) { return entry }
      throw SettingsError(source: source, message: "has no \(what) \(JSON.string(pick).excerpt); it has \(names)")
    }
    if let selected, let entry = entries.first(where: { $0.name == selected }) { return entry }
    guard entries.count == 1 else {
      throw SettingsError(source: source, message: "has \(entries.count) \(several); --pick says which: \(names)")
    }
    return entries[0]
  }

  /// The name asked for, or the one there in letters that a profile's name may have.
  func profileName(of found: String) throws(SettingsError) -> String {
    if let name {
      guard Profile.isName(name) else {
        throw SettingsError(field: "--name", message: "is \(JSON.string(name).excerpt); allowed: \(Profile.nameRule)")
      }
      return name
    }
    var made = ""
    for character in found.lowercased() {
      let isKept = character.isASCII && (character.isLetter || character.isNumber || character == ".")
      if isKept { made.append(character) } else if !made.isEmpty, made.last != "-" { made.append("-") }
    }
    while let last = made.last, last == "-" || last == "." { made.removeLast() }
    made = String(made.drop { $0 == "." }.prefix(64))
    guard Profile.isName(made), made != Profile.passThroughName else {
      throw SettingsError(
        source: source,
        message: "calls it \(JSON.string(found).excerpt), of which no profile's name can be made; --name gives one")
    }
    return made
  }

  /// - Parameter what: which tool's, such as `Network Link Conditioner's "3G"`.
  func imported(
    named found: String, of what: String, path: PathSpec, toxics: [ToxicSpec] = [], comments: [String]
  ) throws(SettingsError) -> ProfileImport {
    let shown = path.lossShown
    let more = shown == path ? [] : [PathSpec.commentOnLossShown]
    let profile = Profile(
      name: try profileName(of: found), summary: shown.summary(toxics: toxics),
      source: "\(what), imported from \(sourceName)", path: shown, toxics: toxics)
    return ProfileImport(profile: profile, comments: comments + more)
  }
}

extension PathSpec {
  /// Loss needs TCP, and TCP a rate up to which it can be modelled.
  fileprivate var lossShown: PathSpec {
    guard downstreamLoss != .none || upstreamLoss != .none, !isTCPModelled else { return self }
    var path = self
    path.downstreamBytesPerSecond = min(downstreamBytesPerSecond ?? .max, Self.fastestModelled)
    path.upstreamBytesPerSecond = min(upstreamBytesPerSecond ?? .max, Self.fastestModelled)
    return path
  }

  fileprivate static let commentOnLossShown =
    "Rates: higher there, or without a limit; here the highest at which packet loss can be shown."

  /// `780/330 kbit/s, 200 ms round trip, 10 % loss down`
  fileprivate func summary(toxics: [ToxicSpec]) -> String {
    func kilobits(_ rate: Int64?) -> String { rate.map { JSON.decimalText(of: Double($0) / 125) } ?? "unlimited" }
    func number(_ value: Double) -> String { JSON.decimalText(of: (value * 1000).rounded() / 1000) }
    var parts: [String] = []
    if downstreamBytesPerSecond != nil || upstreamBytesPerSecond != nil {
      let (down, up) = (kilobits(downstreamBytesPerSecond), kilobits(upstreamBytesPerSecond))
      parts.append("\(down == up ? down : "\(down)/\(up)") kbit/s")
    }
    if latencyMilliseconds > 0 {
      let jitter = jitterMilliseconds > 0 ? " ± \(number(jitterMilliseconds)) ms" : ""
      parts.append("\(number(latencyMilliseconds)) ms round trip\(jitter)")
    }
    for (loss, word) in [(downstreamLoss, "down"), (upstreamLoss, "up")] where loss.meanShare > 0 {
      parts.append("\(number(loss.meanShare * 100)) % loss \(word)")
    }
    if dnsLatencyMilliseconds > 0 { parts.append("\(number(dnsLatencyMilliseconds)) ms to look up a name") }
    parts += toxics.map(\.type.rawValue)
    return parts.isEmpty ? "Nothing added" : parts.joined(separator: ", ")
  }
}
