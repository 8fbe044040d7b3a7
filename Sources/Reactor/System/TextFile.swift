internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Small files that others wait for.
package enum TextFile {
  /// Puts `text` at `path` in one step: who reads it sees all of it or nothing (rename(2)). A device or a pipe is written
  /// to, and stays what it is.
  package static func write(_ text: String, to path: String) throws(LoopError) {
    guard !isDeviceOrPipe(path) else { return try writeInPlace(text, to: path) }
    let draft = "\(path).\(ThisProcess.identifier).tmp"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .last("open") }
    var text = text
    let isWritten = text.withUTF8 { Reactor.write(descriptor, $0.baseAddress, $0.count) }
    guard close(descriptor) == 0, isWritten, rename(draft, path) == 0 else {
      let error = LoopError.last("write")
      unlink(draft)
      throw error
    }
  }

  /// Tries what ``write(_:to:)`` will need, and leaves nothing behind.
  package static func requireWritable(_ path: String) throws(LoopError) {
    guard !isDeviceOrPipe(path) else {
      guard access(path, W_OK) == 0 else { throw .last("access") }
      return
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw LoopError(call: "open", code: EISDIR) }
    let draft = "\(path).\(ThisProcess.identifier).tmp"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .last("open") }
    close(descriptor)
    unlink(draft)
  }

  private static func isDeviceOrPipe(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return [S_IFCHR, S_IFIFO].contains(status.st_mode & S_IFMT)
  }

  private static func writeInPlace(_ text: String, to path: String) throws(LoopError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open") }
    defer { close(descriptor) }
    writeAll(text, to: descriptor)
  }

  package static func remove(_ path: String) { unlink(path) }
}

private func write(_ descriptor: Int32, _ start: UnsafePointer<UInt8>?, _ count: Int) -> Bool {
  #if canImport(Darwin)
    Darwin.write(descriptor, start, count) == count
  #else
    Glibc.write(descriptor, start, count) == count
  #endif
}
