internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  package enum Family: Sendable, Hashable {
    case ipv4
    case ipv6

    var rawValue: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }
  }

  /// The address's 128 bits as numbers in host order; an IPv4 address fills the lower half of `low`.
  private let high: UInt64
  private let low: UInt64
  /// IPv6's interface index for link-local addresses, else 0.
  private let scope: UInt32
  package let port: UInt16
  package let family: Family

  /// Stands where the system gave no address: "0.0.0.0:0".
  static let unknown = SocketAddress(ipv4: 0, port: 0)

  private init(ipv4: UInt32, port: UInt16) {
    (high, low, scope) = (0, UInt64(ipv4), 0)
    (self.port, family) = (port, .ipv4)
  }

  private init(ipv6: in6_addr, scope: UInt32, port: UInt16) {
    (high, low) = withUnsafeBytes(of: ipv6) { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    (self.scope, self.port, family) = (scope, port, .ipv6)
  }

  /// Reads "127.0.0.1", "::1", "[::1]" or "fe80::1%en0"; nil for anything else, names included. Like inet_pton(3).
  package init?(literal host: String, port: UInt16) {
    var host = host[...]
    if host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 { host = host.dropFirst().dropLast() }
    // C would stop reading there and take what comes before.
    guard !host.utf8.contains(0) else { return nil }
    var ipv4 = in_addr()
    if inet_pton(AF_INET, String(host), &ipv4) == 1 {
      self.init(ipv4: UInt32(bigEndian: ipv4.s_addr), port: port)
      return
    }
    let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var ipv6 = in6_addr()
    guard let address = parts.first, inet_pton(AF_INET6, String(address), &ipv6) == 1 else { return nil }
    var scope: UInt32 = 0
    if parts.count == 2 {
      scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
      guard scope != 0 else { return nil }
    }
    self.init(ipv6: ipv6, scope: scope, port: port)
  }

  /// The address without port or brackets; IPv4 inside IPv6 ("::ffff:127.0.0.1") reads as IPv4. Like inet_ntop(3).
  package var host: String {
    if let ipv4 { return SocketAddress.text(of: in_addr(s_addr: ipv4.bigEndian), AF_INET) }
    let text = SocketAddress.text(of: ipv6, AF_INET6)
    return scope == 0 ? text : "\(text)%\(scope)"
  }

  /// "127.0.0.1:80" or "[::1]:80".
  package var description: String {
    ipv4 != nil ? "\(host):\(port)" : "[\(host)]:\(port)"
  }

  /// 127.0.0.0/8, also inside IPv6, and ::1.
  package var isLoopback: Bool {
    if let ipv4 { return ipv4 >> 24 == 127 }
    return high == 0 && low == 1
  }

  /// 0.0.0.0 or ::, which stand for every address of the machine.
  package var isUnspecified: Bool { high == 0 && low == 0 }

  /// True when what listens here is reached at `address`, an address of this machine.
  package func serves(_ address: SocketAddress) -> Bool {
    port == address.port && (isUnspecified || unmapped.host == address.unmapped.host)
  }

  package func withPort(_ port: UInt16) -> SocketAddress {
    SocketAddress(high: high, low: low, scope: scope, port: port, family: family)
  }

  /// IPv4 inside IPv6, as a socket for both shows it, as plain IPv4; so that the two ends of a connection read alike.
  package var unmapped: SocketAddress {
    ipv4.map { SocketAddress(ipv4: $0, port: port) } ?? self
  }

  private init(high: UInt64, low: UInt64, scope: UInt32, port: UInt16, family: Family) {
    (self.high, self.low, self.scope, self.port, self.family) = (high, low, scope, port, family)
  }

  private var ipv4: UInt32? {
    let isMapped = family == .ipv6 && high == 0 && low >> 32 == 0xFFFF
    return family == .ipv4 || isMapped ? UInt32(truncatingIfNeeded: low) : nil
  }

  private var ipv6: in6_addr {
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) { bytes in
      bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }

  private static func text<Address>(of address: Address, _ family: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      withUnsafePointer(to: address) { address in
        _ = inet_ntop(family, address, text.baseAddress, socklen_t(text.count))
      }
      return String(cString: text.baseAddress!)
    }
  }
}

// The way to and from C's view.
extension SocketAddress {
  /// nil for a family other than IPv4 and IPv6.
  init?(_ storage: sockaddr_storage) {
    let address = withUnsafeBytes(of: storage) { bytes -> SocketAddress? in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let address = bytes.loadUnaligned(as: sockaddr_in.self)
        let value = UInt32(bigEndian: address.sin_addr.s_addr)
        return SocketAddress(ipv4: value, port: UInt16(bigEndian: address.sin_port))
      case AF_INET6:
        let address = bytes.loadUnaligned(as: sockaddr_in6.self)
        let port = UInt16(bigEndian: address.sin6_port)
        return SocketAddress(ipv6: address.sin6_addr, scope: address.sin6_scope_id, port: port)
      default:
        return nil
      }
    }
    guard let address else { return nil }
    self = address
  }

  /// nil for a family other than IPv4 and IPv6, or when `length` is too short for it.
  init?(_ pointer: UnsafePointer<sockaddr>, length: socklen_t) {
    var storage = sockaddr_storage()
    let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: count))
    }
    self.init(storage)
  }

  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch family {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
      #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      #endif
      return SocketAddress.withRebound(address, body)
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = ipv6
      address.sin6_scope_id = scope
      #if canImport(Darwin)
        address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
      #endif
      return SocketAddress.withRebound(address, body)
    }
  }

  private static func withRebound<Address, Result>(
    _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  /// The address that `descriptor` is bound to. Like getsockname(2).
  static func local(of descriptor: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage) : nil
  }
}
