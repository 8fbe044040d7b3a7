import Proxying
import Reactor
import Settings

/// Which events somebody wants.
package struct EventFilter: Hashable, Sendable {
  /// Empty: all.
  var types: Set<String> = []
  /// Nil: of all proxies, and of none.
  var proxy: String?

  static let none = EventFilter()

  var isNone: Bool { self == .none }

  func admits(_ event: Event) -> Bool {
    (types.isEmpty || types.contains(event.type)) && (proxy == nil || event.proxy == proxy)
  }
}

// What happened, and what has gone through.
extension API {
  func listEvents(_ request: APIRequest) throws(APIError) -> APIAnswer {
    try request.refuseUnknownQuery(["since", "type", "proxy", "limit"])
    // HEAD is answered without a stream: its answer has to end.
    let accept = request.method == "GET" ? request.header("Accept") : nil
    let wantsStream = accept?.contains("text/event-stream") ?? false
    // A reconnecting event source says where it was.
    let text = request.query("since") ?? (wantsStream ? request.header("Last-Event-ID") : nil)
    let since = try text.map { text throws(APIError) in try identifier(since: text) }
    let filter = try EventFilter(request)
    let limit = try eventLimit(request)
    if wantsStream {
      guard limit == nil else { throw APIError(400, "limit goes with a list of events, not with a stream") }
      return .events(since: since ?? registry.events.newest, filter)
    }
    let events = registry.events.events(since: since ?? 0)
    let wanted = filter.isNone ? events : events.filter(filter.admits)
    return .now(
      .json(
        .object([
          ("events", .array(wanted.suffix(limit ?? .max).map(API.json(of:)))),
          ("oldest", .integer(Int64(registry.events.oldest))), ("newest", .integer(Int64(registry.events.newest))),
        ])))
  }

  static func json(of event: Event) -> JSON {
    var members: [(String, JSON)] = [
      ("id", .integer(Int64(event.id))), ("at", .string(event.at.description)), ("type", .string(event.type)),
    ]
    if let proxy = event.proxy { members.append(("proxy", .string(proxy))) }
    if let session = event.session { members.append(("session", .integer(Int64(session)))) }
    if let number = event.sessionNumber { members.append(("number", .integer(Int64(number)))) }
    return .object(JSONObject(members + event.details))
  }

  private func eventLimit(_ request: APIRequest) throws(APIError) -> Int? {
    guard let text = request.query("limit") else { return nil }
    // As much as the description says, even where fewer are kept.
    let most = max(registry.events.capacity, Limit.events.usual)
    guard let limit = Int(text), (1...most).contains(limit) else {
      throw APIError(400, "limit is \(APIRequest.excerpt(text)); allowed: a whole number from 1 to \(most)")
    }
    return limit
  }

  // MARK: Moments

  private func moment(since text: String) throws(APIError) -> Moment {
    do throws(SettingsError) {
      return try Moment(parsing: text)
    } catch {
      throw APIError(400, "since \(error.message)")
    }
  }

  /// The event behind which those begin that are asked for.
  private func identifier(since text: String) throws(APIError) -> Int {
    switch try moment(since: text) {
    case .event(let id): id
    case .time(let nanoseconds): registry.events.lastID(before: WallTime(nanoseconds: nanoseconds))
    case .ago(let duration): registry.events.lastID(before: API.time(duration))
    }
  }

  private static func time(_ ago: Duration) -> WallTime { WallTime.now.advanced(nanoseconds: -ago.nanoseconds) }

  // MARK: Traffic

  func countTraffic(_ request: APIRequest) throws(APIError) -> APIResponse {
    try request.refuseUnknownQuery(["since"])
    let text = request.query("since") ?? "0"
    let beginning: ProxyRegistry.Beginning =
      switch try moment(since: text) {
      case .event(let id): .event(id)
      case .time(let nanoseconds): .time(WallTime(nanoseconds: nanoseconds))
      case .ago(let duration): .time(API.time(duration))
      }
    do throws(TrafficError) {
      return .json(json(of: try registry.span(since: beginning)))
    } catch {
      throw APIError(error, since: text)
    }
  }

  private func json(of span: TrafficSpan) -> JSON {
    let counts = registry.traffic(in: span).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return .object([
      ("since", .string(span.since.description)), ("event", .integer(Int64(span.event))),
      ("proxies", .object(JSONObject(counts.map { ($0.key, $0.value.json) }))),
    ])
  }
}

extension EventFilter {
  fileprivate init(_ request: APIRequest) throws(APIError) {
    proxy = request.query("proxy")
    guard proxy != "" else { throw APIError(400, "proxy is empty; allowed: the name of a proxy") }
    guard let text = request.query("type") else { return }
    let known = OpenAPI.eventTypes
    for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard known.contains(name) else {
        let near = nearest(to: name, among: known).map { "did you mean \"\($0)\"?" }
        let hint = near ?? "allowed: \(known.joined(separator: ", ")), several separated by commas"
        throw APIError(400, "type is \(APIRequest.excerpt(name)); \(hint)")
      }
      types.insert(name)
    }
  }
}

extension APIRequest {
  /// A value as it can stand in a message.
  fileprivate static func excerpt(_ text: String) -> String { JSON.string(String(text.prefix(40))).text }
}

extension APIError {
  fileprivate init(_ error: TrafficError, since text: String) {
    let value = "since is \(APIRequest.excerpt(text))"
    switch error {
    case .forgotten(let id, let time):
      self.init(
        410, "\(value), but the events that are kept reach back to \(time) only (event \(id)): it can't be told exactly"
      )
    case .toCome(let newest):
      self.init(
        400, "\(value), which is still to come (the newest event is \(newest)); was it of a daemon that ran before?")
    }
  }
}

extension TrafficCount {
  fileprivate var json: JSON {
    .object([
      ("connections", .integer(Int64(connections))), ("open", .integer(Int64(open))),
      ("upstream_bytes", .integer(upstreamBytes)), ("downstream_bytes", .integer(downstreamBytes)),
      ("drops", .integer(Int64(drops))), ("dial_failures", .integer(Int64(dialFailures))),
      ("refused", .integer(Int64(refused))),
    ])
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
