package import Reactor
import Settings

/// What a listen text means on this machine: the address that would be bound.
package struct Binding: Hashable, Sendable {
  /// Port 0: any free one.
  package let address: SocketAddress
  /// Any interface, IPv6 and IPv4 through one socket: `:P`, `0.0.0.0:P` and `[::]:P` all mean this.
  package let isAny: Bool
  /// The listen text.
  let text: String

  package static func == (a: Binding, b: Binding) -> Bool { a.address == b.address && a.isAny == b.isAny }
  package func hash(into hasher: inout Hasher) { hasher.combine(address) }

  /// As it is told to whoever wrote the text: the address, but any interface in the words that were taken for it.
  package var shown: String { isAny && !text.isEmpty ? text : address.description }

  /// True when a listener on `bound` is what this asks for already.
  func isServed(by bound: SocketAddress) -> Bool {
    let isSameHost = isAny ? bound.isUnspecified : bound.host == address.host
    return isSameHost && (address.port == 0 || address.port == bound.port)
  }

  /// Binds and listens.
  func listen(_ loop: EventLoop) throws(RegistryError) -> Listener {
    do throws(LoopError) {
      return try open { address, dualStack throws(LoopError) in
        try Listener(loop: loop, address: address, dualStack: dualStack)
      }
    } catch {
      throw .cannotListen("listen tcp \(shown): \(reason(error))")
    }
  }

  /// The system's reason, and what it means here where that says little.
  package func reason(_ error: LoopError) -> String {
    "\(error)\(error.bindingAdvice(port: address.port).map { "; \($0)" } ?? "")"
  }

  /// Runs `body`, which listens, with the address and whether IPv4 is to be taken as well as IPv6.
  package func open<Listening>(
    _ body: (SocketAddress, _ dualStack: Bool) throws(LoopError) -> Listening
  ) throws(LoopError) -> Listening {
    do throws(LoopError) {
      return try body(address, isAny)
    } catch {
      // A machine without IPv6 still has "any interface".
      if isAny, let ipv4 = SocketAddress(literal: "0.0.0.0", port: address.port), let opened = try? body(ipv4, false) {
        return opened
      }
      throw error
    }
  }
}

/// Turns listen texts into bindings, off the loop where a name has to be looked up.
final class BindingResolver {
  typealias Outcome = Result<Binding, RegistryError>

  private let resolver: Resolver
  private var pending: [Int: Lookup] = [:]
  private var nextID = 0

  private final class Lookup {
    var outcomes: [Outcome?]
    var missing: Int
    var requests: [Resolver.Request] = []

    init(count: Int) {
      outcomes = Array(repeating: nil, count: count)
      missing = count
    }
  }

  init(resolver: Resolver) {
    self.resolver = resolver
  }

  /// Calls `completion` with an outcome for each text; during this call only when nothing is left to be looked up.
  func resolve(_ texts: [String], completion: @escaping ([Outcome]) -> Void) {
    let lookup = Lookup(count: texts.count)
    nextID += 1
    let id = nextID
    pending[id] = lookup
    for (index, text) in texts.enumerated() {
      start(text) { [weak self, weak lookup] outcome in
        guard let lookup else { return }
        lookup.outcomes[index] = outcome
        lookup.missing -= 1
        self?.finish(id, completion)
      } keep: {
        lookup.requests.append($0)
      }
    }
    if texts.isEmpty { finish(id, completion) }
  }

  private func finish(_ id: Int, _ completion: ([Outcome]) -> Void) {
    guard let lookup = pending[id], lookup.missing == 0 else { return }
    pending[id] = nil
    completion(lookup.outcomes.compactMap { $0 })
  }

  private func start(_ text: String, done: @escaping (Outcome) -> Void, keep: (Resolver.Request) -> Void) {
    let endpoint: Endpoint
    do throws(EndpointError) {
      endpoint = try Endpoint(parsing: text)
    } catch {
      return done(.failure(.cannotListen("listen tcp: \(error)")))
    }
    let isAny = ["", "0.0.0.0", "::"].contains(endpoint.host)
    let host = isAny ? "::" : endpoint.host
    keep(
      resolver.resolve(host: host, service: endpoint.service) { result in
        switch result {
        case .success(let addresses):
          // As the classic server does: the first IPv4 address of a name, else its first IPv6 address.
          let chosen = addresses.first { $0.family == .ipv4 } ?? addresses.first
          guard let chosen else { return done(.failure(.cannotListen("listen tcp: lookup \(host): no address"))) }
          // IPv4 inside IPv6 is listened on as IPv4; a socket for IPv6 alone can't be bound to it.
          let address = SocketAddress(literal: chosen.host, port: chosen.port) ?? chosen
          done(.success(Binding(address: address, isAny: isAny, text: text)))
        case .failure(let error):
          done(.failure(.cannotListen("listen tcp: lookup \(text): \(error)")))
        }
      })
  }
}

@available(*, unavailable)
extension BindingResolver: Sendable {}
