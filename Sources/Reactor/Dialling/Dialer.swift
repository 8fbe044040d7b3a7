/// Makes outgoing connections: by name or address, over IPv6 and IPv4, with a time limit.
package final class Dialer {
  package typealias Completion = (Result<StreamSocket, DialError>) -> Void

  private let loop: EventLoop
  private let resolver: Resolver
  private let timeoutNanoseconds: Int64

  /// - Parameter timeoutNanoseconds: for resolving and connecting together; 10 s.
  package init(loop: EventLoop, resolver: Resolver, timeoutNanoseconds: Int64 = 10_000_000_000) {
    (self.loop, self.resolver, self.timeoutNanoseconds) = (loop, resolver, timeoutNanoseconds)
  }

  /// Connects to `target`.
  ///
  /// Calls `completion` on the loop, never during this call, unless the dial is cancelled or dropped first. The socket has
  /// no delegate yet, and its flags may be set already: look at them once.
  ///
  /// - Parameter onConnect: told of each connection that is begun, before its other end can have been served. Like after
  ///   connect(2), the socket has its local address.
  package func dial(
    _ target: DialTarget, onConnect: @escaping (StreamSocket) -> Void = { _ in }, completion: @escaping Completion
  ) -> Dial {
    let dial = makeDial(target, onConnect, completion)
    switch target.way {
    case .straight(let address): dial.start([address])
    case .lookup(let host, let service): dial.start(resolver, host: host, service: service)
    case .nowhere(let error): dial.failLater(error)
    }
    return dial
  }

  /// Connects to `host`, a name or a literal address, at `service`, a port number or a name such as "http".
  package func dial(
    host: String, service: String, onConnect: @escaping (StreamSocket) -> Void = { _ in },
    completion: @escaping Completion
  ) -> Dial {
    dial(DialTarget(host: host, service: service), onConnect: onConnect, completion: completion)
  }

  package func dial(host: String, port: UInt16, completion: @escaping Completion) -> Dial {
    dial(host: host, service: "\(port)", completion: completion)
  }

  package func dial(_ address: SocketAddress, completion: @escaping Completion) -> Dial {
    dial(DialTarget(address), completion: completion)
  }

  /// Connects to the first of several addresses that answers; at least one.
  func dial(_ addresses: [SocketAddress], completion: @escaping Completion) -> Dial {
    let dial = makeDial(DialTarget(addresses[0]), { _ in }, completion)
    dial.start(addresses)
    return dial
  }

  private func makeDial(
    _ target: DialTarget, _ onConnect: @escaping (StreamSocket) -> Void, _ completion: @escaping Completion
  ) -> Dial {
    loop.assertOnThread("Dialer")
    return Dial(
      loop: loop, target: target, timeoutNanoseconds: timeoutNanoseconds, onConnect: onConnect, completion: completion)
  }
}

@available(*, unavailable)
extension Dialer: Sendable {}
