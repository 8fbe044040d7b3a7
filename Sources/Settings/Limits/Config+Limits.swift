extension Config {
  static let limitKeys = Limit.allCases.map(\.key)

  mutating func readLimits(_ fields: Fields) throws(SettingsError) {
    for limit in Limit.allCases {
      guard let value = try fields.integer(limit.key, in: limit.range) else { continue }
      let place = fields.source.isEmpty ? limit.key : "\(fields.source): \(limit.key)"
      limits.set(limit, Int(value), place: place)
    }
  }
}
