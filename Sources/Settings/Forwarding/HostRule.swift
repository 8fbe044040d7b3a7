/// What happens to connections of forward proxies to certain hosts; of several rules the first that matches counts.
package struct HostRule: Hashable, Sendable, CustomStringConvertible {
  package enum Use: Hashable, Sendable {
    /// Under this profile, whichever the proxy is under. The name, or an alias, as given.
    case profile(String)
    /// Without any profile or toxic.
    case direct
    /// Refused.
    case deny

    /// As it is written.
    package var text: String {
      switch self {
      case .profile(let name): name
      case .direct: "direct"
      case .deny: "deny"
      }
    }
  }

  package var host: HostPattern
  package var use: Use

  package init(host: HostPattern, use: Use) {
    (self.host, self.use) = (host, use)
  }

  /// `*.example.com=edge`
  package var description: String { "\(host)=\(use.text)" }

  package var json: JSON { ["host": .string(host.text), "use": .string(use.text)] }

  /// The profile that it names; nil for `direct` and `deny`.
  package var profile: String? { if case .profile(let name) = use { name } else { nil } }
}

// MARK: Reading

extension HostRule {
  package static let maximumCount = Limit.rules.mostEver
  package static let allowed = "PATTERN=USE, such as *.example.com=edge; USE is a profile, direct or deny"
  private static let keys = ["host", "use"]

  /// Reads `PATTERN=USE`.
  ///
  /// - Throws: `is "example.com": …`
  package init(parsing text: String) throws(SettingsError) {
    do throws(TextProblem) {
      guard let sign = text.firstIndex(of: "=") else { throw TextProblem("no = between pattern and use") }
      host = try HostPattern(reading: String(text[..<sign]))
      use = try Use(reading: String(text[text.index(after: sign)...]))
    } catch {
      throw error.refusal(of: text, allowed: Self.allowed)
    }
  }

  /// Reads `{"host": "*.example.com", "use": "edge"}`, or the same as one string.
  static func native(_ value: JSON, source: String, path: String) throws(SettingsError) -> HostRule {
    let place = path.isEmpty ? "rule" : path
    if case .string(let text) = value {
      do { return try HostRule(parsing: text) } catch { throw error.at(place, in: source) }
    }
    guard case .object = value else {
      throw SettingsError(
        .shape, source: source, field: place, message: "is \(value.excerpt); allowed: an object, or a string \(allowed)"
      )
    }
    let fields = try Fields(value, source: source, path: path)
    try fields.refuseUnknownKeys(keys)
    return HostRule(host: try fields.hostPattern("host"), use: try fields.use("use"))
  }

  /// Reads the body of a call: one rule.
  package init(body: some Sequence<UInt8>) throws(SettingsError) {
    let source = "request body"
    self = try .native(JSON.settings(body, source: source), source: source, path: "")
  }

  /// Reads the body of a call: `{"rules": […]}`.
  package static func list(body: some Sequence<UInt8>) throws(SettingsError) -> [HostRule] {
    let source = "request body"
    let fields = try Fields(JSON.settings(body, source: source), source: source)
    try fields.refuseUnknownKeys(["rules"])
    guard fields.value("rules") != nil else { throw fields.refusal("rules", allowed: "an array of rules") }
    return try fields.rules("rules")
  }
}

extension HostRule.Use {
  /// `direct` and `deny` come before profiles of those names.
  init(reading text: String) throws(TextProblem) {
    switch text.lowercased() {
    case "direct": self = .direct
    case "deny": self = .deny
    case let name where Profile.isName(name): self = .profile(text)
    default: throw TextProblem("\(JSON.string(text).excerpt) is no name of a profile")
    }
  }
}

extension Fields {
  func rules(_ key: String) throws(SettingsError) -> [HostRule] {
    let elements = try array(key, atMost: HostRule.maximumCount, of: "rules") ?? []
    var rules: [HostRule] = []
    for (index, element) in elements.enumerated() {
      rules.append(try HostRule.native(element, source: source, path: "\(pathOf(key))[\(index)]"))
    }
    return rules
  }

  fileprivate func hostPattern(_ key: String) throws(SettingsError) -> HostPattern {
    guard let text = try string(key) else { throw refusal(key, allowed: HostPattern.allowed) }
    do { return try HostPattern(parsing: text) } catch { throw error.at(pathOf(key), in: source) }
  }

  fileprivate func use(_ key: String) throws(SettingsError) -> HostRule.Use {
    let allowed = "the name of a profile, \"direct\" or \"deny\""
    guard let text = try string(key) else { throw refusal(key, allowed: allowed) }
    do { return try HostRule.Use(reading: text) } catch { throw refusal(key, allowed: allowed) }
  }
}
