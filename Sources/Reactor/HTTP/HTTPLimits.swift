/// What one client may cost an ``HTTPServer``. Times are nanoseconds, sizes bytes.
package struct HTTPLimits: Sendable, Hashable {
  /// The request line and all header fields; more is answered 431.
  package var headerBytesMax = 16 * 1024
  /// A request's body after removing chunked framing; more is answered 413.
  package var bodyBytesMax = 1024 * 1024
  /// From a request's first byte to its last, however slowly they drip; then 408 and close.
  package var requestTimeoutNanoseconds: Int64 = 15_000_000_000
  /// How long a connection may stay silent before its first request and between two.
  package var idleTimeoutNanoseconds: Int64 = 60_000_000_000
  /// How long a reply may go without the client taking a single byte. Streams have no such limit.
  package var writeTimeoutNanoseconds: Int64 = 30_000_000_000
  /// Connections served at once; further ones wait in the listening socket's backlog.
  package var connectionsMax = 256

  package init() {}
}
