internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

// How far ahead of us the system takes what a peer sends. On loopback that is some 4 MB, half a minute of a slow network:
// the peer would hold all of it for sent.
extension StreamSocket {
  /// Bounds what comes in unread to about `bytes`, instead of what the system finds best.
  ///
  /// Where the peer may have been offered more by now, the buffer stays as large as it is and grows no more. What comes within an
  /// offer and finds no room Linux drops, and a sender whose segments are dropped tries again ever later: the stream would
  /// stand still for up to two minutes, long after the bound is gone.
  ///
  /// Only for peers on loopback: a far one would be held to `bytes` a round trip. Like setsockopt(SO_RCVBUF).
  package func boundReceiveBuffer(to bytes: Int) {
    guard isOpen, peerAddress.isLoopback else { return }
    #if os(Linux)
      guard offeredBytes <= max(2 * bytes, StreamSocket.firstOfferBytes) else {
        // A kernel before 5.14 can't hold it; there it grows on.
        try? SystemCall.setOption(descriptor, SOL_SOCKET, SystemCall.bufferLock, SystemCall.receiveBufferLock)
        return
      }
    #endif
    // Linux doubles it, for its own book-keeping.
    try? SystemCall.setOption(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: bytes))
  }

  /// Lets the system find the best size again, after ``boundReceiveBuffer(to:)``.
  package func unboundReceiveBuffer() {
    guard isOpen, peerAddress.isLoopback else { return }
    #if os(Linux)
      // From its present size on; a kernel before 5.14 keeps the size that is set below.
      guard (try? SystemCall.setOption(descriptor, SOL_SOCKET, SystemCall.bufferLock, 0)) == nil else { return }
      guard receiveBufferBytes < 1 << 20 else { return }
    #endif
    try? SystemCall.setOption(descriptor, SOL_SOCKET, SO_RCVBUF, 1 << 20)
  }

  #if os(Linux)
    /// What Linux offers at first, with what it makes of it for 64 KiB that are there.
    private static let firstOfferBytes = 128 << 10

    /// What is unread and what the peer may send besides: it has never been offered more than that at once.
    private var offeredBytes: Int {
      var info = tcp_info()
      var length = socklen_t(MemoryLayout<tcp_info>.size)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else { return 0 }
      return Int(info.tcpi_rcv_ssthresh) + SystemCall.unreadBytes(descriptor)
    }
  #endif

  /// What the system keeps for unread bytes, as it says itself. Like getsockopt(SO_RCVBUF).
  package var receiveBufferBytes: Int {
    var size: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard isOpen, getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, &length) == 0 else { return 0 }
    return Int(size)
  }
}

extension Listener {
  /// A segment's size on most networks: 1,500 bytes less what IP and TCP say.
  package static let ordinarySegmentBytes = 1_460

  /// The most that a new connection's peer puts into one segment; nil for what the interface takes, which is 64 KB on
  /// loopback. A Linux sender sizes its own buffer by it: what it takes from its program at once falls from 4 MB to
  /// 300 KB, or 1.6 MB where Linux remembers reordering from before. Like setsockopt(TCP_MAXSEG).
  package func boundSegments(to bytes: Int?) {
    guard isOpen else { return }
    // Darwin knows no way back, and refuses this.
    try? SystemCall.setOption(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, Int32(clamping: bytes ?? 0))
  }
}

#if os(Linux)
  extension SystemCall {
    /// SO_BUF_LOCK, Linux 5.14; missing in older headers.
    fileprivate static let bufferLock: Int32 = 72
    fileprivate static let receiveBufferLock: Int32 = 2
  }
#endif
