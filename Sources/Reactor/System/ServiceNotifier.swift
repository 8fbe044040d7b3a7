internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The way to a service manager that wants to hear from this process: datagrams to `NOTIFY_SOCKET` (sd_notify(3), "Standalone
/// implementations").
package final class ServiceNotifier {
  /// By which a service manager speaks to this process alone: nothing that it starts is to see them. (sd_notify(3),
  /// sd_watchdog_enabled(3), sd_listen_fds(3))
  package static let variables = [
    "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
  ]

  /// Datagrams that wait for a service manager that is busy; the oldest go first, and go lost when there are more.
  private static let waitingMax = 16

  private let address: UnixSocketAddress
  private var waiting: [String] = []

  /// Nil when nobody wants to hear.
  package init?() {
    guard let path = ThisProcess.environment("NOTIFY_SOCKET"), let first = path.utf8.first else { return nil }
    // "@" stands for the zero byte of an abstract socket.
    guard first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return nil }
    guard let address = UnixSocketAddress(path) else { return nil }
    self.address = address
  }

  /// How often the service manager wants to hear `WATCHDOG=1` at least, in nanoseconds; nil when it doesn't, or wants it of
  /// another process (sd_watchdog_enabled(3)).
  package static var watchdogNanoseconds: Int64? {
    if let process = ThisProcess.environment("WATCHDOG_PID"), Int32(process) != ThisProcess.identifier { return nil }
    guard let text = ThisProcess.environment("WATCHDOG_USEC"), let time = Int64(text), time > 0 else { return nil }
    let (nanoseconds, isTooLong) = time.multipliedReportingOverflow(by: 1_000)
    return isTooLong ? nil : nanoseconds
  }

  /// One datagram, so that what belongs together is read together. Never waits; what a busy service manager doesn't take is
  /// sent again with the next one, in order.
  ///
  /// - Parameter assignments: such as `READY=1`; without newlines.
  package func send(_ assignments: String...) {
    waiting.append(assignments.joined(separator: "\n"))
    if waiting.count > ServiceNotifier.waitingMax { waiting.removeFirst() }
    sendWaiting()
  }

  package func sendWaiting() {
    guard !waiting.isEmpty else { return }
    let descriptor = socket(AF_UNIX, ServiceNotifier.datagram, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    while let message = waiting.first {
      guard !isRefusedForNow(message, descriptor) else { return }
      waiting.removeFirst()
    }
  }

  /// False when it was sent, or never can be.
  private func isRefusedForNow(_ message: String, _ descriptor: Int32) -> Bool {
    let bytes = Array(message.utf8)
    let sent = address.withSockaddr { sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, $1) }
    return sent < 0 && (errno == EAGAIN || errno == ENOBUFS)
  }

  private static var datagram: Int32 {
    #if canImport(Darwin)
      SOCK_DGRAM
    #else
      Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #endif
  }
}

@available(*, unavailable)
extension ServiceNotifier: Sendable {}
