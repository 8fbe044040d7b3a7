import LoopTesting
import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Reactor
@testable import Settings

/// How a test speaks to the API: what it answers must not depend on it.
enum Way: CaseIterable, Sendable {
  /// `API.answer`, nothing else.
  case pure
  /// Over HTTP, from a socket.
  case live
}

/// An API over a registry of its own, and whoever calls it.
final class Desk {
  let way: Way
  let loop: EventLoop
  let registry: ProxyRegistry
  let api: API
  private let server: ControlServer?
  private let conformance: Conformance

  init(_ way: Way = .pure, extraHosts: Set<String> = [], limits: Limits = Limits()) throws {
    self.way = way
    loop = try EventLoop()
    registry = try ProxyRegistry(
      loop: loop, catalogue: ProfileCatalogue(), limits: limits, seed: 1, log: Log(level: .silent, write: { _ in }))
    api = API(registry: registry, extraHosts: extraHosts)
    conformance = Conformance(api)
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    server = way == .live ? try ControlServer(loop: loop, address: address, api: api) : nil
  }

  var port: UInt16 { server?.localAddress.port ?? 8474 }

  @discardableResult
  func call(
    _ method: String, _ target: String, _ body: String = "", headers: [(String, String)] = []
  ) throws -> Reply {
    let reply =
      switch way {
      case .pure: try ask(method, target, body, headers)
      case .live: try send(method, target, body, headers)
      }
    #expect(conformance.complaints(method, target, reply) == [], "\(method) \(target) → \(reply.text.prefix(200))")
    return reply
  }

  /// The `error` of a refusal, after a look at its shape.
  func refusal(
    _ method: String, _ target: String, _ body: String = "", headers: [(String, String)] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let reply = try call(method, target, body, headers: headers)
    let json = try reply.json()
    let keys = json.objectValue?.members.map(\.key).prefix(2)
    #expect(keys == ["error", "status"], sourceLocation: sourceLocation)
    #expect(json["status"] == .integer(Int64(reply.status)), sourceLocation: sourceLocation)
    #expect(reply.header("Content-Type") == "application/json", sourceLocation: sourceLocation)
    return "\(reply.status) \(json["error"]?.stringValue ?? "-")"
  }

  private func ask(
    _ method: String, _ target: String, _ body: String, _ headers: [(String, String)]
  ) throws -> Reply {
    let host = headers.contains { $0.0 == "Host" } ? [] : [("Host", "127.0.0.1:\(port)")]
    let request = APIRequest(
      method: method, target: target, headers: (host + headers).map { ($0.0, $0.1) }, body: Array(body.utf8))
    var response: APIResponse?
    switch api.answer(request) {
    case .now(let now): response = now
    case .later(let work):
      work { response = $0 }
      try loop.runUntil { response != nil }
    case .events: throw TimedOut()
    }
    let found = try #require(response)
    return Reply(status: found.status, headers: found.headers, text: String(decoding: found.body, as: UTF8.self))
  }

  private func send(
    _ method: String, _ target: String, _ body: String, _ headers: [(String, String)]
  ) throws -> Reply {
    var request = HTTPClientRequest(host: "127.0.0.1", port: port)
    request.method = method
    request.target = target
    request.body = Array(body.utf8)
    for (name, value) in headers { request.headers.append(name, value) }
    var outcome: HTTPExchange.Outcome?
    let exchange = HTTPExchange(loop: loop, request: request) { outcome = $0 }
    try loop.runUntil { outcome != nil }
    withExtendedLifetime(exchange) {}
    let response = try #require(try outcome?.get())
    return Reply(
      status: response.status, headers: response.headers.fields.map { ($0.name, $0.value) },
      text: String(decoding: response.body, as: UTF8.self))
  }

  // MARK: Proxies

  /// A proxy on a free port of 127.0.0.1; its address as shown.
  @discardableResult
  func makeProxy(_ name: String = "web", upstream: String = "127.0.0.1:1") throws -> String {
    let reply = try call(
      "POST", "/proxies", #"{"name":"\#(name)","listen":"127.0.0.1:0","upstream":"\#(upstream)"}"#)
    try #require(reply.status == 201, "\(reply.text)")
    return try #require(reply.json()["listen"]?.stringValue)
  }
}
