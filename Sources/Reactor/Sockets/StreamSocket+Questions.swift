#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

// What the system is asked of a connection, each time anew.
extension StreamSocket {
  /// The address at our end.
  package var localAddress: SocketAddress { SocketAddress.local(of: descriptor) ?? .unknown }

  /// When nobody listens on a port of the range for outgoing connections, the system may pick the same one for our end, and
  /// TCP's simultaneous open then connects the socket to itself.
  var isConnectedToItself: Bool { peerAddress.isLoopback && localAddress == peerAddress }

  /// Bytes written that the peer's system has not acknowledged; a reset would forget those that are unsent.
  /// Like ioctl(SIOCOUTQ), getsockopt(SO_NWRITE).
  package var unacknowledgedBytes: Int {
    guard isOpen else { return 0 }
    var count: Int32 = 0
    #if canImport(Darwin)
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &length)
    #else
      _ = ioctl(descriptor, UInt(TIOCOUTQ), &count)
    #endif
    return Int(count)
  }
}
