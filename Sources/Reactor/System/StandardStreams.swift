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
  /// Writes all of `text`; what can't be written (a closed pipe, a full disk) is dropped.
  package static func write(_ text: String) { writeAll(text, to: STDERR_FILENO) }
  package static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }
}

/// One call for the whole text where the system takes it, so that lines of several processes don't mix.
private func writeAll(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)[...]
    while !rest.isEmpty {
      let chunk = UnsafeRawBufferPointer(rebasing: rest)
      let written = write(descriptor, chunk.baseAddress, chunk.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}
