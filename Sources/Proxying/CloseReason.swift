/// Why a session is over.
package enum CloseReason: String, Sendable, CaseIterable {
  /// Both sides ended, and all was delivered.
  case closed
  case clientReset = "client_reset"
  case upstreamReset = "upstream_reset"
  /// A toxic ended it.
  case dropped
  case dialFailed = "dial_failed"
  /// A forward proxy doesn't do what its client asked for, and has said so.
  case refused
  /// A client of a forward proxy asked for nothing for too long.
  case idle
  case proxyDisabled = "proxy_disabled"
  case proxyUpdated = "proxy_updated"
  case proxyDeleted = "proxy_deleted"
  /// No memory, or no room among the loop's events, for its socket.
  case outOfResources = "out_of_resources"
  /// By `DELETE /sessions/{id}`.
  case ended
  /// The daemon stopped before all was delivered.
  case shutdown
}
