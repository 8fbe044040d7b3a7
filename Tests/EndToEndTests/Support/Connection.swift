import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A connected TCP socket; every call blocks for a bounded time.
final class Connection: Socket, @unchecked Sendable {
  // Unchecked as its superclass; it adds no state.
  enum Received: Equatable {
    case bytes([UInt8])
    case end
    case reset
    case nothing
  }

  private static let patience = Duration.seconds(15)

  override init(descriptor: Int32) {
    super.init(descriptor: descriptor)
    setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    setOption(SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: 15, tv_usec: 0))
    #if canImport(Darwin)
      setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
    #endif
  }

  /// - Parameter receiveBuffer: bytes that the kernel may hold for a reader that doesn't read; nil for the system's choice.
  convenience init(to address: Address, receiveBuffer: Int32? = nil) throws {
    self.init(descriptor: try Socket.make(isIPv6: address.isIPv6))
    if let receiveBuffer { setOption(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
    guard address.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else { throw SocketError.last("connect") }
  }

  // MARK: Sending

  func send(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try send($0) }
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try sendSome(UnsafeRawBufferPointer(rebasing: rest))
      rest = rest.dropFirst(count)
    }
  }

  /// One send(2).
  func sendSome(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    while true {
      #if canImport(Darwin)
        let count = Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
      #else
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
      #endif
      if count >= 0 { return count }
      guard errno == EINTR else { throw SocketError.last("send") }
    }
  }

  /// Ends the sending side; receiving goes on.
  func finish() { whileOpen { shutdown(descriptor, Int32(SHUT_WR)) } }

  /// Ends both directions without giving the descriptor back: whoever blocks in a call on it comes out.
  func interrupt() { whileOpen { shutdown(descriptor, Int32(SHUT_RDWR)) } }

  /// Closes with a reset.
  func abort() {
    setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    close()
  }

  // MARK: Receiving

  func receive(upTo count: Int = 65_536, within limit: Duration = patience) throws -> Received {
    // A peer that never stops sending doesn't stretch a caller's limit.
    guard limit >= .zero, isReady(Int(POLLIN), within: limit) else { return .nothing }
    var bytes = [UInt8](repeating: 0, count: count)
    let received = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, count, 0) }
    switch received {
    case 0: return .end
    case ..<0 where errno == ECONNRESET: return .reset
    case ..<0: throw SocketError.last("recv")
    default:
      bytes.removeLast(count - received)
      return .bytes(bytes)
    }
  }

  /// Exactly `count` bytes.
  func receive(exactly count: Int, within limit: Duration = patience) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let end = ContinuousClock.now + limit
    while bytes.count < count {
      switch try receive(upTo: count - bytes.count, within: end - .now) {
      case .bytes(let more): bytes += more
      case .end: throw SocketError(call: "end after \(bytes.count) of \(count) bytes", code: 0)
      case .reset: throw SocketError(call: "recv", code: ECONNRESET)
      case .nothing: throw SocketError(call: "\(bytes.count) of \(count) bytes within \(limit)", code: ETIMEDOUT)
      }
    }
    return bytes
  }

  /// Everything up to the end. Throws when there is a reset or no end within `limit`.
  func receiveToEnd(within limit: Duration = patience) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let end = ContinuousClock.now + limit
    while true {
      switch try receive(within: end - .now) {
      case .bytes(let more): bytes += more
      case .end: return bytes
      case .reset: throw SocketError(call: "recv", code: ECONNRESET)
      case .nothing: throw SocketError(call: "no end within \(limit), \(bytes.count) bytes", code: ETIMEDOUT)
      }
    }
  }

  /// What comes after all bytes: `.end`, `.reset`, or `.nothing` when neither comes within `limit`.
  func outcome(within limit: Duration = patience) throws -> Received {
    let end = ContinuousClock.now + limit
    while true {
      let received = try receive(within: end - .now)
      guard case .bytes = received else { return received }
    }
  }

  /// Sends `text` and gives what comes back, as long as what was sent.
  func echo(_ text: String, within limit: Duration = patience) throws -> String {
    try send(text)
    return String(decoding: try receive(exactly: text.utf8.count, within: limit), as: UTF8.self)
  }

  /// How long it takes `text` to come back; throws when something else does.
  func echoTime(_ text: String = "ping", within limit: Duration = patience) throws -> Duration {
    let start = ContinuousClock.now
    let answer = try echo(text, within: limit)
    guard answer == text else { throw SocketError(call: "echo of \(text): \(answer)", code: EBADMSG) }
    return .now - start
  }
}

#if os(Linux)
  extension Connection {
    /// How many segments with data have come so far: `tcpi_data_segs_in` of Linux's <linux/tcp.h>, which glibc's own
    /// `tcp_info` ends before.
    func dataSegmentsReceived() throws -> UInt32 {
      let offset = 152
      var info = [UInt8](repeating: 0, count: 512)
      var size = socklen_t(info.count)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else {
        throw SocketError.last("getsockopt")
      }
      guard size >= offset + 4 else { throw SocketError(call: "tcp_info of \(size) bytes", code: EINVAL) }
      return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
  }
#endif
