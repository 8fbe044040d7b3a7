import Reactor
package import Settings

// What there may be, and what there is.
extension ProxyRegistry {
  /// Times that something was refused, cut off, made to wait or forgotten because of a limit.
  package func timesReached(_ limit: Limit) -> Int {
    switch limit {
    case .events: events.newest - events.kept
    case .keptCounters: archive.forgotten
    default: hub.watch.count(of: limit)
    }
  }

  /// What the limit is now: that of connections depends on how many descriptors are left.
  package func value(of limit: Limit) -> Int { limit == .connections ? hub.room.limit : limits[limit] }

  /// To be called when the control port has met one of its own.
  package func met(_ limit: Limit) { hub.watch.met(limit, value: value(of: limit)) }

  /// How much of a limit is in use; nil where it bounds each of many things, or what others count.
  package func used(of limit: Limit) -> Int? {
    switch limit {
    case .connections: sessionCount
    case .connectionsPerProxy: byName.values.lazy.map(\.counters.liveSessions).max() ?? 0
    case .bufferBytes: bufferedBytes
    case .lookups: lookupCount
    case .proxies: byName.count
    case .toxics: toxicCount
    case .toxicsPerProxy: byName.values.lazy.map(\.toxics.count).max() ?? 0
    case .profiles: catalogue.definedCount
    case .rules: forward.rules.count
    case .leases: leases.count
    case .events: events.kept
    case .keptCounters: max(archive.proxies.count, archive.routes.count)
    case .linkBufferBytes, .forwardHeadBytes, .nameBytes, .controlConnections, .controlHeadBytes, .controlBodyBytes,
      .controlOutputBytes, .eventStreams:
      nil
    }
  }

  private var toxicCount: Int { byName.values.reduce(0) { $0 + $1.toxics.count } }

  // MARK: Refusing

  /// - Parameters:
  ///   - count: what there would be.
  ///   - what: what that is, where it isn't what the limit is named for.
  ///   - proxy: whose it is.
  package func require(
    _ limit: Limit, _ count: Int, _ what: String? = nil, proxy: String? = nil
  ) throws(RegistryError) {
    guard count > limits[limit] else { return }
    hub.watch.met(limit, value: limits[limit], proxy: proxy)
    throw .limit(LimitRefusal(limit, limits[limit], count: count, what))
  }

  /// - Parameters:
  ///   - count: proxies that are new, less those that go.
  ///   - toxics: the same of toxics.
  func requireRoom(for specs: [ProxySpec], adding count: Int, toxics: Int) throws(RegistryError) {
    guard let refusal = excess(of: specs, adding: count, toxics: toxics) else { return }
    hub.watch.met(refusal.limit, value: refusal.value)
    throw .limit(refusal)
  }

  /// Whether new proxies fit beside what there is, asked ahead: no limit counts as met. Of one name the last counts.
  package func checkRoom(for specs: [ProxySpec]) throws(RegistryError) {
    let byName = Dictionary(specs.map { ($0.name, $0) }) { _, last in last }
    let toxics = byName.values.reduce(0) { $0 + ($1.toxics?.count ?? 0) }
    if let refusal = excess(of: specs, adding: byName.count, toxics: toxics) { throw .limit(refusal) }
  }

  private func excess(of specs: [ProxySpec], adding count: Int, toxics: Int) -> LimitRefusal? {
    func excess(over limit: Limit, _ total: Int) -> LimitRefusal? {
      total > limits[limit] ? LimitRefusal(limit, limits[limit], count: total, nil) : nil
    }
    if count > 0, let refusal = excess(over: .proxies, byName.count + count) { return refusal }
    for spec in specs {
      if let refusal = spec.excess(over: { limits[$0] }) { return refusal }
    }
    return toxics > 0 ? excess(over: .toxics, toxicCount + toxics) : nil
  }

  func requireRoom(forToxic toxic: ToxicSpec, of proxy: Proxy) throws(RegistryError) {
    try requireNames([toxic.name])
    let what = "toxics of proxy \(JSON.string(proxy.name).excerpt)"
    try require(.toxicsPerProxy, proxy.toxics.count + 1, what, proxy: proxy.name)
    try require(.toxics, toxicCount + 1)
  }

  /// Names, and addresses as they are written.
  func requireNames(_ names: [String]) throws(RegistryError) {
    for name in names where name.utf8.count > limits.nameBytes {
      hub.watch.met(.nameBytes, value: limits.nameBytes)
      throw .limit(LimitRefusal(name: name, value: limits.nameBytes))
    }
  }
}
