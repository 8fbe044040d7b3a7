import LoopTesting
import Testing

@testable import ControlAPI

@Suite struct GatekeeperTests {
  private let hostRows: [(String, Bool)] = [
    ("127.0.0.1", true), ("127.0.0.1:8474", true), ("10.1.2.3:80", true), ("[::1]:8474", true), ("[fe80::1]", true),
    ("localhost:8474", true), ("LOCALHOST", true), ("localhost.", true), ("toxiproxy:8474", true), ("mac.local", false),
    ("app.localhost", true), ("proxy.internal", true), ("x.test", true), ("known.example:8474", true),
    ("KNOWN.example", true), ("evil.example", false), ("evil.example:8474", false), ("127.0.0.1.evil.example", false),
    ("localhost.evil.example", false), ("evil.example.", false), ("known.example.evil.example", false),
    ("notlocal.com", false), ("localhost..", false), (".", false), ("2130706433", false), ("127.1", false),
    ("0x7f.1", false), ("1.2.3.4.5", false), ("[evil.example]", false), ("[evil.example", false), ("[::1", false),
    ("127.0.0.1:evil.example", false), ("127.0.0.1:80:80", false), ("a@127.0.0.1", false),
    ("127.0.0.1, evil.example", false), ("evil.example 127.0.0.1", false), ("127.0.0.1/evil.example", false),
    ("localhost#", false), ("127.0.0.1:", true),
  ]

  /// RFC 9112 §3.2.2: the target's host counts, and the header's is checked all the same.
  @Test func anAbsoluteTargetsHostIsChecked() throws {
    let api = try Desk(.pure).api
    for (target, host, status) in [
      ("http://127.0.0.1:8474/version", "127.0.0.1", 200), ("http://evil.example/version", "127.0.0.1", 403),
      ("HTTP://evil.example/version", "127.0.0.1", 403), ("http://127.0.0.1@evil.example/version", "127.0.0.1", 403),
      ("http://evil.example?/version", "127.0.0.1", 403), ("http://127.0.0.1/version", "evil.example", 403),
    ] {
      let request = APIRequest(method: "GET", target: target, headers: [("Host", host)])
      guard case .now(let response) = api.answer(request) else { throw TimedOut() }
      #expect(response.status == status, "\(target) \(host)")
    }
  }

  /// Which of them a guard looks at must not matter.
  @Test func everyHeaderOfANameIsLookedAt() throws {
    let desk = try Desk(.live)
    let own = "http://127.0.0.1:\(desk.port)"
    for (name, good, bad) in [
      ("Origin", own, "http://evil.example"), ("Sec-Fetch-Site", "none", "cross-site"),
      ("User-Agent", "curl/8", "Mozilla/5.0"),
    ] {
      for values in [[good, bad], [bad, good]] {
        let reply = try desk.call("POST", "/reset", headers: values.map { (name, $0) })
        #expect(reply.status == 403, "\(name): \(values)")
      }
      #expect(try desk.call("POST", "/reset", headers: [(name, good)]).status == 204)
    }
  }

  /// RFC 9112 §3.2: which of them a guard looks at must not matter.
  @Test func twoHostsAreRefused() throws {
    let api = try Desk(.pure).api
    let request = APIRequest(
      method: "GET", target: "/version", headers: [("Host", "localhost"), ("host", "evil.example")])
    guard case .now(let response) = api.answer(request) else { return #expect(Bool(false), "no answer at once") }
    #expect(response.status == 400)
  }

  @Test(arguments: Way.allCases)
  func knowsTheHostsThatCantBeRebound(_ way: Way) throws {
    let desk = try Desk(way, extraHosts: ["known.example"])
    for (host, isAllowed) in hostRows {
      let reply = try desk.call("GET", "/version", headers: [("Host", host)])
      #expect(reply.status == (isAllowed ? 200 : 403), "\(host)")
    }
    let refusal = try desk.refusal("GET", "/nowhere", headers: [("Host", "evil.example")])
    #expect(refusal.hasPrefix(#"403 host "evil.example" is not allowed"#))
  }

  @Test(arguments: Way.allCases)
  func refusesWebPages(_ way: Way) throws {
    let desk = try Desk(way)
    for (name, value, isAllowed) in [
      ("Origin", "http://127.0.0.1:\(desk.port)", true), ("Origin", "HTTP://127.0.0.1:\(desk.port)", true),
      ("Origin", "https://127.0.0.1:\(desk.port)", false), ("Origin", "http://127.0.0.1:1", false),
      ("Origin", "http://evil.example", false), ("Origin", "null", false), ("Origin", "", false),
      ("Sec-Fetch-Site", "cross-site", false), ("Sec-Fetch-Site", "same-site", false),
      ("Sec-Fetch-Site", "same-origin", true),
      ("Sec-Fetch-Site", "none", true),
    ] {
      let reply = try desk.call("POST", "/reset", headers: [(name, value)])
      #expect(reply.status == (isAllowed ? 204 : 403), "\(name): \(value)")
    }
  }

  @Test(arguments: Way.allCases)
  func refusesBrowsersOnKnownRoutesOnly(_ way: Way) throws {
    let desk = try Desk(way)
    for (agent, isAllowed) in [
      ("Mozilla/5.0 (X11)", false), ("Mozilla/", false), ("mozilla/5.0", true), ("Mozilla", true),
      ("curl/8 Mozilla/5.0", true),
    ] {
      let reply = try desk.call("GET", "/proxies", headers: [("User-Agent", agent)])
      #expect(reply.status == (isAllowed ? 200 : 403), "\(agent)")
    }
    let browser = [("User-Agent", "Mozilla/5.0")]
    #expect(
      try desk.refusal("POST", "/proxies", #"{"name":"a","upstream":"b"}"#, headers: browser)
        == "403 User agent not allowed")
    #expect(try desk.call("GET", "/proxies").text == "{}")
    #expect(try desk.refusal("GET", "/nowhere", headers: browser).hasPrefix("404 not found"))
    #expect(try desk.call("GET", "/version", headers: browser).header("X-Toxiproxy-Request-Id") != nil)
  }

  @Test func onlyHTTP11MustNameItsHost() throws {
    let api = try Desk().api
    for (mustNameHost, status) in [(true, 400), (false, 200)] {
      guard
        case .now(let response) = api.answer(
          APIRequest(method: "GET", target: "/version", mustNameHost: mustNameHost))
      else { throw TimedOut() }
      #expect(response.status == status)
    }
  }
}
