internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

// Who reads what is written there: for commands that go on writing.
extension StandardOutput {
  /// True when nobody reads it any more: a pipe whose other end is closed, a terminal that has gone.
  package static var isClosed: Bool {
    var ask = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&ask, 1, 0) == 1 && ask.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
  }

  /// Of the terminal; nil when it is none, or has no size.
  package static var terminalSize: (rows: Int, columns: Int)? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_row), Int(size.ws_col))
  }
}
