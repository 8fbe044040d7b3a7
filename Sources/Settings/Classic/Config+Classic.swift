extension Config {
  /// Reads a config file as toxiproxy-server reads it: an array of proxies, with the leniency of a populate call (keys in
  /// any letter case, `null` as if absent, unknown keys ignored and told as warnings).
  package static func loadClassic(path: String) throws(SettingsError) -> ClassicBody<Config> {
    let text = try SettingsFile.read(path)
    do throws(ClassicError) {
      let read = try ProxySpec.classicPopulate(body: text)
      var config = Config()
      config.proxies = read.value.map { proxy in
        var proxy = proxy
        proxy.toxics = proxy.toxics?.map(\.hiddenFromOldClients)
        return proxy
      }
      return ClassicBody(value: config, warnings: read.warnings)
    } catch {
      throw SettingsError(source: path, message: error.reason)
    }
  }
}

extension ClassicError {
  /// The description without what it says of a request.
  fileprivate var reason: String {
    if case .badBody(let reason) = self { reason } else { description }
  }
}
