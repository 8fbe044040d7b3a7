internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A listening socket that whoever started this process has opened for it.
package struct ActivatedSocket: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    case tcp(SocketAddress)
    /// - Parameter isForAll: every user of this machine may connect.
    case unix(path: String, isForAll: Bool)
  }

  /// As the other side calls it; nil where it doesn't say.
  package let name: String?
  package let place: Place
  /// Whoever uses the socket owns it.
  package let descriptor: Int32
}

/// Sockets passed by a service manager: the protocol of sd_listen_fds(3).
package enum ActivationSockets {
  private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]
  private static let firstDescriptor: Int32 = 3
  /// systemd's own limit is 4,096 for a unit's stored descriptors.
  private static let countMax = 4_096

  /// Takes what was passed to this process, once: programs that it starts find neither variables nor sockets.
  ///
  /// - Returns: none where the variables aren't set or are meant for another process.
  package static func take() throws(ActivationError) -> [ActivatedSocket] {
    let (process, countText, names) = (
      ThisProcess.environment("LISTEN_PID"), ThisProcess.environment("LISTEN_FDS"),
      ThisProcess.environment("LISTEN_FDNAMES")
    )
    for variable in variables { unsetenv(variable) }
    guard let countText, process == "\(ThisProcess.identifier)" else { return [] }
    guard let count = Int(countText), (0...countMax).contains(count) else { throw .badCount(countText) }
    let descriptors = (0..<Int32(count)).map { firstDescriptor + $0 }
    for descriptor in descriptors { SystemCall.setNonBlockingAndCloseOnExec(descriptor) }
    let all = names?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
    return try descriptors.enumerated().map { index, descriptor throws(ActivationError) in
      let name = index < all.count && !all[index].isEmpty ? all[index] : nil
      return ActivatedSocket(name: name, place: try place(of: descriptor, name), descriptor: descriptor)
    }
  }

  private static func place(of descriptor: Int32, _ name: String?) throws(ActivationError) -> ActivatedSocket.Place {
    let name = name ?? "descriptor \(descriptor)"
    guard option(descriptor, SO_TYPE) == streamType, option(descriptor, SO_ACCEPTCONN) == 1 else {
      throw .unusable(name: name, "no listening stream socket")
    }
    if let address = SocketAddress.local(of: descriptor) { return .tcp(address) }
    guard let path = UnixSocketAddress.local(of: descriptor) else {
      throw .unusable(name: name, "neither a TCP nor a Unix socket")
    }
    guard path.hasPrefix("/") else {
      throw .unusable(name: name, "an abstract Unix socket, to which everybody on this machine may connect")
    }
    let others: UInt32 = 0o002
    return .unix(path: path, isForAll: FileStatus(ofLinkItself: path).map { $0.mode & others != 0 } ?? false)
  }

  private static var streamType: Int32 {
    #if canImport(Darwin)
      SOCK_STREAM
    #else
      Int32(SOCK_STREAM.rawValue)
    #endif
  }

  /// -1 where the descriptor is no socket, or isn't open.
  private static func option(_ descriptor: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : -1
  }
}

package enum ActivationError: Error, Hashable, CustomStringConvertible {
  case badCount(String)
  case unusable(name: String, String)

  package var description: String {
    switch self {
    case .badCount(let text): "LISTEN_FDS is \"\(text)\"; allowed: a whole number"
    case .unusable(let name, let reason): "the socket \"\(name)\" that was passed to this process is \(reason)"
    }
  }
}
