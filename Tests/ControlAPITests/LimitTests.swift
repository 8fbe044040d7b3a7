import LoopTesting
import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Reactor
@testable import Settings

/// One below a limit, at it, and below it again.
@Suite struct LimitTests {
  private typealias Call = (method: String, target: String, body: String)

  /// Of each limit that calls can meet: what makes the first, the second and the third thing, and what takes the first away.
  struct Case: CustomTestStringConvertible, Sendable {
    let limit: Limit
    var value = 2
    /// What there has to be before.
    var before: [[String]] = []
    let make: [[String]]
    let takeAway: [String]
    let says: String

    var testDescription: String { limit.rawValue }
  }

  private static func proxy(_ name: String, _ toxics: String = "") -> [String] {
    ["POST", "/proxies", #"{"name":"\#(name)","listen":"127.0.0.1:0","upstream":"h:1","toxics":[\#(toxics)]}"#]
  }

  private static func toxic(_ name: String, of proxy: String = "p") -> [String] {
    ["POST", "/proxies/\(proxy)/toxics", #"{"name":"\#(name)","type":"noop"}"#]
  }

  static let cases: [Case] = [
    Case(
      limit: .proxies, make: ["a", "b", "c"].map { proxy($0) }, takeAway: ["DELETE", "/proxies/a"],
      says: "too many: 3 proxies; allowed: at most 2 (--max-proxies sets it)"),
    Case(
      limit: .proxies, make: ["a", "b", "c"].map { ["POST", "/populate", "[\(proxy($0)[2])]"] },
      takeAway: ["DELETE", "/proxies/a"], says: "too many: 3 proxies; allowed: at most 2 (--max-proxies sets it)"),
    Case(
      limit: .toxicsPerProxy, before: [proxy("p")], make: ["a", "b", "c"].map { toxic($0) },
      takeAway: ["DELETE", "/proxies/p/toxics/a"],
      says: "too many: 3 toxics of proxy \"p\"; allowed: at most 2 (--max-toxics-per-proxy sets it)"),
    Case(
      limit: .toxics, before: [proxy("p"), proxy("q")], make: [toxic("a"), toxic("b", of: "q"), toxic("c", of: "q")],
      takeAway: ["POST", "/reset"], says: "too many: 3 toxics; allowed: at most 2 (--max-toxics sets it)"),
    Case(
      limit: .toxics, make: ["a", "b", "c"].map { proxy($0, #"{"type":"noop"}"#) }, takeAway: ["DELETE", "/proxies/a"],
      says: "too many: 3 toxics; allowed: at most 2 (--max-toxics sets it)"),
    Case(
      limit: .profiles, make: ["a", "b", "c"].map { ["PUT", "/profiles/mine-\($0)", "{}"] },
      takeAway: ["DELETE", "/profiles/mine-a"],
      says: "too many: 3 profiles defined by calls; allowed: at most 2 (--max-profiles sets it)"),
    Case(
      limit: .rules, make: ["a", "b", "c"].map { ["POST", "/rules", "\"\($0)=deny\""] },
      takeAway: ["DELETE", "/rules"],
      says: "too many: 3 rules; allowed: at most 2 (--max-rules sets it)"),
    Case(
      limit: .leases, make: Array(repeating: ["POST", "/leases", #"{"profile":"3g"}"#], count: 3), takeAway: [],
      says: "too many: 3 leases; allowed: at most 2 (--max-leases sets it)"),
  ]

  @Test(arguments: cases)
  func atTheLimitACallIsRefusedAndChangesNothing(_ test: Case) throws {
    var limits = Limits()
    limits[test.limit] = test.value
    let desk = try Desk(limits: limits)
    func call(_ words: [String]) throws -> Reply {
      try desk.call(words[0], words[1], words.count > 2 ? words[2] : "")
    }
    for words in test.before { #expect(try call(words).status < 300) }
    for words in test.make[..<2] { #expect(try call(words).status < 300) }
    #expect(desk.registry.used(of: test.limit) == 2 && desk.registry.timesReached(test.limit) == 0)
    // Twice, because it is told once.
    for _ in 0..<2 {
      let refused = try call(test.make[2])
      #expect(try refused.status == 429 && refused.json()["error"] == .string(test.says), "\(refused.text)")
    }
    #expect(desk.registry.used(of: test.limit) == 2 && desk.registry.timesReached(test.limit) == 2)
    let told = desk.registry.events.events(since: 0).filter { $0.type == "limit_reached" }
    #expect(told.count == 1)
    #expect(told.first?.details.map(\.1) == [.string(test.limit.rawValue), 2, .string(test.limit.flag)])
    if test.takeAway.isEmpty {
      let id = try #require(desk.registry.liveLeases.first?.id)
      #expect(try desk.call("DELETE", "/leases/\(id)").status == 204)
    } else {
      #expect(try call(test.takeAway).status < 300)
    }
    #expect(try call(test.make[2]).status < 300)
  }

  /// What is there already may be sent again, whatever the limit.
  @Test func populatingWhatIsThereIsNoneTooMany() throws {
    var limits = Limits()
    limits.proxies = 2
    limits.toxics = 2
    let desk = try Desk(limits: limits)
    let body = "[\(Self.proxy("a", #"{"type":"noop"}"#)[2]),\(Self.proxy("b", #"{"type":"noop"}"#)[2])]"
    for _ in 0..<2 { #expect(try desk.call("POST", "/populate", body).status == 201) }
    let more = "[\(Self.proxy("a")[2]),\(Self.proxy("c")[2])]"
    #expect(try desk.refusal("POST", "/populate", more).hasPrefix("429 too many: 3 proxies;"))
    #expect(try desk.call("GET", "/proxies").json().objectValue?.members.count == 2)
  }

  /// Replacing is no adding.
  @Test func aDefinedProfileCanBeDefinedAgainAtTheLimit() throws {
    var limits = Limits()
    limits.profiles = 1
    let desk = try Desk(limits: limits)
    #expect(try desk.call("PUT", "/profiles/mine", "{}").status == 201)
    #expect(try desk.call("PUT", "/profiles/mine", "{}").status == 200)
    #expect(try desk.refusal("PUT", "/profiles/3g", "{}").hasPrefix("429 too many: 2 profiles"))
  }

  @Test(arguments: [
    ["POST", "/proxies", #"{"name":"NAME","upstream":"h:1"}"#],
    ["POST", "/proxies", #"{"name":"n","upstream":"NAME"}"#],
    ["POST", "/populate", #"[{"name":"NAME","upstream":"h:1"}]"#],
    ["POST", "/proxies/web/toxics", #"{"name":"NAME","type":"noop"}"#],
    ["POST", "/proxies/web", #"{"upstream":"NAME"}"#],
    ["POST", "/proxies", #"{"name":"n","upstream":"h:1","toxics":[{"name":"NAME","type":"noop"}]}"#],
  ])
  func namesAreBounded(_ words: [String]) throws {
    var limits = Limits()
    limits.nameBytes = 16
    let desk = try Desk(limits: limits)
    try desk.makeProxy("web", upstream: "a:1")
    let events = desk.registry.events.newest
    func body(_ bytes: Int) -> String {
      // Of an upstream, too: a host and a port.
      let name = words[2].contains(#""upstream":"NAME""#) ? String(repeating: "h", count: bytes - 2) + ":1" : ""
      let text = name.isEmpty ? String(repeating: "é", count: bytes / 2) + (bytes % 2 == 0 ? "" : "e") : name
      return words[2].split(separator: "NAME", omittingEmptySubsequences: false).joined(separator: text)
    }
    let refused = try desk.refusal(words[0], words[1], body(17))
    #expect(
      refused.hasPrefix("400 ") && refused.hasSuffix("has 17 bytes; allowed: at most 16 (--max-name-bytes sets it)"))
    #expect(desk.registry.events.newest == events + 1)
    #expect(try desk.call(words[0], words[1], body(16)).status < 300)
  }

  @Test func streamsOfEventsAreBounded() throws {
    var limits = Limits()
    limits.eventStreams = 1
    let desk = try Desk(.live, limits: limits)
    let stream = [("Accept", "text/event-stream")]
    var heads = 0
    func open() -> HTTPExchange {
      var request = HTTPClientRequest(host: "127.0.0.1", port: desk.port)
      request.target = "/events"
      request.headers.append("Accept", "text/event-stream")
      let exchange = HTTPExchange(loop: desk.loop, request: request) { _ in }
      exchange.onChunk = { _ in heads += 1 }
      return exchange
    }
    var streams = [open()]
    try desk.loop.runUntil { heads == 1 }
    #expect(
      try desk.refusal("GET", "/events", headers: stream)
        == "503 too many event streams; allowed: 1 at once (--max-event-streams sets it)")
    #expect(desk.registry.timesReached(.eventStreams) == 1)
    streams.removeAll()
    try desk.loop.runUntil { desk.api.eventFeed?.readerCount == 0 }
    streams.append(open())
    try desk.loop.runUntil { heads == 2 }
    #expect(streams.count == 1)
  }

  // MARK: Showing

  @Test(arguments: Way.allCases) func everyLimitIsShownOnce(_ way: Way) throws {
    var limits = Limits()
    limits.proxies = 3
    let desk = try Desk(way, limits: limits)
    try desk.makeProxy()
    let shown = try desk.call("GET", "/limits").json()["limits"]?.arrayValue ?? []
    #expect(shown.compactMap { $0["name"]?.stringValue } == Limit.allCases.map(\.rawValue))
    let proxies = try #require(shown.first { $0["name"] == "proxies" })
    #expect(proxies["value"] == 3 && proxies["used"] == 1 && proxies["reached"] == 0)
    #expect(proxies["flag"] == "--max-proxies" && proxies["unit"] == "count")
    let names = try #require(shown.first { $0["name"] == "name_bytes" })
    #expect(names["used"] == .null && names["value"] == 1_024)
  }

  @Test func metricsTellAllOfThem() throws {
    let desk = try Desk(.live)
    let text = try desk.call("GET", "/metrics").text
    for limit in Limit.allCases {
      #expect(text.contains("headwind_limit{limit=\"\(limit.rawValue)\"} \(desk.registry.value(of: limit))\n"))
      #expect(text.contains("headwind_limit_reached_total{limit=\"\(limit.rawValue)\"} 0\n"))
    }
    #expect(text.contains("headwind_limit_used{limit=\"control_connections\"} 1\n"))
    #expect(!text.contains("headwind_limit_used{limit=\"name_bytes\"}"))
  }
}
