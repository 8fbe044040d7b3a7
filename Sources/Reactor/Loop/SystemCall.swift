internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Thin layer over calls whose shape differs between Linux and Darwin, or that would repeat.
enum SystemCall {
  /// A non-blocking pipe, closed on exec. Like pipe(2).
  static func pipe() throws(LoopError) -> (read: Int32, write: Int32) {
    var ends: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutableBytes(of: &ends) { bytes in
      let ends = bytes.bindMemory(to: Int32.self).baseAddress!
      #if canImport(Darwin)
        return Darwin.pipe(ends)
      #else
        return Glibc.pipe(ends)
      #endif
    }
    guard result == 0 else { throw LoopError.last("pipe") }
    setNonBlockingAndCloseOnExec(ends.0)
    setNonBlockingAndCloseOnExec(ends.1)
    return (ends.0, ends.1)
  }

  static func setNonBlockingAndCloseOnExec(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// A full pipe is fine: the reader is awake then.
  static func writeByte(to descriptor: Int32) {
    var byte: UInt8 = 1
    while write(descriptor, &byte, 1) < 0, errno == EINTR {}
  }

  /// Reads until nothing is left.
  static func drain(_ descriptor: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count == buffer.count || (count < 0 && errno == EINTR) { continue }
        return
      }
    }
  }

  /// A non-blocking stream socket, closed on exec. Like socket(2).
  static func streamSocket(_ family: SocketAddress.Family) throws(LoopError) -> Descriptor {
    #if canImport(Darwin)
      let raw = socket(family.rawValue, SOCK_STREAM, 0)
      if raw < 0 { throw LoopError.last("socket") }
      setNonBlockingAndCloseOnExec(raw)
    #else
      let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      let raw = socket(family.rawValue, type, 0)
      if raw < 0 { throw LoopError.last("socket") }
    #endif
    return Descriptor(raw)
  }

  static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) throws(LoopError) {
    var value = value
    let result = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    if result != 0 { throw LoopError.last("setsockopt") }
  }

  /// Makes the coming close send RST and forget what is unsent.
  static func setLingerZero(_ descriptor: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// Bytes that came and were not read. Like ioctl(FIONREAD).
  static func unreadBytes(_ descriptor: Int32) -> Int {
    var count: Int32 = 0
    #if canImport(Darwin)
      // The macro isn't imported.
      let request: UInt = 0x4004_667F
    #else
      let request = UInt(FIONREAD)
    #endif
    return ioctl(descriptor, request, &count) == 0 ? Int(count) : 0
  }

  /// The options of every connection that we forward: no Nagle delay, and no signal on a broken connection. A socket that is
  /// already dead may refuse them; it will tell when used.
  static func setStreamOptions(_ descriptor: Int32) {
    try? setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    #if canImport(Darwin)
      try? setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  /// A probe after 15 s of silence and then every 15 s: a peer that is gone without a word is noticed.
  static func keepAlive(_ descriptor: Int32) {
    let tcp = Int32(IPPROTO_TCP)
    try? setOption(descriptor, tcp, TCP_KEEPINTVL, 15)
    #if canImport(Darwin)
      try? setOption(descriptor, tcp, TCP_KEEPALIVE, 15)
    #else
      try? setOption(descriptor, tcp, TCP_KEEPIDLE, 15)
    #endif
    try? setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
  }

  /// The next connection of a listening socket, or nil with `errno` set. Like accept(2).
  static func accept(_ listening: Int32) -> AcceptedSocket? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let raw = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #if canImport(Darwin)
          return Darwin.accept(listening, address, &length)
        #else
          // Stream options are inherited from the listening socket.
          return accept4(listening, address, &length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
        #endif
      }
    }
    guard raw >= 0 else { return nil }
    #if canImport(Darwin)
      setNonBlockingAndCloseOnExec(raw)
      setStreamOptions(raw)
    #endif
    let peer = SocketAddress(storage) ?? .unknown
    return AcceptedSocket(Descriptor(raw), peer: peer)
  }

  /// Not repeated on EINTR: the descriptor is gone all the same. Like close(2).
  static func close(_ descriptor: Int32) {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }
}

/// The sole owner of a file descriptor; closes it when dropped.
struct Descriptor: ~Copyable {
  private let value: Int32

  init(_ value: Int32) {
    self.value = value
  }

  borrowing func raw() -> Int32 { value }

  /// Gives the descriptor to a new owner.
  consuming func take() -> Int32 {
    let value = value
    discard self
    return value
  }

  deinit {
    SystemCall.close(value)
  }
}
