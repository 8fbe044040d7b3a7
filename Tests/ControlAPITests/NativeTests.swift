import Settings
import LoopTesting
import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Reactor

@Suite struct NativeTests {
  @Test(arguments: Way.allCases)
  func theCatalogueIsSortedAndAliasesResolve(_ way: Way) throws {
    let desk = try Desk(way)
    let profiles = try #require(try desk.call("GET", "/profiles").json()["profiles"]?.arrayValue)
    let names = profiles.compactMap { $0["name"]?.stringValue }
    #expect(names == desk.registry.catalogue.names && names.contains("3g"))
    for profile in profiles {
      #expect(profile.objectValue?.members.map(\.key) == ["name", "aliases", "summary", "source", "path", "toxics"])
    }
    #expect(try desk.call("GET", "/profiles/AIRPLANE").json()["name"] == "offline")
    #expect(
      try desk.refusal("GET", "/profiles/3gg").hasPrefix(#"404 unknown profile "3gg"; did you mean "3g"? known: "#))
  }

  @Test(arguments: Way.allCases)
  func theGlobalProfileIsReadSwitchedAndCleared(_ way: Way) throws {
    let desk = try Desk(way)
    let none = try desk.call("GET", "/profile").json()
    #expect(none.objectValue?.members.map(\.key) == ["name", "since", "reverts_at", "lease"])
    #expect(none["name"] == "none" && none["reverts_at"] == .null)
    #expect(try desk.call("PUT", "/profile/3g").json()["name"] == "3g")
    let short = try desk.call("PUT", "/profile/airplane?for=30s").json()
    #expect(short["name"] == "offline")
    let reverts = try #require(short["reverts_at"]?.stringValue)
    #expect(reverts > (short["since"]?.stringValue ?? "") && reverts.hasSuffix("Z"))
    #expect(try desk.call("DELETE", "/profile").json()["name"] == "none")
    #expect(try desk.refusal("PUT", "/profile/nope").hasPrefix("404 unknown profile"))
    for time in ["", "30", "0s", "25h", "-1s", "1e9s", "%zz", "%"] {
      #expect(try desk.refusal("PUT", "/profile/3g?for=\(time)").hasPrefix("400 time is "), "\(time)")
    }
    for target in ["/profile/3g?fo=30s", "/profile/3g?for=30s&x"] {
      #expect(try desk.refusal("PUT", target).hasPrefix("400 unknown query parameter"), "\(target)")
    }
    for target in ["/sessions?prox=a", "/events?sinc=1"] {
      #expect(try desk.refusal("GET", target).hasPrefix("400 unknown query parameter"), "\(target)")
    }
    #expect(try desk.call("GET", "/profile").json()["name"] == "none")
  }

  @Test(arguments: Way.allCases)
  func countersOfAProxyAreShown(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy("web", upstream: "127.0.0.1:1")
    let counters = try desk.call("GET", "/proxies/web/counters").json()
    let keys = ["sessions", "dial_failures", "drops", "exhaustions", "upstream", "downstream"]
    #expect(counters.objectValue?.members.map(\.key) == keys)
    #expect(counters["dial_failures"] == 0)
    #expect(try desk.refusal("GET", "/proxies/none/counters") == "404 proxy not found")
  }

  @Test(arguments: Way.allCases)
  func aTemporaryProfileReverts(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.call("PUT", "/profile/edge")
    try desk.call("PUT", "/profile/offline?for=5ms")
    try desk.loop.runUntil { desk.registry.profile.current?.name == "edge" }
    #expect(try desk.call("GET", "/profile").json()["reverts_at"] == .null)
  }

  @Test(arguments: Way.allCases)
  func aProxysOwnProfile(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy("a/b")
    #expect(try desk.call("PUT", "/proxies/a%2Fb/profile/lte").json()["name"] == "lte")
    #expect(try desk.call("GET", "/proxies/a%2Fb/profile").json()["name"] == "lte")
    #expect(try desk.call("GET", "/profile").json()["name"] == "none")
    #expect(try desk.call("DELETE", "/proxies/a%2Fb/profile").json()["name"] == "none")
    for (method, path) in [("GET", ""), ("DELETE", ""), ("PUT", "/3g")] {
      #expect(try desk.refusal(method, "/proxies/nobody/profile\(path)") == "404 proxy not found" || path == "/3g")
    }
    #expect(try desk.refusal("PUT", "/proxies/a%2Fb/profile/nope").hasPrefix("404 unknown profile"))
  }

  @Test(arguments: Way.allCases)
  func profilesAreDefinedAndRemovedAtRunTime(_ way: Way) throws {
    let desk = try Desk(way)
    let made = try desk.call("PUT", "/profiles/mine", "{path: {latency_ms: 7,}, /* JSON5 */}")
    #expect(made.status == 201)
    #expect(try made.json()["path"]?["latency_ms"]?.doubleValue == 7)
    try desk.call("PUT", "/profile/mine")
    #expect(try desk.call("PUT", "/profiles/mine", #"{"path":{"latency_ms":9}}"#).status == 200)
    #expect(desk.registry.profile.current?.path.latencyMilliseconds == 9, "in force at once")
    #expect(try desk.refusal("DELETE", "/profiles/mine").hasPrefix(#"409 profile "mine" is in force for "#))
    try desk.call("DELETE", "/profile")
    #expect(try desk.call("DELETE", "/profiles/mine").status == 204)
    #expect(try desk.refusal("DELETE", "/profiles/mine").hasPrefix("404 unknown profile"))
    #expect(try desk.refusal("DELETE", "/profiles/none").hasPrefix("409 "))
    for (name, body) in [
      ("mine", ""), ("mine", "{"), ("mine", #"{"latency":1}"#), ("mine", #"{"name":"other"}"#),
      ("mine", #"{"path":{"latency_ms":-1}}"#), ("MINE", "{}"), ("airplane", "{}"),
    ] {
      #expect(try desk.refusal("PUT", "/profiles/\(name)", body).hasPrefix("400 "), "\(name) \(body)")
    }
    #expect(desk.registry.catalogue["mine"] == nil)
  }

  @Test(arguments: Way.allCases)
  func sessionsAreListedAndEnded(_ way: Way) throws {
    let desk = try Desk(way)
    #expect(try desk.call("GET", "/sessions").text == #"{"sessions":[]}"#)
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let upstream = try Listener(loop: desk.loop, address: address)
    let listen = try desk.makeProxy(upstream: "\(upstream.localAddress)")
    let port = try #require(UInt16(listen.split(separator: ":")[1]))
    let client = try StreamSocket(loop: desk.loop, connectingTo: address.withPort(port))
    let quiet = Quiet()
    client.delegate = quiet
    try desk.loop.runUntil { desk.registry.sessions.first?.upstreamAddress != nil }
    let listed = try #require(try desk.call("GET", "/sessions").json()["sessions"]?.arrayValue)
    let session = try #require(listed.first)
    #expect(
      session.objectValue?.members.map(\.key) == [
        "id", "proxy", "number", "state", "client", "upstream", "profile", "opened_at", "upstream_bytes",
        "downstream_bytes", "buffered_bytes", "upstream_delay_ms", "downstream_delay_ms", "decisions",
      ])
    #expect(session["client"]?.stringValue == "\(client.localAddress)")
    #expect(session["upstream"]?.stringValue == "\(upstream.localAddress)")
    #expect(session["profile"] == "none" && session["proxy"] == "web" && session["id"] == 1)
    #expect(session["number"] == 1 && session["state"] == "open")
    #expect(try desk.call("GET", "/sessions?proxy=web").json()["sessions"]?.arrayValue?.count == 1)
    #expect(try desk.call("GET", "/sessions?proxy=other").text == #"{"sessions":[]}"#)
    #expect(try desk.refusal("DELETE", "/sessions/7") == "404 session not found")
    #expect(try desk.refusal("DELETE", "/sessions/x") == #"400 session id "x" is not a whole number"#)
    #expect(try desk.call("DELETE", "/sessions/1").status == 204)
    #expect(desk.registry.sessions.isEmpty)
  }

  private final class Quiet: StreamSocketDelegate {
    func socketIsReady(_ socket: StreamSocket) {}
  }

  @Test(arguments: Way.allCases)
  func eventsAreListedFromWhereOneWas(_ way: Way) throws {
    let desk = try Desk(way)
    #expect(try desk.call("GET", "/events").text == #"{"events":[],"oldest":1,"newest":0}"#)
    try desk.makeProxy()
    try desk.call("PUT", "/profile/3g")
    let events = try #require(try desk.call("GET", "/events").json()["events"]?.arrayValue)
    #expect(events.map { $0["type"] } == ["proxy_created", "profile_switched"])
    #expect(
      events[0].objectValue?.members.map(\.key) == ["id", "at", "type", "proxy", "listen", "upstream", "enabled"])
    #expect(events[1].objectValue?.members.map(\.key) == ["id", "at", "type", "from", "to", "cause", "reverts_at"])
    #expect(try desk.call("GET", "/events?since=1").json()["events"]?.arrayValue?.count == 1)
    #expect(try desk.call("GET", "/events?since=99").text == #"{"events":[],"oldest":1,"newest":2}"#)
    for since in ["-1", "x", "", "1.5"] {
      #expect(try desk.refusal("GET", "/events?since=\(since)").hasPrefix("400 since is "), "\(since)")
    }
  }

  @Test(arguments: Way.allCases)
  func healthAndReadiness(_ way: Way) throws {
    let desk = try Desk(way)
    #expect(try desk.call("GET", "/healthz").text == #"{"status":"ok","headwind":"\#(Version.current)","seed":1}"#)
    #expect(try desk.refusal("GET", "/readyz") == "503 not every configured listener is bound yet")
    desk.api.isReady = true
    let ready = try desk.call("GET", "/readyz").json()
    #expect(ready["status"] == "ready" && ready["pid"] == .integer(Int64(ThisProcess.identifier)))
  }
}
