/// What one client may cost an ``HTTPServer``, and all of them. Times are nanoseconds, sizes bytes.
package struct HTTPLimits: Sendable, Hashable {
  /// Connections served at once; further ones wait in the listening socket's backlog.
  package var connectionsMax = 256
  /// The request line and all header fields; more is answered 431.
  package var headerBytesMax = 16 * 1024
  /// A request's body after removing chunked framing; more is answered 413.
  package var bodyBytesMax = 1024 * 1024
  /// Replies that clients have yet to take, of all connections together; ``HTTPServer/makeRoom(for:)`` keeps to it.
  package var unsentBytesMax = 256 * 1024 * 1024
  /// What stands behind the messages of 431 and 413: plain ASCII without quotes, such as " (who sets it)".
  package var headerBytesHint = ""
  package var bodyBytesHint = ""
  /// From a request's first byte to its last, however slowly they drip; then 408 and close.
  package var requestTimeoutNanoseconds: Int64 = 15_000_000_000
  /// How long a connection may stay silent before its first request and between two.
  package var idleTimeoutNanoseconds: Int64 = 60_000_000_000
  /// How long a reply may go without the client taking a single byte. Streams have no such limit.
  package var writeTimeoutNanoseconds: Int64 = 30_000_000_000

  package init() {}

  package init(connectionsMax: Int, headerBytesMax: Int, bodyBytesMax: Int, unsentBytesMax: Int) {
    self.connectionsMax = connectionsMax
    self.headerBytesMax = headerBytesMax
    self.bodyBytesMax = bodyBytesMax
    self.unsentBytesMax = unsentBytesMax
  }

  /// Those that clients can meet without being told by the handler.
  package enum Bound: Sendable { case connections, headerBytes, bodyBytes, unsentBytes }
}
