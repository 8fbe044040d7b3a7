// What is counted about a proxy, beyond its own life and by route.
extension Proxy {
  /// With what proxies of the same name counted before this one was made.
  package var countersOfName: Counters {
    var counters = earlier + counters
    counters.exhaustions = earlier.exhaustions + exhaustions
    return counters
  }

  /// What has gone by the present route; nil before the proxy first listens.
  package var traffic: (route: TrafficRoute, bytes: Counters.Traffic)? {
    route.map { ($0, counters.traffic + routeOffset) }
  }

  /// To be called when the proxy has begun to listen or has another upstream: bytes count for the new route from here on.
  func noteRoute() {
    guard hasSocket else { return }
    let now = TrafficRoute(proxy: name, listener: listen, upstream: upstream)
    guard now != route else { return }
    leaveRoute()
    route = now
    routeOffset = sessions.hub.archive.take(route: now) - counters.traffic
  }

  private func leaveRoute() {
    if let traffic { sessions.hub.archive.put(traffic.bytes, ofRoute: traffic.route) }
    route = nil
  }

  /// The proxy has taken the place of earlier ones of its name, for good.
  func takeCountersFromArchive() {
    earlier = sessions.hub.archive.take(proxy: name)
  }

  /// The proxy is closed, for good.
  func putCountersIntoArchive() {
    leaveRoute()
    sessions.hub.archive.put(countersOfName, ofProxy: name)
  }
}
