import Conditioning
import Proxying

// The part of `GET /metrics` that has series for each proxy.
extension API {
  /// The name of a proxy that is there, or was. A class, so that a walk over thousands of them copies nothing.
  private final class Subject {
    let name: String
    let label: MetricLabel
    let counters: Counters
    let proxy: Proxy?

    init(_ name: String, _ counters: Counters, _ proxy: Proxy? = nil) {
      self.name = name
      label = MetricLabel("proxy", name)
      self.counters = counters
      self.proxy = proxy
    }
  }

  func add(_ proxies: [Proxy], to text: inout MetricsText) {
    let gone = registry.archive.proxies.values.map { Subject($0.key, $0.value) }
    let all = (proxies.map { Subject($0.name, $0.countersOfName, $0) } + gone).sorted { $0.name < $1.name }
    addGauges(of: all, to: &text)
    addBytes(of: all, to: &text)
    addEndings(of: all, to: &text)
  }

  private func addGauges(of all: [Subject], to text: inout MetricsText) {
    func gauge(_ name: String, _ help: String, _ add: (inout MetricFamily, Proxy, MetricLabel) -> Void) {
      text.family(name, .gauge, help) { family in
        for subject in all {
          if let proxy = subject.proxy { add(&family, proxy, subject.label) }
        }
      }
    }
    gauge("headwind_proxy_enabled", "1 when the proxy is enabled.") { family, proxy, label in
      family.add(.integer(proxy.isEnabled ? 1 : 0), label)
    }
    gauge("headwind_proxy_profile_info", "The profile that the proxy's sessions are under.") { family, proxy, label in
      family.add(.integer(1), MetricLabel("profile", proxy.profileName ?? "none"), label)
    }
    gauge("headwind_proxy_live_sessions", "Sessions that are open.") { family, proxy, label in
      family.add(.integer(proxy.counters.liveSessions), label)
    }
  }

  private func addBytes(of all: [Subject], to text: inout MetricsText) {
    func counter(_ name: String, _ help: String, _ count: (Counters.Bytes) -> Int64) {
      text.family(name, .counter, help) { family in
        for (direction, label) in API.directions {
          for subject in all { family.add(.integer(count(subject.counters.traffic[direction])), label, subject.label) }
        }
      }
    }
    counter("headwind_proxy_received_bytes_total", "Bytes read from the side that sends.") { $0.received }
    counter("headwind_proxy_sent_bytes_total", "Bytes written to the other side, after the toxics.") { $0.sent }
  }

  private func addEndings(of all: [Subject], to text: inout MetricsText) {
    func counter(_ name: String, _ help: String, _ count: (Counters) -> Int) {
      text.family(name, .counter, help) { family in
        for subject in all { family.add(.integer(count(subject.counters)), subject.label) }
      }
    }
    counter("headwind_proxy_sessions_total", "Sessions opened.") { $0.sessions }
    counter("headwind_proxy_dial_failures_total", "Sessions whose upstream could not be reached.") { $0.dialFailures }
    counter(
      "headwind_proxy_accept_exhaustions_total", "Times that accepting rested for want of descriptors or memory."
    ) { $0.exhaustions }
    text.family("headwind_proxy_sessions_closed_total", .counter, "Sessions closed, by the reason.") { family in
      for subject in all {
        for (reason, count) in subject.counters.closed.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
          family.add(.integer(count), subject.label, MetricLabel("reason", reason.rawValue))
        }
      }
    }
    text.family(
      "headwind_proxy_drops_total", .counter,
      "Connections and exchanges that a toxic let fall. What the listening socket refuses is not seen."
    ) { family in
      for subject in all {
        let drops = subject.counters.dropsByCause.sorted { ($0.key.how, $0.key.toxic) < ($1.key.how, $1.key.toxic) }
        for (cause, count) in drops {
          family.add(.integer(count), MetricLabel("how", cause.how), subject.label, MetricLabel("toxic", cause.toxic))
        }
      }
    }
  }

  // MARK: toxiproxy's

  private final class RouteSeries {
    let listener, proxy, upstream: MetricLabel
    let bytes: Counters.Traffic

    init(_ route: TrafficRoute, _ bytes: Counters.Traffic) {
      listener = MetricLabel("listener", route.listener)
      proxy = MetricLabel("proxy", route.proxy)
      upstream = MetricLabel("upstream", route.upstream)
      self.bytes = bytes
    }
  }

  /// The reference's names and labels, but counted while bytes flow.
  func addRoutes(of proxies: [Proxy], to text: inout MetricsText) {
    let left = registry.archive.routes.values.map { (route: $0.key, bytes: $0.value) }
    let routes = (proxies.compactMap(\.traffic) + left)
      .sorted { a, b in
        (a.route.listener, a.route.proxy, a.route.upstream) < (b.route.listener, b.route.proxy, b.route.upstream)
      }
      .map { RouteSeries($0.route, $0.bytes) }
    func counter(_ name: String, _ help: String, _ count: (Counters.Bytes) -> Int64) {
      text.family(name, .counter, help) { family in
        for (direction, label) in API.directions {
          for route in routes {
            family.add(.integer(count(route.bytes[direction])), label, route.listener, route.proxy, route.upstream)
          }
        }
      }
    }
    counter("toxiproxy_proxy_received_bytes_total", "Bytes read from the side that sends.") { $0.received }
    counter("toxiproxy_proxy_sent_bytes_total", "Bytes written to the other side, after the toxics.") { $0.sent }
  }

  static let directions: [(Direction, MetricLabel)] =
    [.downstream, .upstream].map { ($0, MetricLabel("direction", $0.rawValue)) }
}
