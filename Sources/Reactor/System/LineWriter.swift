internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Writes lines for a reader who may be slow, stuck or gone: no line waits, and one that finds no room is dropped.
///
/// A pipe that other processes fill at the same moment is the exception: between asking and writing its room may go, and
/// whether a write waits is a property of the pipe, which is theirs, too.
package final class LineWriter {
  /// What a pipe that has room takes for certain as a whole, without waiting (pipe(7), PIPE_BUF).
  #if canImport(Darwin)
    package static let lineBytesMax = 512
  #else
    package static let lineBytesMax = 4_096
  #endif

  private let descriptor: Int32
  /// Standard error under journald is one; a socket can be asked not to wait, write by write.
  private let isSocket: Bool
  /// Whether the last line that was begun lacks its end.
  private var isMidLine = false

  package convenience init() { self.init(descriptor: STDERR_FILENO) }

  /// - Parameter descriptor: stays the caller's.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    var status = stat()
    isSocket = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// - Parameter line: with its newline.
  /// - Returns: whether all of it is written. If not, what follows begins on a line of its own.
  package func write(_ line: String) -> Bool {
    var line = isMidLine ? "\n" + line : line
    return line.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        let count = writeSome(UnsafeRawBufferPointer(rebasing: rest.prefix(LineWriter.lineBytesMax)))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
        isMidLine = !rest.isEmpty
      }
      return true
    }
  }

  private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
    if isSocket { return send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT)) }
    guard hasRoom(descriptor) else { return 0 }
    #if canImport(Darwin)
      return Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

@available(*, unavailable)
extension LineWriter: Sendable {}

extension StandardError {
  /// Whether it goes to journald: the environment variable `JOURNAL_STREAM` names the very file that it is (systemd.exec(5)).
  package static var isJournal: Bool {
    isFile(named: ThisProcess.environment("JOURNAL_STREAM"), STDERR_FILENO)
  }

  /// - Parameter name: `DEVICE:INODE`, both decimal.
  static func isFile(named name: String?, _ descriptor: Int32) -> Bool {
    let parts = name?.split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) } ?? []
    guard parts.count == 2, let device = parts[0], let inode = parts[1] else { return false }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return UInt64(truncatingIfNeeded: status.st_dev) == device && UInt64(status.st_ino) == inode
  }
}
