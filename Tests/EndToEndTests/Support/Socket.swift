import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A system call that failed.
struct SocketError: Error, Equatable, CustomStringConvertible {
  let call: String
  let code: Int32

  static func last(_ call: String) -> SocketError { SocketError(call: call, code: errno) }
  var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// An address as text, "127.0.0.1:80" or "[::1]:80".
struct Address: Equatable, Sendable, CustomStringConvertible {
  let host: String
  let port: UInt16

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  init(_ text: String) throws {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw SocketError(call: "address \(text)", code: EINVAL)
    }
    self.init(host: text[..<colon].trimmingCharacters(in: ["[", "]"]), port: port)
  }

  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
  var isIPv6: Bool { host.contains(":") }

  func withSockaddr<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) throws -> T) rethrows -> T {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      inet_pton(AF_INET6, host, &address.sin6_addr)
      return try withBytes(of: &address, body)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return try withBytes(of: &address, body)
  }

  private func withBytes<A, T>(
    of address: inout A, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> T
  ) rethrows -> T {
    try withUnsafePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, socklen_t(MemoryLayout<A>.size)) }
    }
  }
}

/// Held while a descriptor is made and until it is marked, and while a program is spawned: none is inherited in between.
/// (The calls that mark at once are not in Swift's Glibc module.)
enum Inheritance {
  private static let lock = Mutex(())

  static func excluded<T>(_ body: () throws -> T) rethrows -> T {
    try lock.withLock { _ in try body() }
  }

  /// Makes a descriptor that spawned programs don't get.
  static func descriptor(_ call: String, _ body: () -> Int32) throws -> Int32 {
    try excluded {
      let descriptor = body()
      guard descriptor >= 0 else { throw SocketError.last(call) }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return descriptor
    }
  }
}

extension Inheritance {
  static func pipe() throws -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [-1, -1]
    _ = try descriptor("pipe") {
      #if canImport(Darwin)
        guard Darwin.pipe(&ends) == 0 else { return -1 }
      #else
        guard Glibc.pipe(&ends) == 0 else { return -1 }
      #endif
      _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
      return ends[0]
    }
    return (ends[0], ends[1])
  }
}

/// A socket that is closed once, when its owner says so or goes.
class Socket: @unchecked Sendable {
  // Unchecked for its being open to subclasses: its only state is a constant and what the mutex guards.
  let descriptor: Int32
  private let isOpen = Mutex(true)

  init(descriptor: Int32) { self.descriptor = descriptor }

  static func make(isIPv6: Bool) throws -> Int32 {
    Machine.raisedDescriptorLimit
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    return try Inheritance.descriptor("socket") { socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0) }
  }

  deinit { close() }

  func close() {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      #if canImport(Darwin)
        Darwin.close(descriptor)
      #else
        Glibc.close(descriptor)
      #endif
    }
  }

  /// Not on a closed descriptor: its number may be another socket's by now.
  func whileOpen(_ body: () -> Void) {
    isOpen.withLock { if $0 { body() } }
  }

  func setOption(_ level: Int32, _ name: Int32, _ value: some BitwiseCopyable) {
    withUnsafeBytes(of: value) { _ = setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) }
  }

  /// False when nothing came within `limit`.
  func isReady(_ events: Int, within limit: Duration) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&entry, 1, Int32(max(0, limit.milliseconds.rounded(.up)))) > 0
  }
}

/// A bound and listening socket.
final class ListeningSocket: Socket, @unchecked Sendable {
  // Unchecked as its superclass; it adds a constant.
  let address: Address

  init(host: String = "127.0.0.1", port: UInt16 = 0, backlog: Int32 = 512) throws {
    let wanted = Address(host: host, port: port)
    let descriptor = try Socket.make(isIPv6: wanted.isIPv6)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    guard wanted.withSockaddr({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0 else {
      defer { _ = Socket(descriptor: descriptor) }
      throw SocketError.last("bind")
    }
    var bound = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    withUnsafeMutablePointer(to: &bound) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    // The port lies at the same place in both families.
    address = Address(host: host, port: UInt16(bigEndian: bound.sin6_port))
    super.init(descriptor: descriptor)
  }

  /// Nil when nobody came within `limit`.
  func accept(within limit: Duration) -> Connection? {
    guard isReady(Int(POLLIN), within: limit) else { return nil }
    let accepted = try? Inheritance.descriptor("accept") {
      #if canImport(Darwin)
        Darwin.accept(descriptor, nil, nil)
      #else
        Glibc.accept(descriptor, nil, nil)
      #endif
    }
    return accepted.map { Connection(descriptor: $0) }
  }

  /// A port of 127.0.0.1 that nobody listens on at the moment.
  static func freePort() throws -> UInt16 { try ListeningSocket().address.port }
}
