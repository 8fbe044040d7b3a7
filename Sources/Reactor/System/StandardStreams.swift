internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Standard output: data.
package enum StandardOutput {
  /// Writes all of `text`; what can't be written (a closed pipe, a full disk) is dropped.
  package static func write(_ text: String) { writeAll(text, to: STDOUT_FILENO) }
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
func writeAll(_ text: String, to descriptor: Int32, waits: Bool = true) {
  var text = text
  text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)[...]
    while !rest.isEmpty {
      guard waits || hasRoom(descriptor) else { return }
      // As much as a pipe that has room takes for certain without waiting (pipe(7), PIPE_BUF).
      let chunk = UnsafeRawBufferPointer(rebasing: waits ? rest : rest.prefix(4_096))
      let written = write(descriptor, chunk.baseAddress, chunk.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}

private func hasRoom(_ descriptor: Int32) -> Bool {
  var ask = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  return poll(&ask, 1, 0) == 1
}
