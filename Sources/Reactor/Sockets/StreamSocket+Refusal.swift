#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension StreamSocket {
  /// Nobody listened where it was to connect to (ECONNREFUSED).
  package var wasRefused: Bool { pendingError() == ECONNREFUSED }
}
