import Settings

/// Where the bytes of a proxy come in and go to: what toxiproxy's metrics count them by.
package struct TrafficRoute: Hashable, Sendable {
  package let proxy: String
  /// The real address.
  package let listener: String
  package let upstream: String
}

/// The counters of deleted proxies, and of the routes that proxies have left: a test that makes a proxy, uses it and
/// deletes it is over before anybody reads its counters.
///
/// What comes back under the same name or route takes its counters out again and goes on from there. Programs make and
/// delete proxies for ever, on new ports each time, so the archive is bounded: what was put in longest ago is forgotten.
package struct CounterArchive {
  package private(set) var proxies: RecentValues<String, Counters>
  package private(set) var routes: RecentValues<TrafficRoute, Counters.Traffic>

  /// - Parameter countMax: by proxy, and by route as many.
  init(countMax: Int = Limit.keptCounters.usual) {
    proxies = RecentValues(countMax: countMax)
    routes = RecentValues(countMax: countMax)
  }

  /// Sets of counters that were forgotten so far.
  package var forgotten: Int { proxies.forgotten + routes.forgotten }

  mutating func put(_ counters: Counters, ofProxy name: String) {
    if counters != Counters() { proxies.put(counters, for: name, keyBytes: name.utf8.count) }
  }

  mutating func take(proxy name: String) -> Counters { proxies.take(name) ?? Counters() }

  mutating func put(_ traffic: Counters.Traffic, ofRoute route: TrafficRoute) {
    guard traffic != Counters.Traffic() else { return }
    let bytes = route.proxy.utf8.count + route.listener.utf8.count + route.upstream.utf8.count
    routes.put(traffic, for: route, keyBytes: bytes)
  }

  mutating func take(route: TrafficRoute) -> Counters.Traffic { routes.take(route) ?? Counters.Traffic() }
}

/// The values that were put in last, by key: at most so many, and so many bytes of keys.
package struct RecentValues<Key: Hashable, Value> {
  private struct Entry {
    var value: Value
    let keyBytes: Int
    let age: Int
  }

  private let countMax: Int
  private let keyBytesMax: Int
  private var entries: [Key: Entry] = [:]
  private var keyBytes = 0
  private var puts = 0
  package private(set) var forgotten = 0

  /// - Parameter keyBytesMax: nil for a kilobyte each.
  init(countMax: Int = 1_000, keyBytesMax: Int? = nil) {
    self.countMax = countMax
    self.keyBytesMax = keyBytesMax ?? max(1 << 20, countMax << 10)
  }

  package var count: Int { entries.count }
  package var values: [(key: Key, value: Value)] { entries.map { ($0.key, $0.value.value) } }

  mutating func put(_ value: Value, for key: Key, keyBytes bytes: Int) {
    _ = take(key)
    puts += 1
    entries[key] = Entry(value: value, keyBytes: bytes, age: puts)
    keyBytes += bytes
    // Looks at all of them for each that has to go; it is a thousand, and only a deletion brings one.
    while entries.count > countMax || keyBytes > keyBytesMax,
      let oldest = entries.min(by: { $0.value.age < $1.value.age })?.key
    {
      _ = take(oldest)
      forgotten += 1
    }
  }

  mutating func take(_ key: Key) -> Value? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    keyBytes -= entry.keyBytes
    return entry.value
  }
}
