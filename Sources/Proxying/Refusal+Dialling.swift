import Forwarding
import Reactor

extension Refusal {
  /// Why there is no connection, as a proxy protocol says it.
  init(_ error: DialError) {
    let kind: Kind =
      switch error.kind {
      case .badAddress: .malformed
      case .unresolvable: .unresolvable
      case .refused, .other: .refused
      case .hostUnreachable: .hostUnreachable
      case .networkUnreachable: .networkUnreachable
      case .timedOut: .timedOut
      }
    self.init(kind, "no connection: \(error)")
  }
}

extension Refusal.Kind {
  /// The upstream wasn't reached, though that was tried.
  var isOfDialling: Bool {
    switch self {
    case .unresolvable, .refused, .hostUnreachable, .networkUnreachable, .timedOut: true
    case .malformed, .tooLarge, .unsupported, .tooSlow, .denied, .loop, .offline, .badAnswer: false
    }
  }
}
