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
