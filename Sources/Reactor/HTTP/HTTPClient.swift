/// A request to send, and what may be spent on it.
package struct HTTPClientRequest: Sendable {
  /// One of ``HTTPRequest/method``'s names.
  package var method = "GET"
  /// A name or a literal address, IPv6 with or without brackets.
  package var host: String
  package var port: UInt16
  /// A Unix socket to connect to instead; then host and port are of no account but for the header `Host`.
  package var unixPath: String?
  /// Path and query, encoded.
  package var target = "/"
  /// Host, Content-Length and `Connection: close` are added.
  package var headers: HTTPHeaders = [:]
  package var body: [UInt8] = []
  /// From looking up the name to the end of the reply, over all addresses; nil for no limit.
  package var timeoutNanoseconds: Int64? = 30_000_000_000
  /// A reply with a larger body fails with ``HTTPClientError/tooLarge``.
  package var bodyBytesMax = 64 * 1024 * 1024

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

package struct HTTPClientResponse: Sendable, Hashable {
  package var status: Int
  package var reason: String
  package var headers: HTTPHeaders
  /// Without chunked framing. Empty when an `onChunk` took the body.
  package var body: [UInt8] = []
}

/// Why there is no reply. The description is a phrase for the end of a log line.
package enum HTTPClientError: Error, Hashable, CustomStringConvertible {
  case unknownMethod(String)
  case unresolvable(ResolveError)
  /// No address took the connection; the last one tried, and its errno.
  case notConnected(SocketAddress, code: Int32)
  /// The Unix socket at the path didn't take the connection; its errno.
  case noSocket(path: String, code: Int32)
  case timedOut
  /// The connection ended before the reply's head.
  case closedBeforeReply
  /// The connection ended in the middle of the reply.
  case closedInReply
  case malformedReply
  case tooLarge

  package var description: String {
    switch self {
    case .unknownMethod(let method): "unknown request method \(method)"
    case .unresolvable(let error): "\(error)"
    case .notConnected(let address, let code): "\(LoopError.message(for: code).lowercased()) (\(address))"
    case .noSocket(_, let code): LoopError.message(for: code).lowercased()
    case .timedOut: "timed out"
    case .closedBeforeReply: "the connection was closed before the reply"
    case .closedInReply: "the connection was closed in the middle of the reply"
    case .malformedReply: "the reply is malformed"
    case .tooLarge: "the reply is too large"
    }
  }
}

/// HTTP for a command line: one request, one reply, and the thread waits.
package enum HTTPClient {
  /// Runs a loop of its own until the reply is there or the time is up.
  package static func send(_ request: HTTPClientRequest) -> Result<HTTPClientResponse, HTTPClientError> {
    guard let loop = try? EventLoop() else { fatalError("EventLoop: out of memory or descriptors") }
    var outcome: Result<HTTPClientResponse, HTTPClientError> = .failure(.timedOut)
    let exchange = HTTPExchange(loop: loop, request: request) {
      outcome = $0
      loop.stop()
    }
    withExtendedLifetime(exchange) { loop.run() }
    return outcome
  }
}
