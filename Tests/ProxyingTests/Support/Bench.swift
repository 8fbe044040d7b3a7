import LoopTesting
import Testing

@testable import Conditioning
@testable import Proxying
@testable import Reactor
@testable import Settings

/// A registry on a loop of its own, driven as the control API drives it.
final class Bench {
  let loop: EventLoop
  let registry: ProxyRegistry
  let log = Lines()

  init(_ limits: Limits = Limits(), seed: UInt64 = 1) throws {
    loop = try EventLoop()
    registry = try ProxyRegistry(
      loop: loop, catalogue: ProfileCatalogue(), limits: limits, seed: seed,
      log: Log(level: .debug, write: { [log] in log.all.append($0) }))
  }

  final class Lines { var all: [String] = [] }

  // MARK: Changes

  func resolve(_ texts: [String]) throws -> [Result<Binding, RegistryError>] {
    var found: [Result<Binding, RegistryError>]?
    registry.resolve(texts) { found = $0 }
    try loop.runUntil { found != nil }
    return try #require(found)
  }

  @discardableResult
  func create(
    _ name: String = "web", listen: String = "127.0.0.1:0", upstream: String, enabled: Bool? = nil,
    profile: String? = nil, toxics: [ToxicSpec]? = nil
  ) throws -> Proxy {
    let spec = ProxySpec(
      name: name, listen: listen, upstream: upstream, enabled: enabled, profile: profile, toxics: toxics)
    let binding = spec.isEnabled ? try resolve([listen])[0].get() : nil
    return try registry.create(spec, binding: binding)
  }

  @discardableResult
  func update(
    _ name: String = "web", listen: String? = nil, upstream: String? = nil, enabled: Bool? = nil
  ) throws -> Proxy {
    let proxy = try registry.proxy(named: name)
    let found = try resolve([listen ?? proxy.listen])[0]
    let isWanted = enabled ?? proxy.isEnabled
    return try registry.update(
      name, listen: listen, upstream: upstream, isEnabled: enabled, binding: isWanted ? found.get() : try? found.get())
  }

  @discardableResult
  func populate(_ specs: [ProxySpec]) throws -> [Proxy] {
    try registry.populate(specs, bindings: resolve(specs.map(\.listen)))
  }

  func reset() throws {
    let stopped = registry.proxies.filter { !$0.isEnabled }
    let found = try resolve(stopped.map(\.listen))
    try registry.reset(bindings: Dictionary(uniqueKeysWithValues: zip(stopped.map(\.name), found)))
  }

  /// Puts a profile into the catalogue and in force for all.
  func use(_ path: PathSpec = PathSpec(), _ toxics: [ToxicSpec] = []) throws {
    let profile = Profile(name: "under-test", path: path, toxics: toxics)
    try registry.catalogue.define(profile)
    registry.profile.set(profile, cause: .set)
  }

  // MARK: Clients

  func address(of proxy: Proxy) throws -> SocketAddress {
    let endpoint = try Endpoint(parsing: proxy.listen)
    let host = endpoint.host == "::" ? "127.0.0.1" : endpoint.host
    let port = try #require(endpoint.port)
    return try #require(SocketAddress(literal: host, port: port))
  }

  func connect(_ proxy: Proxy, isReading: Bool = true) throws -> Peer {
    try Peer(loop, to: address(of: proxy), isReading: isReading)
  }

  /// A client that has had an answer: its session is open at both ends.
  func openClient(_ proxy: Proxy) throws -> Peer {
    let client = try connect(proxy)
    client.send("hello")
    try loop.runUntil { client.received.count == 5 || client.isOver }
    try #require(client.text == "hello")
    return client
  }

  /// Whether a new connection is refused by the system, or reset at once.
  func isRefused(_ proxy: Proxy) throws -> Bool {
    let client = try Peer(loop, to: address(of: proxy))
    client.send("hello")
    try loop.runUntil { client.isOver || client.received.count == 5 }
    return client.failure != nil
  }

  /// Whether a live client still is served.
  func isServed(_ client: Peer) throws -> Bool {
    let count = client.received.count
    client.send("ping")
    try loop.runUntil { client.isOver || client.received.count == count + 4 }
    return !client.isOver
  }

  // MARK: Events

  func events(_ type: String) -> [Event] {
    registry.events.events(since: 0).filter { $0.type == type }
  }

  func reasons() -> [String] {
    events("session_closed").compactMap { event in event.detail("reason")?.stringValue }
  }
}

extension Event {
  func detail(_ key: String) -> JSON? { details.first { $0.0 == key }?.1 }
}

extension ToxicSpec {
  static func latency(_ milliseconds: Int64, _ stream: Settings.Stream = .downstream) -> ToxicSpec {
    ToxicSpec(.latency(milliseconds: milliseconds, jitterMilliseconds: 0), stream: stream)
  }

  static func bandwidth(_ kilobytes: Int64, _ stream: Settings.Stream = .downstream) -> ToxicSpec {
    ToxicSpec(.bandwidth(kilobytesPerSecond: kilobytes), stream: stream)
  }

  static func noop(_ stream: Settings.Stream? = nil) -> ToxicSpec { ToxicSpec(.noop, stream: stream) }

  static func stall(_ milliseconds: Int64? = nil, _ stream: Settings.Stream? = nil) -> ToxicSpec {
    ToxicSpec(.stall(milliseconds: milliseconds), stream: stream)
  }

  static func drop(
    _ probability: Double, per: DropSpec.Unit = .connection, how: DropSpec.Manner = .reset,
    stream: Settings.Stream? = nil
  ) -> ToxicSpec {
    ToxicSpec(.drop(DropSpec(probability: probability, per: per, how: how)), stream: stream)
  }
}

/// Bytes that look random and are the same on every run.
func payload(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
  var generator = SeededGenerator(seed: seed)
  var words = (0..<count / 8 + 1).map { _ in generator.next() }
  return words.withUnsafeMutableBytes { Array($0.prefix(count)) }
}

/// The description of the error that `body` throws, or `(no error)`.
func message(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "(no error)"
  } catch { return "\(error)" }
}
