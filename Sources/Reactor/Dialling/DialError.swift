internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Why no connection was made.
package enum DialError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The host or port can't be one; nothing was tried.
  case badAddress(String)
  case unresolvable(ResolveError)
  /// The last attempt's address and errno, such as ECONNREFUSED.
  case unreachable(SocketAddress, code: Int32)
  case timedOut(target: String, seconds: Double)

  package enum Kind { case badAddress, unresolvable, refused, hostUnreachable, networkUnreachable, timedOut, other }

  /// What a proxy protocol has a code for.
  package var kind: Kind {
    switch self {
    case .badAddress: .badAddress
    case .unresolvable(let error): error.isLate ? .timedOut : .unresolvable
    case .timedOut: .timedOut
    case .unreachable(_, let code):
      switch code {
      case ECONNREFUSED: .refused
      case EHOSTUNREACH: .hostUnreachable
      case ENETUNREACH: .networkUnreachable
      case ETIMEDOUT: .timedOut
      default: .other
      }
    }
  }

  /// One line for a log, such as "connect 127.0.0.1:80: Connection refused".
  package var description: String {
    switch self {
    case .badAddress(let text): "bad address: \(text)"
    case .unresolvable(let error): "\(error)"
    case .unreachable(let address, let code): "connect \(address): \(LoopError.message(for: code))"
    case .timedOut(let target, let seconds): "connect \(target): timed out after \(DialError.text(seconds)) s"
    }
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e9 ? "\(Int64(seconds))" : "\(seconds)"
  }
}
