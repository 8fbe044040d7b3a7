import Foundation
import Reactor
import Settings
import Testing

@testable import headwind

/// The pure parts of `run`.
struct RunTextTests {
  static let words: [(String, String)] = [
    ("plain", "plain"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#),
    ("--proxy=a=b:1,c:2", "--proxy=a=b:1,c:2"),
    ("$HOME", "'$HOME'"), ("é", "'é'"), ("a\nb", "'a\nb'"), ("*", "'*'"), ("~", "'~'"),
  ]

  @Test(arguments: words)
  func wordsAreQuotedForAShell(word: String, quoted: String) {
    #expect(ShellText.word(word) == quoted)
  }

  @Test(arguments: [
    (0.4, "0.000 s"), (12.4, "0.012 s"), (999.7, "1.000 s"), (1_234.0, "1.23 s"), (61_000.0, "61.00 s"),
  ])
  func timesHaveThreeDigitsThatCount(milliseconds: Double, text: String) {
    #expect(RunText.seconds(milliseconds) == text)
  }

  @Test(arguments: [
    ("api", "HEADWIND_PROXY_API"), ("my-api.2", "HEADWIND_PROXY_MY_API_2"), ("Größe", "HEADWIND_PROXY_GR__E"),
    ("٣", "HEADWIND_PROXY__"),
  ])
  func aProxyHasAVariable(name: String, variable: String) {
    #expect(RunEnvironment.variable(for: name) == variable)
  }

  @Test(arguments: [
    ("http://me:secret@proxy:3128", "http://***@proxy:3128"), ("me:secret@proxy:3128", "***@proxy:3128"),
    ("http://me:s@c@proxy", "http://***@proxy"), ("http://proxy:3128", "http://proxy:3128"), ("env", "env"),
  ])
  func theNextProxyIsToldWithoutItsPassword(via: String, text: String) {
    #expect(RunPlan.withoutPassword(via) == text)
  }

  @Test func xmlHoldsOnlyWhatItMay() {
    #expect(
      JUnitReport.escaped("a<b>&\"\t\u{0}\u{1B}\u{FFFF}😀") == "a&lt;b&gt;&amp;&quot;&#9;\u{FFFD}\u{FFFD}\u{FFFD}😀")
  }

  // MARK: Quantiles

  @Test func quantilesAreByNearestRank() {
    func summary(_ milliseconds: [Int64]) -> RunSummary {
      RunSummary(
        profile: nil,
        runs: milliseconds.map { time in
          var result = RunResult(spec: RunSpec(profile: nil, index: 1, seed: nil))
          result.ending = .exited(0)
          result.durationNanoseconds = time * 1_000_000
          return result
        })
    }
    #expect(summary([]).durationMilliseconds(quantile: 0.5) == nil)
    #expect(summary([7]).durationMilliseconds(quantile: 0.95) == 7)
    #expect(summary([4, 1, 3, 2]).durationMilliseconds(quantile: 0.5) == 2)
    #expect(summary(Array(1...20)).durationMilliseconds(quantile: 0.95) == 19)
    #expect(summary(Array(1...21)).durationMilliseconds(quantile: 0.95) == 20)
  }

  // MARK: Tally

  private func events(_ list: JSON...) -> JSON { .object([("events", .array(list))]) }
  private func counters(_ sessions: Int64, _ up: Int64, drops: Int64 = 0) -> JSON {
    [
      "sessions": .integer(sessions), "drops": .integer(drops),
      "upstream": ["received_bytes": .integer(up), "sent_bytes": .integer(up)], "downstream": [:],
    ]
  }

  @Test func aGapInTheEventsIsCounted() {
    var tally = RunTally(events: events(["id": 7]), counters: [:])
    tally.take(events: events(["id": 7], ["id": 8], ["id": 12]))
    #expect(tally.newestEvent == 12 && tally.eventsLost == 3)
    tally.take(events: events(["id": 13]))
    #expect(tally.eventsLost == 3)
  }

  @Test func whatWasBeforeDoesntCount() {
    var tally = RunTally(events: events(), counters: ["p": counters(5, 100, drops: 2)])
    #expect(tally.traffic.isNothing)
    tally.take(counters: counters(6, 130, drops: 3), of: "p")
    #expect(tally.traffic.connections == 1 && tally.traffic.upstreamBytes == 30 && tally.traffic.drops == 1)
  }

  @Test func eventsKeepWhatCountersLose() {
    var tally = RunTally(events: events(), counters: [:])
    tally.take(counters: counters(2, 50), of: "p")
    tally.take(
      events: events(
        ["id": 1, "type": "session_opened", "proxy": "p"], ["id": 2, "type": "session_opened", "proxy": "p"],
        ["id": 3, "type": "session_opened", "proxy": "p"],
        ["id": 4, "type": "session_closed", "proxy": "p", "upstream_bytes": 80, "downstream_bytes": 1]))
    // Deleted and made again: it counts from 0.
    tally.take(counters: counters(1, 10), of: "p")
    #expect(tally.traffic.connections == 3 && tally.traffic.upstreamBytes == 80 && tally.traffic.downstreamBytes == 1)
  }

  @Test func countersThatBeginAnewTakeNothingBack() {
    var tally = RunTally(events: events(), counters: [:])
    tally.take(counters: counters(5, 100), of: "p")
    tally.take(counters: counters(1, 10), of: "p")
    #expect(tally.traffic.connections == 5 && tally.traffic.upstreamBytes == 100)
  }

  @Test func decisionsComeBeforeTheDropsThatTheyTellOfToo() {
    var tally = RunTally(events: events(), counters: [:])
    tally.take(events: events(["id": 1, "type": "dropped", "proxy": "p", "toxic": "t", "how": "close", "exchange": 4]))
    let drop = RunDecision(
      proxy: "p", session: nil, stream: nil, exchange: 4, toxic: "t", outcome: "dropped", how: "close")
    #expect(tally.decisions == [drop])
    tally.take(
      events: events([
        "id": 2, "type": "decision", "proxy": "p", "toxic": "t", "outcome": "passed", "number": 3,
        "stream": "upstream",
      ]))
    let passed = RunDecision(
      proxy: "p", session: 3, stream: "upstream", exchange: nil, toxic: "t", outcome: "passed", how: nil)
    #expect(tally.decisions == [passed] && tally.traffic.drops == 1)
  }

  // MARK: Environment

  @Test func namesThatWouldBeOneVariableAreRefused() {
    let proxies: JSON = ["a.b": ["listen": "127.0.0.1:1"], "A_B": ["listen": "127.0.0.1:2"]]
    let error = #expect(throws: CommandError.self) {
      _ = try RunEnvironment(proxies: proxies, url: "http://127.0.0.1:1", profile: "none", seed: nil)
    }
    #expect(error?.message.contains("HEADWIND_PROXY_A_B") == true)
  }

  @Test func oneForwardProxyAloneIsUsedForAll() throws {
    func values(_ mode: JSON) throws -> RunEnvironment {
      let proxies: JSON = ["f": ["listen": "127.0.0.1:9", "mode": mode]]
      return try RunEnvironment(proxies: proxies, url: "http://127.0.0.1:1", profile: "none", seed: 3)
    }
    let http = try values("http").child
    #expect(http.values["ALL_PROXY"] == "http://127.0.0.1:9" && http.values["http_proxy"] == "http://127.0.0.1:9")
    let socks = try values("socks").child
    #expect(socks.values["all_proxy"] == "socks5h://127.0.0.1:9" && socks.values["HTTP_PROXY"] == nil)
    #expect(socks.removed.isSuperset(of: ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"]))
    let none = try values("tcp").child
    #expect(none.values["HTTP_PROXY"] == nil && !none.removed.contains("HTTP_PROXY"))
    #expect(none.values["NO_PROXY"]?.contains("127.0.0.1:9") == true)
  }

  /// At its own address of loopback nothing else is to be expected; at the usual ones there may be any server.
  @Test(arguments: [
    ("127.0.0.2:5", "127.0.0.2,127.0.0.2:5"), ("127.0.0.1:5", "127.0.0.1:5"), ("[::1]:5", "[::1]:5"),
    ("localhost:5", "localhost:5"), ("192.0.2.1:5", "192.0.2.1:5"),
  ])
  func whatIsReachedPastTheForwardProxies(control: String, exempt: String) throws {
    let proxies: JSON = ["f": ["listen": "127.0.0.1:9", "mode": "http"]]
    let child = try RunEnvironment(proxies: proxies, url: "http://\(control)", profile: "none", seed: nil).child
    let before = ["NO_PROXY", "no_proxy"].compactMap { ProcessInfo.processInfo.environment[$0] }
    if before.isEmpty { #expect(child.values["NO_PROXY"] == exempt) }
    #expect(child.values["no_proxy"]?.hasSuffix(exempt) == true, "\(child.values)")
  }
}
