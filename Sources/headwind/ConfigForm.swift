import Settings

/// How a config file is read.
enum ConfigForm {
  /// JSON5, an array of proxies or an object, strictly: what isn't known is refused.
  case headwind
  /// toxiproxy-server's array, as lenient as that reads it.
  case toxiproxy

  /// - Returns: what the file says, and what in it was ignored; nothing without a file.
  func read(_ path: String?) throws(CommandError) -> (config: Config, warnings: [String]) {
    guard let path else { return (Config(), []) }
    switch self {
    case .headwind:
      return (try failing { () throws(SettingsError) in try Config.load(path: path) }, [])
    case .toxiproxy:
      let read = try failing { () throws(SettingsError) in try Config.loadClassic(path: path) }
      return (read.value, read.warnings.map { "\(path): \($0)" })
    }
  }
}
