internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Files that hold a secret: read only where nobody else could have read them.
package enum SecretFile {
  /// - Parameters:
  ///   - path: a regular file of this process's user or of root, that neither group nor others may read or change. systemd
  ///     lets a service's user read a credential by an access list, which shows as the group's right to read; so in
  ///     `$CREDENTIALS_DIRECTORY`, which only the service may enter, that is no fault.
  ///   - bytesMax: how much of it is read, to which one byte more is added when there is more.
  package static func read(_ path: String, bytesMax: Int) throws(SecretFileError) -> [UInt8] {
    // Without waiting for the other end of a pipe.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(LoopError.last("open")) }
    defer { SystemCall.close(descriptor) }
    guard let status = FileStatus(of: descriptor) else { throw .unreadable(LoopError.last("fstat")) }
    guard status.isRegular else { throw .irregular(status.kind) }
    guard status.user == geteuid() || status.user == 0 else { throw .foreign(user: status.user) }
    let rightsOfOthers: UInt32 = isCredential(path) ? 0o037 : 0o077
    guard status.mode & rightsOfOthers == 0 else { throw .open(mode: status.modeText) }
    return try bytes(of: descriptor, atMost: bytesMax + 1)
  }

  private static func isCredential(_ path: String) -> Bool {
    guard let directory = ThisProcess.environment("CREDENTIALS_DIRECTORY") else { return false }
    return path.hasPrefix(directory.hasSuffix("/") ? directory : directory + "/") && !path.contains("/../")
  }

  private static func bytes(of descriptor: Int32, atMost limit: Int) throws(SecretFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      var failure: LoopError?
      let piece = [UInt8](unsafeUninitializedCapacity: limit - bytes.count) { buffer, count in
        let result = readSome(descriptor, buffer.baseAddress, buffer.count)
        if result < 0 { failure = LoopError.last("read") }
        count = max(0, result)
      }
      if let failure { throw .unreadable(failure) }
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  private static func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
      Darwin.read(descriptor, buffer, count)
    #else
      Glibc.read(descriptor, buffer, count)
    #endif
  }
}

/// Why a secret isn't taken. The description is a phrase for behind the path, and says nothing of what is in the file.
package enum SecretFileError: Error, Hashable, CustomStringConvertible {
  case unreadable(LoopError)
  /// What is there, such as "a directory".
  case irregular(String)
  case foreign(user: UInt32)
  /// Others may read or change it.
  case open(mode: String)

  package var description: String {
    switch self {
    case .unreadable(let error): "cannot be read: \(LoopError.message(for: error.code))"
    case .irregular(let kind): "is \(kind); allowed: a file"
    case .foreign(let user): "belongs to user \(user); allowed: a file of this process's user or of root"
    case .open(let mode): "has mode \(mode), so that it isn't its owner's alone; allowed: 0600 or 0400 (chmod 600)"
    }
  }
}
