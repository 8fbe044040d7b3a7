internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Standard input: what a command is given to read.
package enum StandardInput {
  /// Everything up to the end, or `limit` bytes and at least one more when there is more.
  package static func read(atMost limit: Int) throws(LoopError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = readSome(&buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last("read") }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes
  }
}

private func readSome(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int { read(STDIN_FILENO, buffer, count) }

/// Standard output: data.
package enum StandardOutput {
  /// Writes all of `text`; what can't be written (a closed pipe, a full disk) is dropped.
  package static func write(_ text: String) { writeAll(text, to: STDOUT_FILENO) }

  /// For what somebody counts on.
  package static func writeOrThrow(_ text: String) throws(LoopError) {
    guard writeAll(text, to: STDOUT_FILENO) else { throw .last("write") }
  }

  package static var isTerminal: Bool { isatty(STDOUT_FILENO) != 0 }
}

/// Standard error: logs, progress, complaints.
package enum StandardError {
  /// Writes `text` as far as that is possible at once: a pipe that nobody reads must not hold up a daemon, so what finds
  /// no room is dropped, as with a closed pipe or a full disk.
  package static func write(_ text: String) { writeAll(text, to: STDERR_FILENO, waits: false) }
  package static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }
}

/// One call for the whole text where the system takes it, so that lines of several processes don't mix.
/// - Returns: whether it took all of it; if not, `errno` says why.
@discardableResult
func writeAll(_ text: String, to descriptor: Int32, waits: Bool = true) -> Bool {
  var text = text
  return text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)[...]
    while !rest.isEmpty {
      guard waits || hasRoom(descriptor) else { return false }
      // As much as a pipe that has room takes for certain without waiting (pipe(7), PIPE_BUF).
      let chunk = UnsafeRawBufferPointer(rebasing: waits ? rest : rest.prefix(4_096))
      let written = write(descriptor, chunk.baseAddress, chunk.count)
      if written < 0, errno == EINTR { continue }
      // Whoever shares the stream may have made it one that doesn't wait.
      if written < 0, errno == EAGAIN, waits, hasRoom(descriptor, timeout: -1) { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }
}

func hasRoom(_ descriptor: Int32, timeout: Int32 = 0) -> Bool {
  var ask = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  return poll(&ask, 1, timeout) == 1
}
