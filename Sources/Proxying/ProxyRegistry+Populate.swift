import Reactor
package import Settings

extension ProxyRegistry {
  /// What one entry of a populate body, or of a config file, comes to.
  private struct Step {
    let spec: ProxySpec
    let existing: Proxy?
    /// Listen address or upstream differ from those of `existing`: its connections and toxics go.
    let isChanged: Bool
    let isEnabled: Bool
    /// Bound in advance; nil where the proxy has its socket already, or isn't to have one.
    var listener: Listener?

    /// Whose address can't be listened on: of several entries that is to be told.
    func naming<T>(_ body: () throws(RegistryError) -> T) throws(RegistryError) -> T {
      do throws(RegistryError) {
        return try body()
      } catch .cannotListen(let reason) {
        throw .cannotListen("\(reason) (proxy \(JSON.string(spec.name).excerpt))")
      }
    }
  }

  /// Brings the proxies named in `specs` to what they say; all or nothing, the others are left alone.
  ///
  /// An entry that changes nothing leaves connections and toxics as they are; its explicit `enabled` is honoured, and
  /// `toxics` that are neither empty nor those that are listed. Of two entries with one name the later counts.
  ///
  /// - Parameters:
  ///   - bindings: what the listen text of each entry means; a failure counts only where it is to be listened on.
  ///   - areWhole: what an entry leaves out has its default and isn't left as it is: entries of a config file.
  ///   - gone: proxies to delete in the same step, so that their ports can be taken over.
  /// - Returns: the proxies in the order of `specs`.
  /// - Throws: the first address that can't be listened on; then nothing has changed.
  package func populate(
    _ specs: [ProxySpec], bindings: [Result<Binding, RegistryError>], areWhole: Bool = false,
    deleting gone: [String] = []
  ) throws(RegistryError) -> [Proxy] {
    let specs = areWhole ? specs.map(\.whole) : specs
    var steps = plan(specs, bindings)
    let byName = bindingsByName(specs, bindings)
    for step in steps {
      try check(
        step.spec, of: step.existing, isEnabled: step.isEnabled, binding: try? byName[step.spec.name]?.get())
    }
    try requireRoom(for: steps, deleting: gone, isWhole: areWhole)
    do throws(RegistryError) {
      try bindAll(&steps, bindings: byName)
    } catch {
      // A port may be in the hands of a proxy that is to leave it in this very step.
      let leaving =
        gone.compactMap { try? proxy(named: $0) } + steps.compactMap { moves($0, byName) ? $0.existing : nil }
      guard !leaving.isEmpty else { throw error }
      try withoutListening(leaving[...]) { () throws(RegistryError) in try bindAll(&steps, bindings: byName) }
    }
    inOnePass {
      for name in gone { try? delete(name) }
      for step in steps { apply(step, isWhole: areWhole) }
    }
    return specs.compactMap { try? proxy(named: $0.name) }
  }

  /// Whether the proxy gives up the address that it has.
  private func moves(_ step: Step, _ bindings: [String: Bindings.Element]) -> Bool {
    guard let proxy = step.existing, proxy.hasSocket, let binding = bindings[step.spec.name] else { return false }
    return step.spec.listen != proxy.listen && !isBound(proxy, as: binding)
  }

  private func withoutListening(
    _ proxies: ArraySlice<Proxy>, _ body: () throws(RegistryError) -> Void
  ) throws(RegistryError) {
    guard let first = proxies.first else { return try body() }
    try first.withoutListening { () throws(RegistryError) in try withoutListening(proxies.dropFirst(), body) }
  }

  private typealias Bindings = [Result<Binding, RegistryError>]

  private func bindingsByName(_ specs: [ProxySpec], _ bindings: Bindings) -> [String: Bindings.Element] {
    Dictionary(zip(specs.map(\.name), bindings)) { _, last in last }
  }

  private func plan(_ specs: [ProxySpec], _ bindings: Bindings) -> [Step] {
    var last: [String: Int] = [:]
    for (index, spec) in specs.enumerated() { last[spec.name] = index }
    return specs.indices.filter { last[specs[$0].name] == $0 }.map { index in
      let spec = specs[index]
      guard let existing = try? proxy(named: spec.name) else {
        return Step(spec: spec, existing: nil, isChanged: true, isEnabled: spec.isEnabled)
      }
      let isSameListen =
        spec.listen == existing.listen || isBound(existing, as: bindings[index])
      let isChanged = !isSameListen || spec.upstream != existing.upstream
      let isEnabled = spec.enabled ?? (isChanged || existing.isEnabled)
      return Step(spec: spec, existing: existing, isChanged: isChanged, isEnabled: isEnabled)
    }
  }

  private func isBound(_ proxy: Proxy, as binding: Bindings.Element) -> Bool {
    (try? binding.get()).map { proxy.isBound(as: $0) } ?? false
  }

  /// The part that can fail. What was bound for nothing is closed again.
  private func bindAll(_ steps: inout [Step], bindings: [String: Bindings.Element]) throws(RegistryError) {
    var resumed: [Proxy] = []
    do throws(RegistryError) {
      for index in steps.indices where steps[index].isEnabled {
        let step = steps[index]
        guard let binding = bindings[step.spec.name] else { continue }
        if let proxy = step.existing, proxy.hasSocket, step.spec.listen == proxy.listen || isBound(proxy, as: binding) {
          guard !proxy.isEnabled else { continue }
          try proxy.resume()
          resumed.append(proxy)
        } else {
          steps[index].listener = try step.naming { () throws(RegistryError) in
            try listen(as: binding.get(), inPlaceOf: step.existing)
          }
        }
      }
    } catch {
      for proxy in resumed { proxy.stop(reason: .proxyDisabled) }
      for step in steps where step.listener != nil {
        step.listener?.close()
        try? step.existing?.acceptOrRefuse()
      }
      throw error
    }
  }

  private func apply(_ step: Step, isWhole: Bool) {
    guard let proxy = step.existing else {
      if let made = try? add(step.spec, listener: step.listener) {
        events.record("proxy_created", proxy: made.name, describe(made))
      }
      return
    }
    let wasEnabled = proxy.isEnabled
    if !step.isEnabled {
      proxy.stop(reason: .proxyDisabled)
      if proxy.listen != step.spec.listen, step.isChanged { proxy.moveWhileStopped(to: step.spec.listen) }
    } else if let listener = step.listener {
      try? proxy.start(on: listener)
    }
    if step.isChanged {
      proxy.upstream = step.spec.upstream
      proxy.resetSessions(reason: .proxyUpdated)
      proxy.countAnew()
    }
    let toxics = toxics(after: step, isWhole: isWhole)
    let hasNewToxics = toxics != proxy.toxics
    proxy.toxics = toxics
    if isWhole, step.spec.profile == nil, proxy.ownProfile.current != nil {
      proxy.ownProfile.set(nil, cause: .reloaded)
    }
    setOwnProfile(of: proxy, from: step.spec)
    guard step.isChanged || hasNewToxics || wasEnabled != proxy.isEnabled else { return }
    refreshConditions(of: proxy)
    events.record("proxy_updated", proxy: proxy.name, describe(proxy))
  }

  private func toxics(after step: Step, isWhole: Bool) -> [ToxicSpec] {
    let listed = step.spec.toxics ?? []
    guard let proxy = step.existing else { return listed }
    // A client sends back what it was shown, which is without hidden ones and has an order of its own: that says nothing.
    let saysNothing = listed.isEmpty || listed == proxy.listedToxics() || listed == proxy.listedToxicsUnhidden
    return step.isChanged || isWhole || !saysNothing ? listed : proxy.toxics
  }

  private func requireRoom(for steps: [Step], deleting gone: [String], isWhole: Bool) throws(RegistryError) {
    let leaving = gone.compactMap { try? proxy(named: $0) } + steps.compactMap(\.existing)
    let coming = steps.reduce(0) { $0 + toxics(after: $1, isWhole: isWhole).count }
    try requireRoom(
      for: steps.map(\.spec), adding: steps.count - leaving.count,
      toxics: coming - leaving.reduce(0) { $0 + $1.toxics.count })
  }

  /// Puts a proxy under the profile that its description names, if it names one.
  func setOwnProfile(of proxy: Proxy, from spec: ProxySpec) {
    guard let name = spec.profile, let profile = catalogue[name] else { return }
    guard proxy.ownProfile.current != profile else { return }
    proxy.ownProfile.set(profile, cause: .set)
  }
}

extension Proxy {
  /// All toxics, as they come back from a client that asked for the hidden ones, too.
  fileprivate var listedToxicsUnhidden: [ToxicSpec] {
    listedToxics(includingHidden: true).map { toxic in
      var copy = toxic
      copy.isHidden = false
      return copy
    }
  }
}

extension ProxySpec {
  /// The entry with its defaults in the place of what it leaves out.
  fileprivate var whole: ProxySpec {
    var copy = self
    copy.mode = mode ?? .tcp
    copy.enabled = isEnabled
    copy.toxics = toxics ?? []
    return copy
  }
}
