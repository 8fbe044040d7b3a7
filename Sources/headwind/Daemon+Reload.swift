import Proxying
import Reactor
import Settings

// SIGHUP: config and profiles are read again, all or nothing.
extension Daemon {
  /// What a reload would bring, read and checked.
  private struct Fresh {
    let config: Config
    let catalogue: ProfileCatalogue
    /// The proxies of the file that differ from what it said before.
    let proxies: [ProxySpec]
    /// Proxies that the file named before and doesn't name now.
    let gone: [String]
  }

  func reload() {
    ServiceNotifier.reloading(atMonotonicNanoseconds: loop.now)
    do throws(CommandError) {
      let fresh = try readAgain()
      registry.resolve(fresh.proxies.map(\.listen)) { [self] results in apply(fresh, results) }
    } catch {
      refuse(error.text)
    }
  }

  private func refuse(_ reason: String) {
    log.error("not reloaded, nothing changed", [("reason", .string(reason))])
    registry.note("reload_refused", [("reason", .string(reason))])
    ServiceNotifier.ready()
  }

  private func readAgain() throws(CommandError) -> Fresh {
    let config = try ServeOptions.config(options.configFile)
    let catalogue = try options.catalogue(config)
    try ServeOptions.checkProfiles(of: config, from: options.configFile, catalogue)
    let before = self.config.proxies
    // A proxy of the command line keeps its place over one of the file.
    let given = Set(options.proxies.map(\.name)).subtracting(options.config.proxies.map(\.name))
    return Fresh(
      config: config, catalogue: catalogue,
      proxies: config.proxies.filter { !before.contains($0) && !given.contains($0.name) },
      gone: before.map(\.name).filter { name in
        !config.proxies.contains { $0.name == name } && !given.contains(name)
      })
  }

  private func apply(_ fresh: Fresh, _ results: [Result<Binding, RegistryError>]) {
    do throws(RegistryError) {
      for (proxy, result) in zip(fresh.proxies, results) where proxy.isEnabled { _ = try result.get() }
      // Profiles first: a proxy may be put under one that is new.
      let before = registry.catalogue
      registry.catalogue = fresh.catalogue
      do throws(RegistryError) {
        _ = try registry.populate(fresh.proxies, bindings: results)
      } catch {
        registry.catalogue = before
        throw error
      }
    } catch {
      return refuse(error.description)
    }
    for name in fresh.gone { try? registry.delete(name) }
    registry.catalogueChanged()
    if fresh.config.profile != config.profile {
      registry.profile.set(fresh.config.profile.flatMap { registry.catalogue[$0] }, cause: .reloaded)
    }
    config = fresh.config
    log.info("reloaded")
    registry.note("reloaded", [])
    ServiceNotifier.ready()
  }
}
