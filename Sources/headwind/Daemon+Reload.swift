import ControlAPI
import Proxying
import Reactor
import Settings

// SIGHUP: config and profiles are read again, all or nothing. What the command line gives goes on winning.
extension Daemon {
  /// Where a reload stands: one at a time, and none before the start is over or after the end has begun.
  enum ReloadState { case idle, running, wantedAgain }

  /// What a reload would bring, read and checked.
  private struct Fresh {
    let config: Config
    let catalogue: ProfileCatalogue
    /// The proxies of the file that differ from what it said before.
    let proxies: [ProxySpec]
    /// Proxies that the file named before and doesn't name now.
    let gone: [String]
    let forward: ForwardSettings
    let token: AccessToken?
  }

  func reload() {
    guard draining == nil else { return }
    guard isReady, reloadState == .idle else {
      reloadState = .wantedAgain
      return
    }
    reloadState = .running
    service?.reloading()
    do throws(CommandError) {
      let fresh = try readAgain()
      registry.resolve(fresh.proxies.map(\.listen)) { [self] results in
        guard draining == nil else { return }
        apply(fresh, results)
      }
    } catch {
      refuse(error.message)
    }
  }

  /// To be called when the daemon has become ready, too: a signal may have come before.
  func reloadIfWanted() {
    guard reloadState == .wantedAgain else { return }
    reloadState = .idle
    reload()
  }

  private func finishReload() {
    if reloadState == .running { reloadState = .idle }
    service?.ready()
    reloadIfWanted()
  }

  private func refuse(_ reason: String) {
    log.error("not reloaded, nothing changed", [("reason", .string(reason))])
    registry.note("reload_refused", [("reason", .string(reason))])
    finishReload()
  }

  private func readAgain() throws(CommandError) -> Fresh {
    let (config, warnings) = try options.configForm.read(options.configFile)
    for warning in warnings { log.warning(warning) }
    let catalogue = try freshCatalogue(config)
    try ServeOptions.checkProfiles(of: config, from: options.configFile, catalogue)
    let forward = try freshForwardSettings(config, catalogue)
    let before = self.config.allProxies
    let given = options.givenProxies.union(options.isDemo ? [DemoUpstream.proxyName] : [])
    return Fresh(
      config: config, catalogue: catalogue,
      proxies: config.allProxies.filter { !before.contains($0) && !given.contains($0.name) },
      gone: before.map(\.name).filter { name in
        !config.allProxies.contains { $0.name == name } && !given.contains(name)
      }, forward: forward, token: try freshToken(config))
  }

  private func freshCatalogue(_ config: Config) throws(CommandError) -> ProfileCatalogue {
    var catalogue = try options.catalogue(config)
    do throws(SettingsError) {
      try catalogue.keepRunTimeProfiles(of: registry.catalogue)
    } catch {
      throw .failure(error.description)
    }
    return catalogue
  }

  /// Rules that came by a call stay as long as the file says nothing new about rules.
  private func freshForwardSettings(
    _ config: Config, _ catalogue: ProfileCatalogue
  ) throws(CommandError) -> ForwardSettings {
    var (settings, warnings) = try options.forwarding.settings(config, atMost: registry.limits.rules)
    for warning in warnings { log.warning(warning) }
    if config.rules == self.config.rules { settings.rules = registry.forward.rules }
    if let (index, error) = ProxyRegistry.unknownProfile(in: settings.rules, catalogue) {
      throw .failure("rule \(settings.rules[index]): \(error)")
    }
    return settings
  }

  private func apply(_ fresh: Fresh, _ results: [Result<Binding, RegistryError>]) {
    // Profiles first: a proxy may be put under one that is new.
    let (before, forwardBefore) = (registry.catalogue, registry.forward)
    registry.catalogue = fresh.catalogue
    // Who may be a client comes first, too: it decides where a forward proxy may listen.
    registry.forward.allowedClients = fresh.forward.allowedClients
    do throws(RegistryError) {
      // Those that the file has something new about are looked at with the rest of it.
      let changing = fresh.proxies.map(\.name) + fresh.gone
      if let error = registry.openProxy(under: fresh.forward, besides: changing) { throw error }
      for (proxy, result) in zip(fresh.proxies, results) where proxy.isEnabled { _ = try result.get() }
      _ = try registry.populate(fresh.proxies, bindings: results, areWhole: true, deleting: fresh.gone)
    } catch {
      registry.catalogue = before
      registry.forward = forwardBefore
      return refuse(error.description)
    }
    registry.adopt(fresh.forward)
    registry.catalogueChanged()
    api.token = fresh.token
    if fresh.config.profile != config.profile, !options.isProfileGiven {
      registry.profile.set(fresh.config.profile.flatMap { registry.catalogue[$0] }, cause: .reloaded)
    }
    adoptLogging(fresh.config)
    // What the daemon was started with is what is in force, however often the file has changed since.
    let waiting = fresh.config.keysThatNeedRestart(after: options.config)
    config = fresh.config
    log.info("reloaded")
    if !waiting.isEmpty {
      log.warning(
        "changed in the config file, but in force only after a restart",
        [("keys", .string(waiting.joined(separator: ",")))])
    }
    registry.note("reloaded", waiting.isEmpty ? [] : [("needs_restart", .array(waiting.map(JSON.string)))])
    finishReload()
  }

  private func adoptLogging(_ config: Config) {
    if !options.isLogLevelGiven { log.level = config.logLevel ?? options.defaultLogLevel }
    if !options.isLogFormatGiven { log.format = config.logFormat ?? .auto }
  }
}

extension Config {
  /// What is read at the start only, besides the limits.
  static let keysOfTheStart: [(key: String, differs: @Sendable (Config, Config) -> Bool)] = [
    ("control", { $0.control != $1.control }), ("seed", { $0.seed != $1.seed }), ("loops", { $0.loops != $1.loops }),
    ("connect_timeout_ms", { $0.connectTimeoutMilliseconds != $1.connectTimeoutMilliseconds }),
    ("drain_timeout_ms", { $0.drainTimeoutMilliseconds != $1.drainTimeoutMilliseconds }),
  ]

  /// Keys whose values differ from those of `before` and are read at the start only.
  fileprivate func keysThatNeedRestart(after before: Config) -> [String] {
    let changed = Limit.allCases.filter { limits[$0] != before.limits[$0] }
    return Config.keysOfTheStart.filter { $0.differs(self, before) }.map(\.key) + changed.map(\.key)
  }
}
