/// From where it is known which proxy is next.
package enum ViaSource: Hashable, Sendable {
  case proxy(ViaSpec)
  /// The variables that most programs follow.
  case environment

  package static let allowed = "\(ViaSpec.allowed); or env, for what HTTPS_PROXY or ALL_PROXY say"

  package init(parsing text: String) throws(SettingsError) {
    if text.lowercased() == "env" {
      self = .environment
    } else {
      self = .proxy(try ViaSpec(parsing: text))
    }
  }

  /// - Parameter variable: looks up a variable of the environment.
  /// - Returns: the next proxy, if there is one, and what was odd about the environment.
  package func resolve(
    _ variable: (String) -> String?
  ) throws(SettingsError) -> (via: ViaSpec?, warnings: [String]) {
    switch self {
    case .proxy(let via): (via, [])
    case .environment: try ViaSource.read(variable)
    }
  }

  private static func read(
    _ variable: (String) -> String?
  ) throws(SettingsError) -> (via: ViaSpec?, warnings: [String]) {
    let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    for name in names {
      guard let text = variable(name) else { continue }
      var via: ViaSpec
      do { via = try ViaSpec(parsing: text) } catch { throw error.at(name) }
      var warnings: [String] = []
      via.exceptions = exceptions(variable("NO_PROXY") ?? variable("no_proxy") ?? "", &warnings)
      return (via, warnings)
    }
    return (nil, ["via is env, but neither HTTPS_PROXY nor ALL_PROXY is set: no other proxy is on the way"])
  }

  /// `NO_PROXY` as curl and Go read it: a domain stands for what is below it, too, with a dot in front or without.
  private static func exceptions(_ text: String, _ warnings: inout [String]) -> [HostPattern] {
    var patterns: [HostPattern] = []
    for entry in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).prefix(HostRule.maximumCount) {
      let domain = entry.hasPrefix(".") ? entry.dropFirst() : entry
      do throws(SettingsError) {
        let pattern = try HostPattern(parsing: String(domain))
        patterns.append(pattern)
        if pattern.network == nil, !domain.contains("*") {
          patterns.append(try HostPattern(parsing: "*.\(domain)"))
        }
      } catch {
        warnings.append("NO_PROXY: an entry \(error.message) (it is left out)")
      }
    }
    return patterns
  }
}
