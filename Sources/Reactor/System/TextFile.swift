internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Small files that others wait for.
package enum TextFile {
  /// Puts `text` at `path` in one step: who reads it sees all of it or nothing (rename(2)). What is no file, such as a
  /// pipe or one of this process's descriptors (/dev/stdout), is written to, and stays what it is; so does a link.
  package static func write(_ text: String, to path: String) throws(LoopError) {
    guard !isWrittenInPlace(path) else { return try writeInPlace(text, to: path) }
    let place = place(of: path)
    let draft = draft(of: place)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .last("open") }
    let isWritten = writeAll(text, to: descriptor)
    let code = errno
    guard close(descriptor) == 0, isWritten, rename(draft, place) == 0 else {
      let error = isWritten ? LoopError.last("write") : LoopError(call: "write", code: code)
      unlink(draft)
      throw error
    }
  }

  /// Tries what ``write(_:to:)`` will need, and leaves nothing behind.
  package static func requireWritable(_ path: String) throws(LoopError) {
    guard !isWrittenInPlace(path) else {
      guard access(path, W_OK) == 0 else { throw .last("access") }
      return
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw LoopError(call: "open", code: EISDIR) }
    let draft = draft(of: place(of: path))
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .last("open") }
    close(descriptor)
    unlink(draft)
  }

  private static func draft(of place: String) -> String { "\(place).\(ThisProcess.identifier).tmp" }

  /// Where links lead; the path itself where nothing is yet.
  private static func place(of path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Nothing there is to be replaced, even where it leads to a file.
  private static func isWrittenInPlace(_ path: String) -> Bool {
    if path.hasPrefix("/dev/") || path.hasPrefix("/proc/") { return access(path, F_OK) == 0 }
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return [S_IFCHR, S_IFIFO].contains(status.st_mode & S_IFMT)
  }

  private static func writeInPlace(_ text: String, to path: String) throws(LoopError) {
    // A file behind a descriptor may hold what the command has written.
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open") }
    defer { close(descriptor) }
    guard writeAll(text, to: descriptor) else { throw .last("write") }
  }

  package static func remove(_ path: String) { unlink(path) }
}
