import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor
@testable import Settings

/// What a forward proxy may be and what it may become. How it forwards is another matter.
@Suite struct ForwardProxyTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func spec(
    _ name: String = "p", _ listen: String = "127.0.0.1:0", _ mode: ProxyMode? = .http, upstream: String = "*:*",
    enabled: Bool? = nil
  ) -> ProxySpec {
    ProxySpec(name: name, listen: listen, upstream: upstream, mode: mode, enabled: enabled)
  }

  private func create(_ spec: ProxySpec) throws -> Proxy {
    try bench.registry.create(spec, binding: spec.isEnabled ? bench.resolve([spec.listen])[0].get() : nil)
  }

  /// The refusal's text, after a look that nothing has changed.
  private func refusal(_ body: () throws -> Void) -> String {
    func state() -> [String] {
      bench.registry.proxies.map { "\($0.name) \($0.mode) \($0.listen) \($0.upstream) \($0.isEnabled)" }
    }
    let (before, events) = (state(), bench.registry.events.newest)
    defer { #expect(state() == before && bench.registry.events.newest == events) }
    do {
      try body()
      return "(no error)"
    } catch RegistryError.notAllowed(let reason) {
      return reason
    } catch { return "another error: \(error)" }
  }

  @Test(arguments: [ProxyMode.http, .socks])
  func itIsMadeOnLoopback(_ mode: ProxyMode) throws {
    let proxy = try create(spec("p", "127.0.0.1:0", mode))
    #expect(proxy.mode == mode && proxy.upstream == "*:*" && proxy.isEnabled)
    #expect(bench.events("proxy_created").last?.detail("mode") == .string(mode.rawValue))
    #expect(try create(spec("six", "[::1]:0", mode)).isEnabled)
    #expect(try bench.create(upstream: "x:1").mode == .tcp)
    #expect(bench.events("proxy_created").last?.detail("mode") == nil)
  }

  @Test(arguments: ["0.0.0.0:0", ":0", "[::]:0", ""])
  func itIsNeverOpen(_ listen: String) throws {
    let open =
      #"proxy "p" of mode "http" would be an open proxy on \#(listen.isEmpty ? "[::]:0" : listen); allowed: a loopback address, or "#
      + "--allow-client NETWORK (allow_clients in the config file)"
    #expect(refusal { _ = try create(spec("p", listen)) } == open)
    #expect(refusal { try bench.populate([spec("ok"), spec("p", listen)]) } == open)
    _ = try create(spec("p", listen, enabled: false))
    #expect(refusal { try bench.update("p", enabled: true) } == open)
    #expect(refusal { try bench.populate([spec("p", listen, enabled: true)]) } == open)
    #expect(refusal { try bench.reset() } == open)
    try bench.update("p", listen: "127.0.0.1:0", enabled: true)
    #expect(refusal { try bench.update("p", listen: listen) } == open)
    bench.registry.forward.allowedClients = [try IPNetwork(parsing: "10.0.0.0/8")]
    #expect(try bench.update("p", listen: listen).listen.hasPrefix("[::]:"))
    // It keeps its socket while it is disabled: that is no way around.
    try bench.update("p", enabled: false)
    bench.registry.forward.allowedClients = []
    #expect(refusal { try bench.update("p", enabled: true) }.contains("would be an open proxy on [::]:"))
    #expect(refusal { try bench.reset() }.contains("would be an open proxy on [::]:"))
  }

  @Test func settingsThatWouldOpenItAreTold() throws {
    bench.registry.forward.allowedClients = [try IPNetwork(parsing: "10.0.0.0/8")]
    _ = try create(spec("p", ":0"))
    _ = try create(spec("q", "127.0.0.1:0"))
    #expect(bench.registry.openProxy(under: bench.registry.forward, besides: []) == nil)
    #expect(bench.registry.openProxy(under: ForwardSettings(), besides: ["p"]) == nil)
    let error = bench.registry.openProxy(under: ForwardSettings(), besides: ["q"])
    #expect(error?.description.hasPrefix(#"proxy "p" of mode "http" would be an open proxy on [::]:"#) == true)
  }

  @Test func itsUpstreamAndItsModeStay() throws {
    _ = try create(spec())
    let upstream = #"upstream of proxy "p" is "h:1"; allowed: "*:*", because clients of mode "http" name theirs"#
    #expect(refusal { try bench.update("p", upstream: "h:1") } == upstream)
    #expect(refusal { try bench.populate([spec("new"), spec("p", upstream: "h:1")]) } == upstream)
    #expect(refusal { try bench.populate([spec("p", "127.0.0.1:0", nil, upstream: "h:1")]) } == upstream)
    let mode = #"mode of proxy "p" is "socks"; allowed: "http", which it was made with"#
    #expect(refusal { try bench.populate([spec("new"), spec("p", "127.0.0.1:0", .socks)]) } == mode)
    #expect(
      refusal {
        _ = try bench.registry.update(
          "p", listen: nil, upstream: nil, mode: .socks, isEnabled: nil,
          binding: bench.resolve(["127.0.0.1:0"])[0].get())
      } == mode)
    try bench.create("web", upstream: "x:1")
    #expect(
      refusal { try bench.update("web", upstream: "*:*") }
        == #"upstream of proxy "web" is "*:*"; allowed: HOST:PORT, or for a new proxy mode "http" or "socks" beside it"#
    )
    #expect(refusal { try bench.populate([spec("web")]) }.hasPrefix(#"mode of proxy "web" is "http"; allowed: "tcp""#))
    #expect(
      refusal { try bench.populate([spec("x", "127.0.0.1:0", nil)]) }.hasPrefix(#"upstream of proxy "x" is "*:*""#))
  }

  /// As a client sends back what it was shown; an old one leaves out the mode, which it doesn't know.
  @Test(arguments: [ProxyMode.http, nil])
  func theSameAgainChangesNothing(_ mode: ProxyMode?) throws {
    let proxy = try create(spec())
    let events = bench.registry.events.newest
    #expect(try bench.populate([spec("p", proxy.listen, mode)])[0] === proxy)
    try bench.update("p", upstream: "*:*")
    #expect(bench.registry.events.newest == events && proxy.mode == .http)
  }

  @Test func anEntryOfAFileWithoutAModeIsTCP() throws {
    let proxy = try create(spec())
    let specs = [spec("p", proxy.listen, nil, upstream: "x:1")]
    let text = refusal {
      _ = try bench.registry.populate(specs, bindings: bench.resolve([proxy.listen]), areWhole: true)
    }
    #expect(text == #"mode of proxy "p" is "tcp"; allowed: "http", which it was made with"#)
  }

  @Test func newRulesAreAnEvent() throws {
    var settings = ForwardSettings()
    settings.rules = [try HostRule(parsing: "*=3g")]
    bench.registry.adopt(settings)
    bench.registry.adopt(settings)
    settings.allowedClients = [try IPNetwork(parsing: "10.0.0.0/8")]
    bench.registry.adopt(settings)
    #expect(bench.registry.forward == settings)
    #expect(bench.events("rules_changed").map { $0.detail("count") } == [1])
  }
}
