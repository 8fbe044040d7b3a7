internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A system call that failed: its C name and the `errno` it left.
package struct LoopError: Error, Hashable, CustomStringConvertible {
  /// The C function's name, such as "bind".
  package let call: String
  /// The `errno` value.
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// "bind: Address already in use".
  package var description: String { "\(call): \(LoopError.message(for: code))" }

  /// Whether something else has the address that was to be listened on.
  package var isAddressInUse: Bool { code == EADDRINUSE }

  /// What stands in the way of listening on a port of this machine, in words; nil where the system's text says it.
  package func bindingAdvice(port: UInt16) -> String? {
    switch code {
    case EACCES where port < 1_024 && port > 0:
      "ports below 1024 need root or CAP_NET_BIND_SERVICE; allowed without: 1024 and above, or 0 for a free one"
    case EADDRNOTAVAIL: "no network interface of this machine has this address"
    default: nil
    }
  }

  /// Must be the first thing after the failed call: anything else may change `errno`.
  static func last(_ call: String) -> LoopError {
    LoopError(call: call, code: errno)
  }

  /// The system's text for an `errno` value. Like strerror_r(3), safe on any thread.
  package static func message(for code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      text.initialize(repeating: 0)
      strerror_r(code, text.baseAddress!, text.count)
      return String(cString: text.baseAddress!)
    }
  }
}
