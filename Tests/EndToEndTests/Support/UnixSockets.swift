import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Connection {
  convenience init(toSocketAt path: String) throws {
    self.init(descriptor: try UnixSockets.make())
    guard UnixSockets.withAddress(of: path, { connect(descriptor, $0, $1) }) == 0 else {
      throw SocketError.last("connect")
    }
  }

  /// One request and its answer, to the end of the connection.
  func ask(_ method: String, _ target: String, headers: [String: String] = [:]) throws -> API.Response {
    let fields = ["Host": "localhost", "Connection": "close"].merging(headers) { $1 }
    try send("\(method) \(target) HTTP/1.1\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n")
    return try API.parse(receiveToEnd())
  }
}

enum UnixSockets {
  static func make() throws -> Int32 {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    return try Inheritance.descriptor("socket") { socket(AF_UNIX, stream, 0) }
  }

  static func withAddress<T>(of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Bound; listening, too, if so wished. Its file stays.
  static func bound(to path: String, listens: Bool) throws -> Socket {
    let socket = Socket(descriptor: try make())
    guard withAddress(of: path, { bind(socket.descriptor, $0, $1) }) == 0 else { throw SocketError.last("bind") }
    if listens, listen(socket.descriptor, 16) != 0 { throw SocketError.last("listen") }
    return socket
  }

  /// The nine bits of who may do what, and nil where nothing is.
  static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}

/// A directory with so short a name that a socket in it has a path that the system takes.
final class ShortDirectory: Sendable {
  let path = "/tmp/hw-" + UUID().uuidString.prefix(13)

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A file that only its owner may read.
extension TemporaryDirectory {
  func writeSecret(_ text: String, to name: String = "token") throws -> String {
    let file = path + "/" + name
    let descriptor = open(file + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SocketError.last("open") }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: Data(text.utf8))
    guard rename(file + ".new", file) == 0 else { throw SocketError.last("rename") }
    return file
  }
}
