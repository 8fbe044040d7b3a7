import LoopTesting

@testable import ControlAPI
@testable import Proxying
@testable import Reactor
@testable import Settings

/// Requests to a registry of their own, one after the other: each answer is as the API's own description has it, none is a
/// failure of the server, and at the end everything can still be listed.
///
/// Requests are divided by NUL; each is `METHOD TARGET`, lines of headers, an empty line, a body. Addresses are listened
/// on, so it belongs into a network namespace of its own: scripts/fuzz gives it one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  let desk = FuzzDesk()
  for text in input.split(separator: 0, maxSplits: FuzzDesk.requests, omittingEmptySubsequences: true) {
    desk.ask(FuzzDesk.request(Array(text)))
  }
  for path in ["/proxies", "/sessions", "/profile", "/events", "/leases", "/rules", "/metrics", "/healthz"] {
    let status = desk.ask(APIRequest(method: "GET", target: path, headers: [("Host", "127.0.0.1:8474")]))
    guard status == 200 else { fatalError("GET \(path): \(String(describing: status))") }
  }
  desk.close()
  return 0
}

private final class FuzzDesk {
  static let requests = 12
  nonisolated(unsafe) private static var shared: (loop: EventLoop, catalogue: ProfileCatalogue)?

  private let loop: EventLoop
  private let registry: ProxyRegistry
  private let api: API
  /// The routes are the same for every registry, and their description takes longer to make than a request.
  nonisolated(unsafe) private static var conformance: (Conformance, api: API)?
  private let conformance: Conformance

  init() {
    do {
      let shared = try Self.shared ?? (EventLoop(), ProfileCatalogue())
      Self.shared = shared
      loop = shared.loop
      registry = try ProxyRegistry(
        loop: loop, catalogue: shared.catalogue, seed: 1, log: Log(level: .silent, write: { _ in }))
    } catch {
      fatalError("\(error)")
    }
    api = API(registry: registry)
    let shared = Self.conformance ?? (Conformance(api), api)
    Self.conformance = shared
    conformance = shared.0
  }

  static func request(_ text: [UInt8]) -> APIRequest {
    let text = String(decoding: text, as: UTF8.self)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    let words = (lines.popFirst() ?? "").split(separator: " ", maxSplits: 1)
    var headers: [(name: String, value: String)] = []
    while let line = lines.popFirst(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers.append((String(parts[0]), String(parts[1].drop { $0 == " " }))) }
    }
    if !headers.contains(where: { $0.name.lowercased() == "host" }) { headers.append(("Host", "127.0.0.1:8474")) }
    return APIRequest(
      method: words.first.map(String.init) ?? "", target: words.count > 1 ? String(words[1]) : "", headers: headers,
      body: Array(lines.joined(separator: "\n").utf8))
  }

  /// - Returns: the status; nil for a stream of events.
  @discardableResult
  func ask(_ request: APIRequest) -> Int? {
    var response: APIResponse?
    switch api.answer(request) {
    case .now(let now): response = now
    case .later(let work):
      work { response = $0 }
      do { try loop.runUntil(seconds: 20) { response != nil } } catch { fatalError("no answer to \(request)") }
    case .events: return nil
    }
    guard let response else { return nil }
    let reply = Reply(
      status: response.status, headers: response.headers, text: String(decoding: response.body, as: UTF8.self))
    let complaints = conformance.complaints(request.method, request.target, reply)
    // A listening socket that the system refuses is the one failure that isn't the request's fault.
    let isRefusedBySystem = reply.text.contains("listen") || reply.text.contains("bind")
    guard complaints.isEmpty, response.status < 500 || isRefusedBySystem else {
      fatalError("\(request.method) \(request.target): \(response.status) \(reply.text.prefix(300)): \(complaints)")
    }
    return response.status
  }

  /// Nothing of this registry is left in the loop.
  func close() {
    var isDrained = false
    let drain = registry.drain { isDrained = true }
    do { try loop.runUntil(seconds: 20) { isDrained } } catch { fatalError("it doesn't drain") }
    withExtendedLifetime(drain) {}
  }
}
