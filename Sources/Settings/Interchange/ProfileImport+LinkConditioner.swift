// Apple's Network Link Conditioner keeps its profiles in com.apple.network.prefPaneSimulate.plist: a dictionary `Profiles`
// by name, and which one is selected. A single profile without that around it is taken, too.
extension ImportRequest {
  func linkConditioner() throws(SettingsError) -> ProfileImport {
    guard let root = try PropertyListValue.read(text, source: source).members else {
      throw SettingsError(.shape, source: source, message: "is a property list, but no dictionary")
    }
    let (name, fields) = try linkConditionerProfile(in: root)
    let downDelay = try fields.number("DownlinkDelay", in: 0...300_000)
    let upDelay = try fields.number("UplinkDelay", in: 0...300_000)
    let path = PathSpec(
      latencyMilliseconds: downDelay + upDelay,
      dnsLatencyMilliseconds: try fields.number("DNSDelayValue", in: 0...PathSpec.maximumDNSLatencyMilliseconds),
      downstreamBytesPerSecond: try fields.rate("Downlink"), upstreamBytesPerSecond: try fields.rate("Uplink"),
      downstreamLoss: .share(try fields.number("DownlinkPacketLossRatio", in: 0...100) / 100),
      upstreamLoss: .share(try fields.number("UplinkPacketLossRatio", in: 0...100) / 100))
    return try imported(
      named: name, of: "Network Link Conditioner's \(JSON.string(name).excerpt)", path: path,
      comments: Self.comments(down: downDelay, up: upDelay))
  }

  private func linkConditionerProfile(
    in root: [String: PropertyListValue]
  ) throws(SettingsError) -> (name: String, fields: LinkConditionerFields) {
    if LinkConditionerFields.isProfile(root) {
      let stem = sourceName.split(separator: ".").first.map(String.init) ?? sourceName
      return (stem, LinkConditionerFields(members: root, source: source, path: ""))
    }
    let (profiles, prefix) = root["Profiles"]?.members.map { ($0, "Profiles.") } ?? (root, "")
    var entries: [(name: String, entry: [String: PropertyListValue])] = []
    for (name, value) in profiles.sorted(by: { $0.key < $1.key }) {
      if let members = value.members, LinkConditionerFields.isProfile(members) { entries.append((name, members)) }
    }
    let (name, members) = try picked(from: entries, "profile", "profiles", selected: root["SelectedProfile"]?.text)
    return (name, LinkConditionerFields(members: members, source: source, path: prefix + name.plainExcerpt + "."))
  }

  private static func comments(down: Double, up: Double) -> [String] {
    guard down + up > 0 else { return [] }
    let (downText, upText) = (JSON.decimalText(of: down), JSON.decimalText(of: up))
    let half = "half of it in each direction" + (down == up ? "" : ", \(JSON.decimalText(of: (down + up) / 2)) ms")
    return [
      "Latency: one way there, \(downText) ms down and \(upText) ms up; here their sum, the round trip (\(half))."
    ]
  }
}

/// One profile of the Network Link Conditioner; what isn't said there is 0, and a rate of 0 is none.
private struct LinkConditionerFields {
  var members: [String: PropertyListValue]
  var source: String
  /// Of its keys, for messages.
  var path: String

  static func isProfile(_ members: [String: PropertyListValue]) -> Bool {
    ["DownlinkBandwidth", "UplinkBandwidth", "DownlinkDelay", "UplinkDelay", "DNSDelayValue"]
      .contains { members[$0] != nil }
      || members["DownlinkPacketLossRatio"] != nil || members["UplinkPacketLossRatio"] != nil
  }

  func number(_ key: String, in range: ClosedRange<Double>) throws(SettingsError) -> Double {
    let number: Double? =
      switch members[key] {
      case nil: 0
      case .number(let number): number
      case .string(let text): Double(text)
      default: nil
      }
    guard let number, range.contains(number) else { throw refusal(key, range) }
    return number
  }

  /// Bytes per second; the unit is kbit/s, or Mbit/s where it says 1.
  func rate(_ way: String) throws(SettingsError) -> Int64? {
    let bytes = try number("\(way)BandwidthUnit", in: 0...1) == 0 ? 125.0 : 125_000
    let rate = try number("\(way)Bandwidth", in: 0...1e12 / bytes)
    return rate == 0 ? nil : max(1, Int64((rate * bytes).rounded()))
  }

  private func refusal(_ key: String, _ range: ClosedRange<Double>) -> SettingsError {
    let (least, most) = (JSON.decimalText(of: range.lowerBound), JSON.decimalText(of: range.upperBound))
    return SettingsError(
      source: source, field: path + key,
      message: "is \(members[key]?.excerpt ?? "missing"); allowed: a number from \(least) to \(most)")
  }
}
