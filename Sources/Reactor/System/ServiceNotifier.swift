internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Tells a service manager how far the daemon is, by datagram to `NOTIFY_SOCKET` (sd_notify(3), "Standalone
/// implementations"). Without that variable nothing is sent.
package enum ServiceNotifier {
  package static func ready() { send("READY=1") }

  /// systemd takes a reload for one only with the time at which it began.
  package static func reloading(atMonotonicNanoseconds now: Int64) {
    send("RELOADING=1\nMONOTONIC_USEC=\(now / 1_000)")
  }

  package static func stopping() { send("STOPPING=1") }

  private static func send(_ message: String) {
    guard let path = ThisProcess.environment("NOTIFY_SOCKET"), let first = path.utf8.first else { return }
    // "@" stands for the zero byte of an abstract socket.
    guard first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    if first == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count)
    let descriptor = socket(AF_UNIX, datagram, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(message.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, 0, $0, length)
      }
    }
  }

  private static var datagram: Int32 {
    #if canImport(Darwin)
      SOCK_DGRAM
    #else
      Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #endif
  }
}
