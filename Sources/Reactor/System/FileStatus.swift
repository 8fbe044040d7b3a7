internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Which file it is, whatever its name.
struct FileIdentity: Hashable {
  let device: UInt64
  let inode: UInt64
}

/// What the file system says of a file. Like stat(2).
struct FileStatus {
  let identity: FileIdentity
  /// The lowest nine bits say who may do what, as in `0600`.
  let mode: UInt32
  let user: UInt32

  /// nil with `errno` set.
  init?(ofLinkItself path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    identity = FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    mode = UInt32(status.st_mode)
    user = status.st_uid
  }

  private var type: UInt32 { mode & UInt32(S_IFMT) }
  var isSocket: Bool { type == UInt32(S_IFSOCK) }
  var isRegular: Bool { type == UInt32(S_IFREG) }

  /// With its article.
  var kind: String {
    switch type {
    case UInt32(S_IFSOCK): "a socket"
    case UInt32(S_IFREG): "a file"
    case UInt32(S_IFDIR): "a directory"
    case UInt32(S_IFLNK): "a symbolic link"
    case UInt32(S_IFIFO): "a pipe"
    default: "a device"
    }
  }

  /// As chmod(1) takes it: `0644`.
  var modeText: String {
    let digits = String(mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
