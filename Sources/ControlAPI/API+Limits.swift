import Proxying
import Reactor
import Settings

// What is bounded, and how near to that we are: as a call and as metrics.
extension API {
  var limitsRoute: Route {
    Route("limits", ["GET": { [unowned self] _, _ in .now(listLimits()) }])
  }

  private func listLimits() -> APIResponse {
    let limits = Limit.allCases.map { limit in
      JSON.object([
        ("name", .string(limit.rawValue)), ("unit", .string(limit.unit.rawValue)),
        ("value", .integer(Int64(registry.value(of: limit)))),
        ("used", used(of: limit).map { .integer(Int64($0)) } ?? .null),
        ("reached", .integer(Int64(registry.timesReached(limit)))),
        ("flag", .string(limit.flag)), ("what", .string(limit.terms.what)), ("does", .string(limit.terms.does)),
      ])
    }
    return .json(.object([("limits", .array(limits))]))
  }

  private func used(of limit: Limit) -> Int? {
    switch limit {
    case .controlConnections: server?.connectionCount
    case .controlOutputBytes: server?.unsentBytes
    case .eventStreams: eventFeed?.readerCount
    default: registry.used(of: limit)
    }
  }

  func addLimits(to text: inout MetricsText) {
    func label(_ limit: Limit) -> MetricLabel { MetricLabel("limit", limit.rawValue) }
    text.family("headwind_limit", .gauge, "The most that there may be; headwind limits says what happens then.") {
      for limit in Limit.allCases { $0.add(.integer(registry.value(of: limit)), label(limit)) }
    }
    text.family("headwind_limit_used", .gauge, "How much of a limit is in use; not of those that bound each of many.") {
      for limit in Limit.allCases {
        if let used = used(of: limit) { $0.add(.integer(used), label(limit)) }
      }
    }
    text.family(
      "headwind_limit_reached_total", .counter,
      "Times that something was refused, cut off, made to wait or forgotten because of a limit."
    ) {
      for limit in Limit.allCases { $0.add(.integer(registry.timesReached(limit)), label(limit)) }
    }
  }
}
