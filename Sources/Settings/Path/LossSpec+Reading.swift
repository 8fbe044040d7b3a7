extension LossSpec {
  private static let burstKeys = ["loss", "mean_burst_packets"]
  private static let netemKeys = ["p", "r", "1-h", "1-k"]

  /// As messages and the API's description say what is allowed.
  private static let forms =
    #"a number from 0 to 1, {"loss", "mean_burst_packets"}, or netem's {"p", "r", "1-h", "1-k"}"#

  /// Longer bursts are one for most connections.
  package static let meanBurstPackets = 1.0...1_000_000

  /// Nil when absent.
  static func read(_ key: String, _ fields: Fields) throws(SettingsError) -> LossSpec? {
    guard let found = fields.value(key) else { return nil }
    guard case .object(let object) = found else {
      guard let share = found.doubleValue else { throw fields.refusal(key, .shape, allowed: forms) }
      guard (0...1).contains(share) else { throw fields.refusal(key, allowed: forms) }
      return .share(share)
    }
    guard !object.members.isEmpty else { throw fields.refusal(key, allowed: forms) }
    let parts = try fields.fields(key)
    try parts.refuseUnknownKeys(burstKeys + netemKeys)
    guard let netem = netemKeys.first(where: { parts.value($0) != nil }) else { return try bursts(parts) }
    if let burst = burstKeys.first(where: { parts.value($0) != nil }) {
      throw parts.refusal(burst, allowed: "none beside \(netem), as they say the same in two ways")
    }
    return try Self.netem(parts)
  }

  private static func bursts(_ fields: Fields) throws(SettingsError) -> LossSpec {
    let loss = try fields.needed("loss", allowed: "a number from 0 to below 1") { 0 <= $0 && $0 < 1 }
    let length = try fields.needed(
      "mean_burst_packets", allowed: "\(meanBurstPackets.text), as no burst is shorter than one packet"
    ) { meanBurstPackets.contains($0) }
    // Between two bursts at least one packet gets through.
    let shortest = loss / (1 - loss)
    guard length >= shortest else {
      throw fields.refusal(
        "mean_burst_packets",
        allowed: "at least \(JSON.decimalText(of: shortest)), as shorter bursts don't come to a loss of "
          + JSON.decimalText(of: loss))
    }
    return .bursts(loss: loss, meanBurstPackets: length)
  }

  private static func netem(_ fields: Fields) throws(SettingsError) -> LossSpec {
    func share(_ key: String) throws(SettingsError) -> Double? { try fields.number(key, in: 0...1) }
    guard let goodToBad = try share("p") else { throw fields.refusal("p", allowed: (0.0...1).text) }
    guard let badToGood = try share("r") else { throw fields.refusal("r", allowed: (0.0...1).text) }
    let (lossInBad, lossInGood) = (try share("1-h") ?? 1, try share("1-k") ?? 0)
    // Sooner or later such a path would be in one burst for good, by chance: a profile that turns into another network.
    guard goodToBad == 0 || badToGood > 0 else {
      throw fields.refusal("r", allowed: "above 0 as long as p is, as a burst would never end")
    }
    return .netem(goodToBad: goodToBad, badToGood: badToGood, lossInBad: lossInBad, lossInGood: lossInGood)
  }
}
