internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A Unix socket's name as system calls take it: a path, or on Linux an abstract name. Like unix(7).
package struct UnixSocketAddress {
  /// The longest path in bytes: what `sun_path` holds besides its final zero; 107 on Linux.
  package static let pathBytesMax =
    MemoryLayout<sockaddr_un>.size - MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! - 1

  private let name: [UInt8]

  /// - Parameter text: a path; `@` in front stands for the zero byte of an abstract name, as in systemd's variables.
  /// - Returns: nil for an empty name and one that is too long.
  init?(_ text: String) {
    var name = Array(text.utf8)
    guard !name.isEmpty, name.count <= Self.pathBytesMax else { return nil }
    if name[0] == UInt8(ascii: "@") { name[0] = 0 }
    self.name = name
  }

  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let path = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
    // A path's zero byte counts, an abstract name has none.
    let length = socklen_t(path + name.count + (name[0] == 0 ? 0 : 1))
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// A non-blocking stream socket, closed on exec.
  static func socket() throws(LoopError) -> Descriptor {
    #if canImport(Darwin)
      let raw = Darwin.socket(AF_UNIX, SOCK_STREAM, 0)
      if raw < 0 { throw LoopError.last("socket") }
      SystemCall.setNonBlockingAndCloseOnExec(raw)
    #else
      let raw = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
      if raw < 0 { throw LoopError.last("socket") }
    #endif
    return Descriptor(raw)
  }

  /// A connection to who listens there. There is no waiting: the system connects, or says why not, at once.
  func connect() throws(LoopError) -> Descriptor {
    let socket = try UnixSocketAddress.socket()
    #if canImport(Darwin)
      let result = withSockaddr { Darwin.connect(socket.raw(), $0, $1) }
    #else
      let result = withSockaddr { Glibc.connect(socket.raw(), $0, $1) }
    #endif
    if result != 0 { throw LoopError.last("connect") }
    return socket
  }

  /// What a Unix socket is bound to, `@` standing for an abstract name's zero byte; empty for one that has no name, nil for a
  /// socket of another family.
  static func local(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0, Int32(address.sun_family) == AF_UNIX else { return nil }
    let count = max(0, Int(length) - MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!)
    var name = withUnsafeBytes(of: address.sun_path) { Array($0.prefix(count)) }
    guard let first = name.first else { return "" }
    if first == 0 { name[0] = UInt8(ascii: "@") }
    return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
  }
}
