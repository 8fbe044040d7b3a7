internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What this process is told by whoever started it.
package enum ThisProcess {
  package static let terminate = SIGTERM
  package static let interrupt = SIGINT
  package static let hangUp = SIGHUP

  package static var identifier: Int32 { getpid() }

  /// Sleeps; for command lines that ask again and again. Never on a loop.
  package static func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

  /// Opens /dev/null in place of standard streams that were closed: otherwise the next descriptors opened, a socket
  /// perhaps, would get their numbers, and log lines would go there.
  package static func fillStandardStreams() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one, as those before it are open by now.
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// The value of an environment variable; nil when unset or empty, as most programs treat it.
  package static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The working directory, "/" where it can't be told.
  package static var directory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  /// The last words of the command line as they came: `CommandLine.arguments` mends what isn't UTF-8.
  static func lastWords(_ count: Int) -> [[CChar]] {
    let all = CommandLine.unsafeArgv
    return (max(0, Int(CommandLine.argc) - count)..<Int(CommandLine.argc)).compactMap { place in
      all[place].map { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
    }
  }

  /// Ends the process with `code`, now.
  package static func exit(_ code: Int32) -> Never {
    #if canImport(Darwin)
      Darwin.exit(code)
    #else
      Glibc.exit(code)
    #endif
  }
}
