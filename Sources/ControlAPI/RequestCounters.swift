import Reactor

/// Control requests by route, method and status, and how long their answers took.
struct RequestCounters {
  struct Kind: Hashable {
    /// `none` where a request was refused before any route was found.
    let handler: String
    let method: String
    let status: Int
  }

  private(set) var answers: [Kind: Int] = [:]
  /// By handler.
  private(set) var durations: [String: DurationHistogram] = [:]

  /// Methods that HTTP knows; a client may make up others without end.
  private static let methods: Set<String> = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
  ]

  /// - Parameter nanoseconds: nil for an answer that has no end.
  mutating func note(_ method: String, _ handler: String?, status: Int, nanoseconds: Int64?) {
    let handler = handler ?? "none"
    let method = RequestCounters.methods.contains(method) ? method : "other"
    answers[Kind(handler: handler, method: method, status: status), default: 0] += 1
    if let nanoseconds { durations[handler, default: DurationHistogram()].record(nanoseconds: nanoseconds) }
  }
}
