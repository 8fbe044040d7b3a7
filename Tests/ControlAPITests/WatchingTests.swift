import LoopTesting
import Settings
import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Reactor

/// `GET /events` with its filters, and `GET /traffic`.
@Suite struct WatchingTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  private func events(_ query: String) throws -> [Int64] {
    let answer = try desk.call("GET", "/events\(query)").json()
    #expect(answer["newest"]?.integerValue == Int64(desk.registry.events.newest))
    return (answer["events"]?.arrayValue ?? []).compactMap { $0["id"]?.integerValue }
  }

  @Test func eventsAreFiltered() throws {
    try desk.makeProxy("web")
    try desk.makeProxy("a,b c")
    try desk.call("PUT", "/profile/3g")
    try desk.call("DELETE", "/proxies/web")
    #expect(try events("") == [1, 2, 3, 4])
    #expect(try events("?type=proxy_created") == [1, 2])
    #expect(try events("?type=proxy_deleted,profile_switched") == [3, 4])
    #expect(try events("?type=dropped") == [])
    #expect(try events("?proxy=web") == [1, 4])
    #expect(try events("?proxy=a%2Cb%20c") == [2])
    #expect(try events("?proxy=nobody") == [])
    #expect(try events("?limit=2") == [3, 4])
    #expect(try events("?limit=1&type=proxy_created") == [2])
    #expect(try events("?limit=10000&since=1&proxy=web") == [4])
  }

  @Test func eventsAreListedFromATimeOn() throws {
    try desk.makeProxy("web")
    desk.loop.run(forMilliseconds: 5)
    let now = WallTime.now
    desk.loop.run(forMilliseconds: 5)
    try desk.call("DELETE", "/proxies/web")
    let fraction = String(now.nanoseconds % 1_000_000_000 + 1_000_000_000).dropFirst()
    #expect(try events("?since=\(now)") == [2])
    #expect(try events("?since=@\(now.nanoseconds / 1_000_000_000).\(fraction)") == [2])
    #expect(try events("?since=24h") == [1, 2] && events("?since=1970-01-01T00:00:00Z") == [1, 2])
    #expect(try events("?since=2200-01-01T00:00:00%2B01:00") == [])
  }

  static let refusals = [
    ("since=", #"since is """#), ("since=soon", #"since is "soon"; allowed: \#(Moment.allowed)"#),
    ("type=", #"type is ""; allowed: session_opened, "#), ("type=dropped,", #"type is ""; allowed: "#),
    ("type=session_open", #"type is "session_open"; did you mean "session_opened"?"#),
    ("type=xyzzy", #"type is "xyzzy"; allowed: session_opened, session_closed, decision, "#),
    ("proxy=", "proxy is empty; allowed: the name of a proxy"),
    ("limit=0", #"limit is "0"; allowed: a whole number from 1 to 10000"#), ("limit=x", #"limit is "x"; allowed: "#),
    ("limit=10001", #"limit is "10001"; "#), ("limt=1", #"unknown query parameter "limt"; allowed: since, type"#),
  ]

  @Test(arguments: refusals)
  func aBadQueryIsRefused(query: String, says: String) throws {
    let refusal = try desk.refusal("GET", "/events?\(query)")
    #expect(refusal.hasPrefix("400 \(says)"), "\(refusal)")
  }

  // MARK: Traffic

  @Test func trafficIsToldOfEachProxy() throws {
    #expect(try desk.call("GET", "/traffic").json()["proxies"] == [:])
    try desk.makeProxy("web")
    let traffic = try desk.call("GET", "/traffic").json()
    #expect(traffic["event"] == 0)
    #expect(traffic["since"]?.stringValue == "\(desk.registry.events.beganAt)")
    let nothing: JSON = [
      "connections": 0, "open": 0, "upstream_bytes": 0, "downstream_bytes": 0, "drops": 0, "dial_failures": 0,
      "refused": 0,
    ]
    #expect(traffic["proxies"] == ["web": nothing])
    #expect(try desk.call("GET", "/traffic?since=1").json()["proxies"] == ["web": nothing])
    #expect(try desk.call("GET", "/traffic?since=1").json()["event"] == 1)
    #expect(try desk.call("GET", "/traffic?since=24h").json()["event"] == 0)
  }

  @Test func aMomentThatCantBeCountedFromIsRefused() throws {
    #expect(try desk.refusal("GET", "/traffic?since=x").hasPrefix(#"400 since is "x"; allowed: "#))
    #expect(try desk.refusal("GET", "/traffic?proxy=web").hasPrefix("400 unknown query parameter"))
    #expect(
      try desk.refusal("GET", "/traffic?since=7").hasPrefix(
        #"400 since is "7", which is still to come (the newest event is 0)"#))
    #expect(try desk.refusal("GET", "/traffic?since=2200-01-01T00:00:00Z").hasPrefix("400 since is "))
    for _ in 0..<desk.registry.events.capacity + 5 { desk.registry.note("reset", []) }
    #expect(
      try desk.refusal("GET", "/traffic?since=4").hasPrefix(
        #"410 since is "4", but the events that are kept reach back to "#))
    #expect(try desk.call("GET", "/traffic?since=5").status == 200)
  }
}
