internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Small files that others wait for.
package enum TextFile {
  /// Puts `text` at `path` in one step: who reads it sees all of it or nothing (rename(2)).
  package static func write(_ text: String, to path: String) throws(LoopError) {
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

  package static func remove(_ path: String) { unlink(path) }
}

private func write(_ descriptor: Int32, _ start: UnsafePointer<UInt8>?, _ count: Int) -> Bool {
  #if canImport(Darwin)
    Darwin.write(descriptor, start, count) == count
  #else
    Glibc.write(descriptor, start, count) == count
  #endif
}
