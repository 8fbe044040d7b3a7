import Settings

/// What went through a proxy, or through all, since some moment: the answer of `/traffic`, for `assert`.
struct Finding {
  private let proxy: String?
  private let since: String
  private let answer: JSON

  init(_ client: ControlClient, _ proxy: String?, since: String) throws(CommandError) {
    answer = try client.get("/traffic?since=\(percentEncoded(since))")
    self.proxy = proxy
    // What is so long ago now must not move with the clock.
    let isAgo = if case .ago? = try? Moment(parsing: since) { true } else { false }
    self.since = isAgo ? answer["since"]?.string ?? since : since
  }

  /// Made by hand, for tests.
  init(_ answer: JSON, proxy: String?) {
    (self.answer, self.proxy, since) = (answer, proxy, "0")
  }

  func again(_ client: ControlClient) throws(CommandError) -> Finding { try Finding(client, proxy, since: since) }

  private var proxies: [(name: String, count: JSON)] { (answer["proxies"]?.members ?? []).map { ($0.0, $0.1) } }
  private var counted: [JSON] { proxies.filter { proxy == nil || $0.name == proxy }.map(\.count) }

  private func sum(_ key: String) -> UInt64 { counted.reduce(0) { $0 + Finding.number($1, key) } }

  private static func number(_ count: JSON, _ key: String) -> UInt64 { UInt64(clamping: count[key]?.integerValue ?? 0) }

  func found(_ quantity: TrafficExpectation.Quantity) -> UInt64 {
    switch quantity {
    // What the proxy itself has answered proves that the client knows it, and nothing of the client's traffic.
    case .connections: sum("connections") - min(sum("connections"), sum("refused"))
    case .drops: sum("drops")
    case .bytes: sum("upstream_bytes") + sum("downstream_bytes")
    }
  }

  // MARK: Telling

  private var whose: String { proxy.map { "proxy \($0.printable)" } ?? "all proxies" }
  private var when: String { "since \(answer["since"]?.string ?? "-")" }

  var text: String {
    let parts = TrafficExpectation.Quantity.allCases.map { Finding.text(found($0), $0) }
    let refused = sum("refused") > 0 ? ", besides \(sum("refused")) refused" : ""
    return "\(whose): \(parts.joined(separator: ", "))\(refused) \(when)"
  }

  private static func text(_ count: UInt64, _ quantity: TrafficExpectation.Quantity) -> String {
    "\(count) \(count == 1 ? String(quantity.rawValue.dropLast()) : quantity.rawValue)"
  }

  /// What isn't as it was expected, and why that may be; nil when all is.
  func complaint(_ expectation: TrafficExpectation) -> String? {
    if let proxy, counted.isEmpty { return missing(proxy) }
    let wrong = expectation.bounds.compactMap { bound -> String? in
      let found = found(bound.quantity)
      let text = Finding.text(found, bound.quantity)
      if let least = bound.least, found < least { return "\(text), expected at least \(least)" }
      if let most = bound.most, found > most { return "\(text), expected at most \(most)" }
      return nil
    }
    guard !wrong.isEmpty else { return nil }
    return ("\(whose) \(when): \(wrong.joined(separator: "; "))" + causes.map { "; \($0)" }.joined())
  }

  private func missing(_ name: String) -> String {
    let names = proxies.map(\.name)
    if let near = nearest(to: name, among: names) { return "no proxy \(quoted(name)); did you mean \(quoted(near))?" }
    let list = names.isEmpty ? "none" : names.map(\.printable).joined(separator: ", ")
    return "no proxy \(quoted(name)); there are: \(list)"
  }

  /// Only where nothing came at all, or nothing got through.
  private var causes: [String] {
    var causes: [String] = []
    if found(.connections) == 0 {
      let others = proxies.filter { $0.name != proxy && Finding.number($0.count, "connections") > 0 && proxy != nil }
      let open = sum("open")
      let list = others.map { other in
        "\(other.name.printable) (\(Finding.text(Finding.number(other.count, "connections"), .connections)))"
      }
      if open > 0 { causes.append("connections opened before that are still open (\(open)) and don't count") }
      if !list.isEmpty { causes.append("other proxies had traffic: \(list.joined(separator: ", "))") }
      if open == 0, list.isEmpty, sum("refused") == 0 {
        causes.append("no proxy had any traffic: the client doesn't go through headwind")
      }
    }
    let refused = sum("refused")
    if refused > 0 {
      causes.append("the forward proxy refused what \(refused == 1 ? "one" : "\(refused)") asked for (headwind events)")
    }
    let failures = sum("dial_failures")
    if failures > 0 { causes.append("the upstream was not reached \(failures == 1 ? "once" : "\(failures) times")") }
    return causes
  }

  func json(_ expectation: TrafficExpectation, _ complaint: String?) -> JSON {
    let numbers = TrafficExpectation.Quantity.allCases.map { ($0.rawValue, JSON.integer(Int64(clamping: found($0)))) }
    return .object([
      ("ok", .bool(complaint == nil)), ("proxy", proxy.map(JSON.string) ?? .null),
      ("since", answer["since"] ?? .null), ("found", .object(JSONObject(numbers))), ("expected", expectation.json),
      ("reason", complaint.map(JSON.string)),
    ])
  }
}
