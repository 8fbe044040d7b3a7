/// What would be more than a limit allows, in words for whoever asked for it.
package struct LimitRefusal: Error, Hashable, CustomStringConvertible {
  package let limit: Limit
  /// What it is.
  package let value: Int
  /// What is too much of it: `too many: 10001 proxies`.
  private let excess: String

  /// There would be so many.
  package init(_ limit: Limit, _ value: Int, count: Int, _ what: String? = nil) {
    (self.limit, self.value) = (limit, value)
    excess = "too many: \(count) \(what ?? limit.rawValue)"
  }

  /// A name, or an address as it is written, is too long.
  package init(name: String, value: Int) {
    (limit, self.value) = (.nameBytes, value)
    excess = "\(JSON.string(name).excerpt) has \(name.utf8.count) bytes"
  }

  package var description: String {
    "\(excess); allowed: at most \(value) (\(limit.flag) sets it)"
  }
}

extension ProxySpec {
  /// What of this proxy alone is beyond a limit.
  ///
  /// - Parameter value: of a limit.
  package func excess(over value: (Limit) -> Int) -> LimitRefusal? {
    let toxics = toxics ?? []
    if toxics.count > value(.toxicsPerProxy) {
      return LimitRefusal(
        .toxicsPerProxy, value(.toxicsPerProxy), count: toxics.count, "toxics of proxy \(JSON.string(name).excerpt)")
    }
    let long = ([name, listen, upstream] + toxics.map(\.name)).first { $0.utf8.count > value(.nameBytes) }
    return long.map { LimitRefusal(name: $0, value: value(.nameBytes)) }
  }
}

extension Config {
  /// The first thing in it that is beyond a limit, or which limits can't stand beside each other, in words; nil: all is well.
  package func excess(over settings: LimitSettings) -> String? {
    if let contradiction = settings.contradiction { return contradiction }
    let values = settings.values
    func value(_ limit: Limit) -> Int { values[limit] ?? limit.usual }
    let proxies = allProxies
    let counts: [(Limit, Int)] = [
      (.proxies, proxies.count), (.toxics, proxies.reduce(0) { $0 + ($1.toxics?.count ?? 0) }), (.rules, rules.count),
    ]
    for (limit, count) in counts where count > value(limit) {
      return LimitRefusal(limit, value(limit), count: count).description
    }
    return proxies.lazy.compactMap { $0.excess(over: value) }.first?.description
  }
}
