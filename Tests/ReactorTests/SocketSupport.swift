import LoopTesting
import Testing

@testable import Reactor

import CLibevent

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SocketAddress {
  static func loopback(_ port: UInt16 = 0) -> SocketAddress {
    SocketAddress(literal: "127.0.0.1", port: port) ?? .unknown
  }

  static func loopback6(_ port: UInt16 = 0) -> SocketAddress {
    SocketAddress(literal: "::1", port: port) ?? .unknown
  }
}

/// A delegate that is a closure.
final class OnReady: StreamSocketDelegate {
  var handler: (StreamSocket) -> Void = { _ in }

  func socketIsReady(_ socket: StreamSocket) {
    handler(socket)
  }
}

/// A connected pair of stream sockets on one loop, with their listener gone.
final class SocketPair {
  let client: StreamSocket
  let server: StreamSocket
  private let quiet = OnReady()

  init(loop: EventLoop) throws {
    var accepted: StreamSocket?
    let listener = try Listener(loop: loop, address: .loopback())
    listener.onAccept = { accepted = try? StreamSocket(loop: loop, accepted: $0) }
    let client = try StreamSocket(loop: loop, connectingTo: listener.localAddress)
    try loop.runUntil { accepted != nil && client.isWritable }
    self.client = client
    server = try #require(accepted)
    client.delegate = quiet
    server.delegate = quiet
    #expect(client.pendingError() == 0)
  }
}

/// A plain blocking client socket, to see a peer from outside.
final class RawSocket {
  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Connects at once or fails with the errno.
  init(to address: SocketAddress) throws(LoopError) {
    #if canImport(Darwin)
      descriptor = socket(address.family.rawValue, SOCK_STREAM, 0)
    #else
      descriptor = socket(address.family.rawValue, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    if descriptor < 0 { throw LoopError.last("socket") }
    // Not for the processes of exit tests, which begin beside this one.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let result = address.withSockaddr { connect(descriptor, $0, $1) }
    if result != 0 { throw LoopError.last("connect") }
  }

  deinit { close(descriptor) }

  /// One recv(2) without waiting: the count, or minus the errno.
  func receive() -> Int {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
    return count >= 0 ? count : -Int(errno)
  }
}
