package import Settings

/// Why the registry didn't do what was asked. When one is thrown nothing has changed, but for ``ProxyRegistry/reset(bindings:)``.
package enum RegistryError: Error, Equatable {
  case proxyNotFound
  case proxyExists
  case toxicNotFound
  case toxicExists
  case leaseNotFound
  /// There would be more of something than there may be.
  case limit(LimitRefusal)
  /// An address can't be listened on; the text names the address and the reason.
  case cannotListen(String)
  /// What is asked for is never done; the text says why, and what is.
  case notAllowed(String)
}

extension RegistryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .proxyNotFound: "proxy not found"
    case .proxyExists: "proxy already exists"
    case .toxicNotFound: "toxic not found"
    case .toxicExists: "toxic already exists"
    case .leaseNotFound: "no lease has this id, or it has ended"
    case .limit(let refusal): refusal.description
    case .cannotListen(let reason), .notAllowed(let reason): reason
    }
  }
}
