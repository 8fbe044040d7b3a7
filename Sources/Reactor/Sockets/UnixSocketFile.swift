internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A listening Unix socket that this process has made in the file system. Only its user may connect (mode 0600), from the
/// first moment on.
///
/// What a daemon that is dead has left at the path is replaced; a socket that somebody listens on, and anything that is no
/// socket, is refused and left alone.
package final class UnixSocketFile {
  package let path: String

  /// Pinned as long as the socket is open, so that no other file can have the same.
  private let identity: FileIdentity
  /// -1 when it has a new owner.
  private var descriptor: Int32
  private var isThere = true

  /// Binds and listens.
  ///
  /// - Parameter path: at most ``UnixSocketAddress/pathBytesMax`` bytes.
  package init(path: String) throws(UnixSocketError) {
    let address = try UnixSocketFile.address(path)
    let lock = DirectoryLock(directoryOf: path)
    defer { lock.release() }
    let socket = try UnixSocketFile.bound(address, path)
    guard let status = FileStatus(ofLinkItself: path), status.isSocket else { throw .failed(LoopError.last("lstat")) }
    (self.path, identity) = (path, status.identity)
    do throws(LoopError) {
      // A mask may have taken away more.
      if status.mode & 0o777 != 0o600, chmod(path, 0o600) != 0 { throw LoopError.last("chmod") }
      if listen(socket.raw(), 128) != 0 { throw LoopError.last("listen") }
    } catch {
      unlink(path)
      throw .failed(error)
    }
    descriptor = socket.take()
  }

  /// Whether the path is one that a socket can have; what is there and is no socket stands in its way. A directory that isn't
  /// there doesn't: a service manager makes it with the start.
  package static func check(path: String) throws(UnixSocketError) {
    _ = try address(path)
    if let status = FileStatus(ofLinkItself: path), !status.isSocket { throw .occupied(by: status.kind) }
  }

  deinit {
    remove()
    if descriptor >= 0 { SystemCall.close(descriptor) }
  }

  /// Gives the listening socket to a new owner.
  package func takeDescriptor() -> Int32 {
    defer { descriptor = -1 }
    return descriptor
  }

  /// Takes it out of the file system, unless it isn't the one at the path any more. To be called before the socket is closed.
  package func remove() {
    guard isThere else { return }
    isThere = false
    if FileStatus(ofLinkItself: path)?.identity == identity { unlink(path) }
  }

  /// Leaves it in the file system.
  func forget() { isThere = false }

  private static func address(_ path: String) throws(UnixSocketError) -> UnixSocketAddress {
    guard path.utf8.count <= UnixSocketAddress.pathBytesMax, let address = UnixSocketAddress(path) else {
      throw .tooLong(bytes: path.utf8.count)
    }
    return address
  }

  private static func bound(
    _ address: UnixSocketAddress, _ path: String
  ) throws(UnixSocketError) -> Descriptor {
    do throws(LoopError) {
      return try bindOnce(address)
    } catch {
      guard error.code == EADDRINUSE else { throw .failed(error) }
    }
    try removeLeftover(address, path)
    do throws(LoopError) { return try bindOnce(address) } catch {
      throw error.code == EADDRINUSE ? .inUse : .failed(error)
    }
  }

  private static func bindOnce(_ address: UnixSocketAddress) throws(LoopError) -> Descriptor {
    let socket = try UnixSocketAddress.socket()
    #if os(Linux)
      // The file gets the socket's own mode, less the process's mask.
      if fchmod(socket.raw(), 0o600) != 0 { throw LoopError.last("fchmod") }
      let result = address.withSockaddr { bind(socket.raw(), $0, $1) }
    #else
      // The mask is the whole process's; no other thread of it makes files.
      let mask = umask(0o177)
      defer { umask(mask) }
      let result = address.withSockaddr { bind(socket.raw(), $0, $1) }
    #endif
    if result != 0 { throw LoopError.last("bind") }
    return socket
  }

  private static func removeLeftover(_ address: UnixSocketAddress, _ path: String) throws(UnixSocketError) {
    guard let status = FileStatus(ofLinkItself: path) else { return }
    guard status.isSocket else { throw .occupied(by: status.kind) }
    var code: Int32 = 0
    do throws(LoopError) { _ = try address.connect() } catch { code = error.code }
    switch code {
    // Somebody is there, too, where the backlog is full or the socket is of another type.
    case 0, EAGAIN, EPROTOTYPE: throw .inUse
    case ECONNREFUSED: break
    case ENOENT: return
    default: throw .failed(LoopError(call: "connect", code: code))
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw .failed(LoopError.last("unlink")) }
  }
}

@available(*, unavailable)
extension UnixSocketFile: Sendable {}

/// Why there is no Unix socket. The description is a phrase for behind the path.
package enum UnixSocketError: Error, Hashable, CustomStringConvertible {
  case tooLong(bytes: Int)
  case inUse
  /// What is there, such as "a directory".
  case occupied(by: String)
  case failed(LoopError)

  package var description: String {
    switch self {
    case .tooLong(let bytes):
      "the path has \(bytes) bytes; allowed: at most \(UnixSocketAddress.pathBytesMax), which is all that the system takes"
    case .inUse: "another program listens there"
    case .occupied(let kind):
      "there is \(kind), which is left alone; allowed: a path where nothing is, or a dead socket"
    case .failed(let error): error.description
    }
  }
}

/// Held while a socket is looked at, replaced and begun: of two daemons that start at once, the second would else take the
/// first one's for dead between bind(2) and listen(2).
private struct DirectoryLock {
  private static let attemptsMax = 100
  private static let pauseMicroseconds: UInt32 = 10_000

  private let descriptor: Int32

  /// Whoever holds it for longer than a second isn't one of us and is not waited for. A directory that can't be read can't be
  /// locked, and is used all the same.
  init(directoryOf path: String) {
    let directory = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    descriptor = open(String(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    for _ in 0..<Self.attemptsMax {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      usleep(Self.pauseMicroseconds)
    }
  }

  func release() {
    if descriptor >= 0 { SystemCall.close(descriptor) }
  }
}
