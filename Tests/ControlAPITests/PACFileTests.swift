import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Settings

/// The text of the PAC file; scripts/check-pac runs it.
@Suite struct PACFileTests {
  private func text(_ rules: String..., listeners: [PACFile.Listener] = [.init(mode: .http, address: "h:1")]) throws
    -> String
  {
    PACFile.text(listeners, rules: try rules.map { try HostRule(parsing: $0) })
  }

  /// What is said of one rule that another `direct` follows.
  @Test(arguments: [
    ("example.com=direct", #"if (host === "example.com") return "DIRECT";"#),
    ("Example.COM.:443=edge", #"if (port === 443 && host === "example.com") return proxy;"#),
    ("*.example.com=deny", #"if (shExpMatch(host, "*.example.com")) return proxy;"#),
    ("*:25=direct", #"if (port === 25) return "DIRECT";"#), ("*=3g", "return proxy;"),
    ("10.0.0.0/8=direct", #"if (isIPv4 && isInNet(host, "10.0.0.0", "255.0.0.0")) return "DIRECT";"#),
    (
      "192.0.2.1:80=direct",
      #"if (port === 80 && isIPv4 && isInNet(host, "192.0.2.1", "255.255.255.255")) return "DIRECT";"#
    ),
    ("fd00::/8=direct", "if (isIPv6) return proxy;"), ("[::2]:443=direct", "if (port === 443 && isIPv6) return proxy;"),
  ])
  func eachRuleIsAStatement(_ rule: String, _ statement: String) throws {
    #expect(try text(rule, "last=direct").contains("\n  \(statement)\n  if (host === \"last\") return \"DIRECT\";\n"))
  }

  @Test func rulesBehindTheLastDirectSayNothing() throws {
    let text = try text("a=3g", "b=direct", "c=3g", "d=deny")
    #expect(text.contains("\"a\"") && text.contains("\"b\"") && !text.contains("\"c\"") && !text.contains("\"d\""))
    #expect(try !self.text("a=3g").contains("\"a\""))
  }

  @Test func waysAreTriedInOrder() throws {
    let both = try text(listeners: [.init(mode: .http, address: "h:1"), .init(mode: .socks, address: "[::1]:2")])
    #expect(both.contains(#"var proxy = "PROXY h:1; SOCKS5 [::1]:2; SOCKS [::1]:2";"#))
  }

  @Test(arguments: [
    ("localhost:80", "localhost"), ("10.0.0.1", "10.0.0.1"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"),
    ("a_b-c.d:1", "a_b-c.d"),
    ("", nil), (":80", nil), ("a b", nil), (#"a";alert(1)//"#, nil), ("a;b", nil), ("[::1", nil), ("a]", nil),
    ("é", nil),
  ])
  func hostsOfRequestsAreTakenWhereTheyAreSound(_ header: String, _ host: String?) {
    #expect(PACFile.host(ofHeader: header) == host)
  }

  // MARK: The call

  private func makeProxy(_ desk: Desk, _ name: String, _ mode: String, _ listen: String = "127.0.0.1:0") throws
    -> String
  {
    let body = #"{"name":"\#(name)","mode":"\#(mode)","listen":"\#(listen)"}"#
    return try #require(try desk.call("POST", "/proxies", body).json()["listen"]?.stringValue)
  }

  @Test(arguments: Way.allCases)
  func browsersMayFetchIt(_ way: Way) throws {
    let desk = try Desk(way)
    let browser = [("User-Agent", "Mozilla/5.0 (X11)")]
    #expect(
      try desk.refusal("GET", "/proxy.pac", headers: browser)
        == "404 no forward proxy that is enabled can be reached from there; start the daemon with --http-proxy or --socks, "
        + #"or make one by POST /proxies with "mode": "http""#)
    try desk.makeProxy("web")
    let socks = try makeProxy(desk, "s", "socks")
    let other = try makeProxy(desk, "aaa", "http")
    #expect(try desk.call("GET", "/proxy.pac").text.contains(#""PROXY \#(other); SOCKS5 \#(socks); SOCKS \#(socks)""#))
    let usual = try makeProxy(desk, "http-proxy", "http")
    try desk.call("PUT", "/rules", #"{"rules":["a.test=direct"]}"#)
    let reply = try desk.call("GET", "/proxy.pac", headers: browser)
    #expect(reply.status == 200 && reply.header("Content-Type") == "application/x-ns-proxy-autoconfig")
    #expect(reply.header("X-Content-Type-Options") == "nosniff", "it is no script for web pages")
    #expect(reply.text.contains("PROXY \(usual);") && reply.text.contains(#""a.test""#))
    try desk.call("PATCH", "/proxies/http-proxy", #"{"enabled":false}"#)
    #expect(try desk.call("GET", "/proxy.pac").text.contains("PROXY \(other);"))
    // The other guards stay.
    for header in [("Host", "evil.example"), ("Origin", "http://evil.example"), ("Sec-Fetch-Site", "cross-site")] {
      #expect(try desk.call("GET", "/proxy.pac", headers: [header]).status == 403)
    }
    #expect(try desk.refusal("GET", "/proxy.pac?x").hasPrefix("400 unknown query parameter"))
    #expect(try desk.refusal("GET", "/rules", headers: browser) == "403 User agent not allowed")
  }

  @Test func anyAddressIsTheOneThatWasAskedAt() throws {
    let desk = try Desk()
    desk.registry.forward.allowedClients = [try IPNetwork(parsing: "10.0.0.0/8")]
    let http = try makeProxy(desk, "h", "http")
    let port = try makeProxy(desk, "s", "socks", ":0").dropFirst("[::]:".count)
    func proxy(_ host: String) throws -> String? {
      let text = try desk.call("GET", "/proxy.pac", headers: [("Host", host)]).text
      return text.split(separator: "\n").first { $0.contains("var proxy") }.map(String.init)
    }
    #expect(
      try proxy("localhost:8474")
        == #"  var proxy = "PROXY \#(http); SOCKS5 localhost:\#(port); SOCKS localhost:\#(port)";"#)
    // There, 127.0.0.1 would be another machine.
    #expect(try proxy("10.0.0.5:8474") == #"  var proxy = "SOCKS5 10.0.0.5:\#(port); SOCKS 10.0.0.5:\#(port)";"#)
    #expect(try proxy("[fd00::5]:8474") == #"  var proxy = "SOCKS5 [fd00::5]:\#(port); SOCKS [fd00::5]:\#(port)";"#)
    #expect(
      try desk.refusal("GET", "/proxy.pac", headers: [("Host", "")]).hasPrefix("400 the header Host says no host"))
    #expect(try desk.refusal("GET", "/proxy.pac", headers: [("Host", #"a"b"#)]).hasPrefix("403 host "))
    try desk.call("DELETE", "/proxies/s")
    #expect(try desk.refusal("GET", "/proxy.pac", headers: [("Host", "10.0.0.5")]).hasPrefix("404 "))
  }

  /// Only this daemon knows the way through the next proxy.
  @Test func withANextProxyNothingIsDirect() throws {
    let desk = try Desk()
    _ = try makeProxy(desk, "h", "http")
    try desk.call("PUT", "/rules", #"{"rules":["a.test=direct"]}"#)
    desk.registry.forward.via = try ViaSpec(parsing: "http://corp:3128")
    #expect(try !desk.call("GET", "/proxy.pac").text.contains("a.test"))
  }
}
