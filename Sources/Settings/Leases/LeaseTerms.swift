/// What whoever takes a lease asks for.
package struct LeaseTerms: Hashable, Sendable {
  package static let defaultLength = Duration.seconds(60)
  package static let shortest = Duration.milliseconds(1)
  /// Of the proxies that a lease names: more at a time are all of them.
  package static let maximumProxies = 1_000
  package static let maximumHolderCharacters = 200
  package static let maximumReasonCharacters = 1_000
  /// Whoever says nothing about himself.
  package static let unnamed = "unnamed"

  /// A name or alias, which need not exist.
  package var profile: String
  /// Names, which need not exist; nil: all proxies.
  package var proxies: [String]?
  package var length: Duration
  package var holder: String
  package var reason: String?

  package init(
    profile: String, proxies: [String]? = nil, length: Duration = defaultLength, holder: String = unnamed,
    reason: String? = nil
  ) {
    (self.profile, self.proxies, self.length) = (profile, proxies, length)
    (self.holder, self.reason) = (holder, reason)
  }
}

// MARK: Reading

extension LeaseTerms {
  private static let keys = ["profile", "proxies", "for", "by", "reason"]

  /// Reads JSON5 text.
  package init(text: some Sequence<UInt8>, source: String) throws(SettingsError) {
    let fields = try Fields(JSON.settings(text, source: source), source: source)
    try fields.refuseUnknownKeys(Self.keys)
    guard let profile = try fields.profileName("profile") else {
      throw fields.refusal("profile", allowed: "the name of a profile")
    }
    self.init(
      profile: profile, proxies: try fields.proxyNames("proxies"),
      length: try fields.leaseLength("for") ?? Self.defaultLength,
      holder: try fields.line("by", atMost: Self.maximumHolderCharacters) ?? Self.unnamed,
      reason: try fields.line("reason", atMost: Self.maximumReasonCharacters))
  }

  /// Reads what a renewal says, JSON5 text or nothing: the new length, nil where it is to be the last one again.
  package static func renewal(text: [UInt8], source: String) throws(SettingsError) -> Duration? {
    guard !text.isEmpty else { return nil }
    let fields = try Fields(JSON.settings(text, source: source), source: source)
    try fields.refuseUnknownKeys(["for"])
    return try fields.leaseLength("for")
  }
}

extension Fields {
  /// Some, each once.
  fileprivate func proxyNames(_ key: String) throws(SettingsError) -> [String]? {
    guard let names = try strings(key, atMost: LeaseTerms.maximumProxies) else { return nil }
    guard !names.isEmpty else {
      throw SettingsError(
        source: source, field: pathOf(key),
        message: "is empty; allowed: the names of proxies, or nothing at all for every proxy")
    }
    var seen: Set<String> = []
    for (index, name) in names.enumerated() where !seen.insert(name).inserted {
      throw SettingsError(
        source: source, field: "\(pathOf(key))[\(index)]",
        message: "is \(JSON.string(name).excerpt); allowed: a name that no other element has")
    }
    return names
  }

  fileprivate func leaseLength(_ key: String) throws(SettingsError) -> Duration? {
    guard let text = try string(key) else { return nil }
    if let length = try? DurationText.parse(text), length >= LeaseTerms.shortest {
      return length
    }
    throw refusal(key, allowed: "a time from 1ms to 24h, in ms, s, m or h, such as 30s or 1.5m")
  }

  /// Text that can stand in logs and tables: no control characters, no line or paragraph separators.
  fileprivate func line(_ key: String, atMost limit: Int) throws(SettingsError) -> String? {
    guard let text = try string(key) else { return nil }
    let scalars = text.unicodeScalars
    let isLine = scalars.allSatisfy { scalar in
      ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
    guard isLine, (1...limit).contains(scalars.count) else {
      throw refusal(key, allowed: "1 to \(limit) characters, none of them a control character")
    }
    return text
  }
}
