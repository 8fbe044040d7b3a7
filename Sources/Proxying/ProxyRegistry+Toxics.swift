package import Settings

extension ProxyRegistry {
  /// Appends a toxic; in force on live sessions before this returns.
  package func addToxic(_ toxic: ToxicSpec, to name: String) throws(RegistryError) {
    let proxy = try proxy(named: name)
    guard !proxy.toxics.contains(where: { $0.name == toxic.name }) else { throw .toxicExists }
    try requireRoom(forToxic: toxic, of: proxy)
    proxy.toxics.append(toxic)
    changed(proxy, "toxic_added", toxic)
  }

  /// Replaces the toxic of the same name.
  package func updateToxic(_ toxic: ToxicSpec, of name: String) throws(RegistryError) {
    let proxy = try proxy(named: name)
    guard let index = proxy.toxics.firstIndex(where: { $0.name == toxic.name }) else { throw .toxicNotFound }
    guard proxy.toxics[index] != toxic else { return }
    proxy.toxics[index] = toxic
    changed(proxy, "toxic_updated", toxic)
  }

  /// What the toxic holds goes on at once, in order.
  package func removeToxic(_ toxic: String, from name: String) throws(RegistryError) {
    let proxy = try proxy(named: name)
    guard let index = proxy.toxics.firstIndex(where: { $0.name == toxic }) else { throw .toxicNotFound }
    let removed = proxy.toxics.remove(at: index)
    changed(proxy, "toxic_removed", removed)
  }

  /// All at once: what they hold goes on in order.
  func removeToxics(of proxy: Proxy) {
    guard !proxy.toxics.isEmpty else { return }
    let removed = proxy.toxics
    proxy.toxics = []
    refreshConditions(of: proxy)
    for toxic in removed { events.record("toxic_removed", proxy: proxy.name, [("toxic", toxic.json)]) }
  }

  private func changed(_ proxy: Proxy, _ event: String, _ toxic: ToxicSpec) {
    refreshConditions(of: proxy)
    events.record(event, proxy: proxy.name, [("toxic", toxic.json)])
  }
}
