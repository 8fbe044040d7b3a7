import LoopTesting
import Settings
import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Reactor

/// `/leases`, and what the other calls say while there are some.
@Suite struct LeaseTests {
  private static let keys = [
    "id", "profile", "proxies", "by", "reason", "created_at", "expires_at", "expires_in_ms",
  ]

  private func take(_ desk: Desk, _ terms: String) throws -> String {
    let reply = try desk.call("POST", "/leases", terms)
    try #require(reply.status == 201, "\(reply.text)")
    return try #require(reply.json()["id"]?.stringValue)
  }

  @Test(arguments: Way.allCases)
  func oneIsTakenShownRenewedAndReleased(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy("api")
    let made = try desk.call(
      "POST", "/leases", #"{"profile":"airplane","proxies":["api"],"for":"60s","by":"suite-a","reason":"outage test"}"#)
    #expect(made.status == 201)
    let lease = try made.json()
    let id = try #require(lease["id"]?.stringValue)
    #expect(lease.objectValue?.members.map(\.key) == Self.keys)
    #expect(lease["profile"] == "offline" && lease["proxies"] == ["api"], "an alias names its profile")
    #expect(lease["by"] == "suite-a" && lease["reason"] == "outage test")
    #expect((59_000...60_000).contains(try #require(lease["expires_in_ms"]?.integerValue)))
    #expect(made.header("Location") == "/leases/\(id)")
    #expect(try desk.call("GET", "/leases/\(id)").json()["expires_at"] == lease["expires_at"])

    let renewed = try desk.call("POST", "/leases/\(id)/renew", #"{"for":"2h"}"#).json()
    #expect(renewed["id"] == .string(id) && renewed["created_at"] == lease["created_at"])
    #expect((7_199_000...7_200_000).contains(try #require(renewed["expires_in_ms"]?.integerValue)))
    let again = try desk.call("POST", "/leases/\(id)/renew").json()
    #expect((7_199_000...7_200_000).contains(try #require(again["expires_in_ms"]?.integerValue)), "as long as before")

    #expect(try desk.call("DELETE", "/leases/\(id)").status == 204)
    for (method, rest) in [("GET", ""), ("DELETE", ""), ("POST", "/renew")] {
      #expect(try desk.refusal(method, "/leases/\(id)\(rest)") == "404 no lease has this id, or it has ended")
    }
    #expect(try desk.call("GET", "/leases").text == #"{"leases":[]}"#)
  }

  @Test(arguments: Way.allCases)
  func theyAreListedNewestFirst(_ way: Way) throws {
    let desk = try Desk(way)
    let first = try take(desk, #"{"profile":"3g"}"#)
    let second = try take(desk, "{profile: 'edge', /* JSON5 */}")
    let listed = try #require(try desk.call("GET", "/leases").json()["leases"]?.arrayValue)
    #expect(listed.map { $0["id"]?.stringValue } == [second, first])
    #expect(listed[0]["proxies"] == .null && listed[0]["by"] == "unnamed" && listed[0]["reason"] == .null)
    #expect(try desk.call("GET", "/metrics").text.contains("\nheadwind_leases 2\n"))
  }

  @Test(arguments: Way.allCases)
  func whatIsWrongIsNamedAndChangesNothing(_ way: Way) throws {
    let desk = try Desk(way)
    #expect(
      try desk.refusal("POST", "/leases", #"{"profile":"3g","proxies":["api"]}"#)
        == #"400 proxies[0] is "api"; allowed: the name of a proxy that there is, and there is none"#)
    try desk.makeProxy("api")
    for (body, says) in [
      ("", "400 request body: is empty"), ("{", "400 request body: "), ("{}", "400 request body: profile is missing"),
      (#"{"profile":"3gg"}"#, #"400 unknown profile "3gg"; did you mean "3g"?"#),
      (#"{"profile":"3g","proxies":["api","apo"]}"#, #"400 proxies[1] is "apo"; allowed: the name of a proxy"#),
      (#"{"profile":"3g","proxies":[]}"#, "400 request body: proxies is empty"),
      (#"{"profile":"3g","for":"25h"}"#, #"400 request body: for is "25h""#),
      (#"{"profile":"3g","by":"\u0000"}"#, "400 request body: by is "),
      (#"{"profile":"3g","owner":"me"}"#, "400 request body: owner is not a known key"),
    ] {
      #expect(try desk.refusal("POST", "/leases", body).hasPrefix(says), "\(body)")
    }
    #expect(try desk.call("GET", "/leases").text == #"{"leases":[]}"#)
    let id = try take(desk, #"{"profile":"3g"}"#)
    let before = try desk.call("GET", "/leases/\(id)").json()["expires_at"]
    let refusal = try desk.refusal("POST", "/leases/\(id)/renew", #"{"for":"x"}"#)
    #expect(refusal.hasPrefix(#"400 request body: for is "x""#))
    #expect(try desk.call("GET", "/leases/\(id)").json()["expires_at"] == before)
  }

  @Test func aThousandAreEnough() throws {
    let desk = try Desk()
    for _ in 0..<1_000 { _ = try take(desk, #"{"profile":"3g"}"#) }
    #expect(
      try desk.refusal("POST", "/leases", #"{"profile":"3g"}"#)
        == "429 too many: 1001 leases; allowed: at most 1000 (--max-leases sets it)")
  }

  @Test(arguments: Way.allCases)
  func theProfileInForceIsThatOfTheLease(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy("api")
    try desk.makeProxy("web")
    try desk.call("PUT", "/profile/lte")
    #expect(try desk.call("GET", "/profile").json()["lease"] == .null)
    let some = try take(desk, #"{"profile":"offline","proxies":["api"],"by":"suite-a"}"#)
    #expect(try desk.call("GET", "/profile").json()["name"] == "lte")
    #expect(try desk.call("GET", "/proxies/web/profile").json()["name"] == "none")
    let api = try desk.call("GET", "/proxies/api/profile").json()
    #expect(api["name"] == "offline" && api["reverts_at"] == api["lease"]?["expires_at"])
    #expect(
      api["lease"]?.objectValue?.members.map(\.key) == ["id", "by", "profile", "expires_at"]
        && api["lease"]?["id"] == .string(some) && api["lease"]?["by"] == "suite-a")

    let all = try take(desk, #"{"profile":"edge"}"#)
    for path in ["/profile", "/proxies/web/profile", "/proxies/api/profile"] {
      let shown = try desk.call("GET", path).json()
      #expect(shown["name"] == "edge" && shown["lease"]?["id"] == .string(all), "\(path)")
    }
    try desk.call("DELETE", "/leases/\(all)")
    #expect(try desk.call("GET", "/proxies/api/profile").json()["lease"]?["id"] == .string(some))
    #expect(try desk.call("GET", "/profile").json()["name"] == "lte")
  }

  @Test(arguments: Way.allCases)
  func aSwitchBelowALeaseIsMadeAndWarnedOf(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy("api")
    let id = try take(desk, #"{"profile":"offline","proxies":["api"],"by":"sü\"ite"}"#)
    #expect(try desk.call("PUT", "/profile/3g").header("Warning") == nil, "not covered")
    let until = try #require(desk.call("GET", "/leases/\(id)").json()["expires_at"]?.stringValue)
    let warning = "299 headwind \"lease \(id) covers this: offline stays in force until \(until), held by s?'ite\""
    for (method, target) in [
      ("PUT", "/proxies/api/profile/lte"), ("PUT", "/proxies/api/profile/edge?for=30s"),
      ("DELETE", "/proxies/api/profile"), ("PUT", "/proxies/api/profile/lte"),
    ] {
      let reply = try desk.call(method, target)
      #expect(reply.status == 200 && reply.header("Warning") == warning)
      #expect(try reply.json()["name"] == "offline", "what is in force")
    }
    try desk.call("DELETE", "/leases/\(id)")
    #expect(try desk.call("GET", "/proxies/api/profile").json()["name"] == "lte")
    #expect(try desk.call("PUT", "/proxies/api/profile/edge").header("Warning") == nil)
  }

  @Test(arguments: Way.allCases)
  func aLeasedProfileCanNotBeRemoved(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.call("PUT", "/profiles/mine", "{}")
    let id = try take(desk, #"{"profile":"mine","by":"suite-a"}"#)
    _ = try take(desk, #"{"profile":"3g"}"#)
    #expect(
      try desk.refusal("DELETE", "/profiles/mine").hasPrefix(
        #"409 profile "mine" is held by lease \#(id) of "suite-a" until "#))
    try desk.call("DELETE", "/leases/\(id)")
    #expect(try desk.call("DELETE", "/profiles/mine").status == 204)
  }

  @Test(arguments: Way.allCases)
  func oneEndsByItself(_ way: Way) throws {
    let desk = try Desk(way)
    let id = try take(desk, #"{"profile":"offline","for":"1ms"}"#)
    try desk.loop.runUntil { desk.registry.leaseCount == 0 }
    #expect(try desk.refusal("DELETE", "/leases/\(id)").hasPrefix("404 "))
    #expect(try desk.call("GET", "/profile").json()["name"] == "none")
  }
}
