import Proxying
import Settings

extension Command {
  /// A flag for each limit.
  static let limitOptions: [OptionSpec] = Limit.allCases.map { limit in
    OptionSpec(
      name: limit.flag, value: limit.unit == .bytes ? "BYTES" : "N", isLimit: true,
      help: "\(limit.terms.what) (default: \(limit.usual)).")
  }
}

extension LimitSettings {
  /// What the command line says, and the config file behind it.
  init(_ arguments: Arguments, _ config: Config) throws(CommandError) {
    self = config.limits
    for limit in Limit.allCases {
      let range = UInt64(limit.range.lowerBound)...UInt64(limit.range.upperBound)
      guard let value = try arguments.wholeNumber(limit.flag, in: range) else { continue }
      set(limit, Int(value), place: limit.flag)
    }
    if let contradiction { throw .failure(contradiction) }
  }
}

extension ServeOptions {
  /// What somebody asked for and doesn't get.
  ///
  /// - Parameter limits: those in force.
  func warnings(of limits: Limits) -> [String] {
    guard let wanted = givenLimits[.connections], limits.sessions < wanted else { return [] }
    return [
      "\(Limit.connections.flag) is \(wanted), but the system's limit of open files leaves room for \(limits.sessions); "
        + "raise that (ulimit -n, LimitNOFILE=)"
    ]
  }
}
