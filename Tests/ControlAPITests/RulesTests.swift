import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Settings

/// Rules by host, and what the classic calls say of forward proxies.
@Suite struct RulesTests {
  private static let edge = #"{"host":"*.example.com","use":"edge"}"#
  private static let deny = #"{"host":"*:25","use":"deny"}"#
  private static let direct = #"{"host":"10.0.0.0/8","use":"direct"}"#

  private func list(_ rules: String...) -> String { #"{"rules":[\#(rules.joined(separator: ","))]}"# }

  @Test(arguments: Way.allCases)
  func areListedSetAddedAndCleared(_ way: Way) throws {
    let desk = try Desk(way)
    #expect(try desk.call("GET", "/rules").text == list())
    let put = try desk.call("PUT", "/rules", #"{"rules":[\#(Self.edge),"*:25=deny"]}"#)
    #expect(put.status == 200 && put.text == list(Self.edge, Self.deny))
    let post = try desk.call("POST", "/rules", Self.direct)
    #expect(post.status == 201 && post.text == list(Self.edge, Self.deny, Self.direct))
    #expect(try desk.call("POST", "/rules?at=last", #""a=3g""#).status == 201)
    let first = try desk.call("POST", "/rules?at=first", #""b=AIRPLANE""#)
    #expect(
      try first.json()["rules"]?.arrayValue?.map { $0["host"] } == ["b", "*.example.com", "*:25", "10.0.0.0/8", "a"])
    #expect(try desk.call("GET", "/rules").text == first.text)
    #expect(desk.registry.forward.rules.first?.use == .profile("AIRPLANE"))
    #expect(try desk.call("DELETE", "/rules").text == list())
    let events = try #require(try desk.call("GET", "/events").json()["events"]?.arrayValue)
    #expect(events.filter { $0["type"] == "rules_changed" }.map { $0["count"] } == [2, 3, 4, 5, 0])
    try desk.call("DELETE", "/rules")
    #expect(try desk.call("GET", "/events").json()["events"]?.arrayValue?.count == events.count, "nothing happened")
  }

  static let mistakes: [(method: String, target: String, body: String, says: String)] = [
    ("PUT", "/rules", "", "400 request body: is empty; allowed: JSON or JSON5"),
    ("PUT", "/rules", "[]", "400 request body: the top level is []; allowed: an object"),
    ("PUT", "/rules", "{}", "400 request body: rules is missing; allowed: an array of rules"),
    (
      "PUT", "/rules", #"{"rules":["a=deny","b"]}"#, #"400 request body: rules[1] is "b": no = between pattern and use"#
    ),
    (
      "PUT", "/rules", #"{"rules":["a=deny",{"host":"b","use":"3gg"}]}"#,
      #"400 rules[1].use: unknown profile "3gg"; did you mean "3g"?"#
    ),
    ("PUT", "/rules", #"{"rules":[],"x":1}"#, "400 request body: x is not a known key; known: rules"),
    ("POST", "/rules", "{}", "400 request body: host is missing; allowed: a name"),
    ("POST", "/rules", "5", "400 request body: rule is 5; allowed: an object, or a string PATTERN=USE"),
    ("POST", "/rules", #""a b=deny""#, #"400 request body: rule is "a b=deny": a character that no host name has"#),
    ("POST", "/rules", #"{"host":"a","use":"nope"}"#, #"400 use: unknown profile "nope""#),
    ("POST", "/rules?at=middle", #""a=deny""#, #"400 at is "middle"; allowed: first, last"#),
    ("POST", "/rules?t=first", #""a=deny""#, #"400 unknown query parameter "t"; allowed: at"#),
    ("PATCH", "/rules", "{}", "405 method not allowed; allowed: DELETE, GET, POST, PUT"),
  ]

  @Test(arguments: mistakes)
  func mistakesAreNamedAndChangeNothing(method: String, target: String, body: String, says: String) throws {
    let desk = try Desk()
    try desk.call("PUT", "/rules", list(Self.edge))
    let events = desk.registry.events.newest
    let text = try desk.refusal(method, target, body)
    #expect(text.hasPrefix(says), "\(text)")
    #expect(try desk.call("GET", "/rules").text == list(Self.edge) && desk.registry.events.newest == events)
  }

  @Test func thereIsALimit() throws {
    let desk = try Desk()
    let rules = Array(repeating: #""a=deny""#, count: Limit.rules.usual).joined(separator: ",")
    #expect(try desk.call("PUT", "/rules", list(rules)).status == 200)
    #expect(
      try desk.refusal("POST", "/rules", #""a=deny""#)
        == "429 too many: 1001 rules; allowed: at most 1000 (--max-rules sets it)")
  }

  @Test func aProfileThatARuleNamesStays() throws {
    let desk = try Desk()
    try desk.call("PUT", "/profiles/mine", #"{"aliases":["other"]}"#)
    try desk.call("PUT", "/rules", list(#""a=OTHER""#))
    #expect(
      try desk.refusal("DELETE", "/profiles/mine")
        == #"409 profile "mine" is named by the rule a=OTHER; remove that first"#)
    try desk.call("DELETE", "/rules")
    #expect(try desk.call("DELETE", "/profiles/mine").status == 204)
  }

  // MARK: Forward proxies in the classic API

  @Test(arguments: Way.allCases)
  func theClassicCallsShowTheModeOfForwardProxies(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy("web")
    let made = try desk.call("POST", "/proxies", #"{"name":"p","mode":"socks","listen":"127.0.0.1:0"}"#)
    #expect(made.status == 201 && made.header("Warning") == nil)
    let shown = try made.json()
    #expect(
      shown.objectValue?.members.map(\.key) == ["name", "listen", "upstream", "mode", "enabled", "toxics"])
    #expect(shown["mode"] == "socks" && shown["upstream"] == "*:*")
    let listed = try desk.call("GET", "/proxies").json()
    #expect(listed["p"] == shown && listed["web"]?["mode"] == nil)
    let back = JSON.array((listed.objectValue?.members ?? []).map(\.value)).text
    let events = desk.registry.events.newest
    #expect(try desk.call("POST", "/populate", back).status == 201)
    // An old client doesn't know the mode.
    #expect(try desk.call("POST", "/populate", back.replacing(#""mode":"socks","#, with: "")).status == 201)
    #expect(desk.registry.events.newest == events)
    #expect(try desk.call("POST", "/proxies/p/toxics", #"{"type":"latency"}"#).status == 200)
    #expect(try desk.call("PUT", "/proxies/p/profile/3g").status == 200)
  }

  static let refused: [(method: String, target: String, body: String, says: String)] = [
    (
      "POST", "/proxies", #"{"name":"q","mode":"http","listen":":0"}"#,
      #"400 proxy "q" of mode "http" would be an open proxy"#
    ),
    ("POST", "/proxies", #"{"name":"q","mode":"ftp"}"#, #"400 mode is "ftp"; allowed: "tcp", "http", "socks""#),
    (
      "POST", "/proxies", #"{"name":"q","mode":"http","upstream":"h:1"}"#,
      #"400 upstream is "h:1"; allowed: "*:*" or nothing"#
    ),
    ("POST", "/proxies", #"{"name":"q","upstream":"*:*"}"#, #"400 upstream of proxy "q" is "*:*"; allowed: HOST:PORT"#),
    ("POST", "/proxies/p", #"{"upstream":"h:1"}"#, #"400 upstream of proxy "p" is "h:1"; allowed: "*:*""#),
    ("PATCH", "/proxies/p", #"{"upstream":"h:1"}"#, #"400 upstream of proxy "p" is "h:1"; allowed: "*:*""#),
    ("PATCH", "/proxies/p", #"{"mode":"socks"}"#, #"400 mode of proxy "p" is "socks"; allowed: "http""#),
    ("PATCH", "/proxies/p", #"{"listen":"0.0.0.0:0"}"#, #"400 proxy "p" of mode "http" would be an open proxy"#),
    (
      "POST", "/populate", #"[{"name":"new","upstream":"x:1"},{"name":"p","mode":"socks","listen":"127.0.0.1:0"}]"#,
      #"400 mode of proxy "p" is "socks"; allowed: "http""#
    ),
  ]

  @Test(arguments: refused)
  func whatItCannotBeIsRefused(method: String, target: String, body: String, says: String) throws {
    let desk = try Desk()
    try desk.call("POST", "/proxies", #"{"name":"p","mode":"http","listen":"127.0.0.1:0"}"#)
    let before = try desk.call("GET", "/proxies").text
    let text = try desk.refusal(method, target, body)
    #expect(text.hasPrefix(says), "\(text)")
    #expect(try desk.call("GET", "/proxies").text == before)
  }
}
