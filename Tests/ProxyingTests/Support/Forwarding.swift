import Forwarding
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor
@testable import Settings

extension Bench {
  @discardableResult
  func createForward(
    _ mode: ProxyMode = .http, _ name: String = "forward", toxics: [ToxicSpec]? = nil, rules: [String] = []
  ) throws -> Proxy {
    if !rules.isEmpty { registry.forward.rules = try rules.map { try HostRule(parsing: $0) } }
    let spec = ProxySpec(
      name: name, listen: "127.0.0.1:0", upstream: ProxyMode.anyUpstream, mode: mode, toxics: toxics)
    return try registry.create(spec, binding: try resolve([spec.listen])[0].get())
  }

  /// Sends, then waits until so much has come back, or the end has.
  func ask(_ client: Peer, _ text: String, until isEnough: @escaping (String) -> Bool) throws -> String {
    let before = client.received.count
    client.send(text)
    func new() -> String { String(decoding: client.received.dropFirst(before), as: UTF8.self) }
    try loop.runUntil { client.isOver || isEnough(new()) }
    return new()
  }

  /// How long `body` takes, in milliseconds.
  func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let began = loop.now
    try body()
    return Double(loop.now - began) / 1e6
  }
}

extension Upstream {
  /// A small HTTP server: answers each request, once its head is there, with what `answer` makes of it.
  static func http(_ loop: EventLoop, answer: @escaping (_ head: String) -> String) throws -> Upstream {
    try Upstream(loop) { peer in
      var unread = ""
      peer.onBytes = { [unowned peer] bytes in
        unread += String(decoding: bytes, as: UTF8.self)
        while let end = unread.firstRange(of: "\r\n\r\n") {
          let head = String(unread[..<end.upperBound])
          unread = String(unread[end.upperBound...])
          peer.send(answer(head))
        }
      }
      peer.onEnd = { [unowned peer] in peer.finish() }
    }
  }

  static func http(_ loop: EventLoop, body: String = "hello") throws -> Upstream {
    try http(loop) { _ in Upstream.answer(body) }
  }

  static func answer(_ body: String, _ fields: String = "") -> String {
    "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}

/// The SOCKS 5 greeting without authentication, and a request to connect.
enum SOCKS {
  static let greeting: [UInt8] = [5, 1, 0]

  static func connect(_ host: String, _ port: UInt16) -> [UInt8] {
    [5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [UInt8(port >> 8), UInt8(port & 255)]
  }

  static func connect(_ address: String) throws -> [UInt8] {
    let endpoint = try Endpoint(parsing: address)
    return connect(endpoint.host, try #require(endpoint.port))
  }
}
