internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Why a name gave no address.
package struct ResolveError: Error, Hashable, Sendable, CustomStringConvertible {
  package let host: String
  /// Such as "Name or service not known" or "timed out after 5 s".
  package let reason: String
  /// The resolver didn't answer in time.
  package var isLate = false

  /// "resolve no.such.host: Name or service not known".
  package var description: String { "resolve \(host): \(reason)" }
}

typealias LookupResult = Result<[SocketAddress], ResolveError>

/// One blocking question to the machine's resolver, the same that every other program asks.
enum AddressLookup {
  /// Addresses in the system's order of preference (RFC 6724), each once. Blocks, perhaps for long. Like getaddrinfo(3).
  static func run(host: String, service: String) -> LookupResult {
    // Not AI_ADDRCONFIG: it would hide ::1 on machines whose only IPv6 address that is.
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, service, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    if code != 0 { return .failure(ResolveError(host: host, reason: message(for: code))) }
    let addresses = addresses(in: list)
    return addresses.isEmpty ? .failure(ResolveError(host: host, reason: "no address")) : .success(addresses)
  }

  /// Answers that need no lookup: a literal address with a numeric port, and questions that can't be asked.
  /// nil when the resolver has to be asked.
  static func immediate(host: String, service: String) -> LookupResult? {
    if host.isEmpty || host.utf8.contains(0) || service.utf8.contains(0) {
      return .failure(ResolveError(host: host, reason: "not a host name"))
    }
    // getaddrinfo would take 65616 for 80.
    let isNumber = !service.isEmpty && service.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isNumber else {
      return service.isEmpty ? .failure(ResolveError(host: host, reason: "no port")) : nil
    }
    guard let port = UInt16(service) else {
      return .failure(ResolveError(host: host, reason: "port \(service) is not in 0...65535"))
    }
    return SocketAddress(literal: host, port: port).map { .success([$0]) }
  }

  private static func addresses(in list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
    var result: [SocketAddress] = []
    var next = list
    while let entry = next {
      if let pointer = entry.pointee.ai_addr,
        let address = SocketAddress(UnsafePointer(pointer), length: entry.pointee.ai_addrlen),
        !result.contains(address)
      {
        result.append(address)
      }
      next = entry.pointee.ai_next
    }
    return result
  }

  private static func message(for code: Int32) -> String {
    code == EAI_SYSTEM ? LoopError.message(for: errno) : String(cString: gai_strerror(code))
  }
}
