/// How much waits in front of a path's rate at most, in each direction.
package enum QueueSpec: Hashable, Sendable {
  /// As long as the rate takes to send it; above 0.
  case milliseconds(Double)
  /// IP bytes; at least one packet of 1,500.
  case bytes(Int64)
}
