import Settings
import Testing

@testable import headwind

/// What `assert` says of what it found.
struct FindingTests {
  private func expectation(_ words: String...) throws -> TrafficExpectation {
    try TrafficExpectation(try Arguments(words, for: .assert))
  }

  private func finding(_ proxies: String, of proxy: String? = nil) throws -> Finding {
    let text = #"{"since":"S","event":3,"proxies":{\#(proxies)}}"#
    return Finding(try JSONReader.read(text.utf8, dialect: .lenient), proxy: proxy)
  }

  private func count(
    _ name: String, _ connections: Int, open: Int = 0, up: Int = 0, down: Int = 0, drops: Int = 0, failures: Int = 0
  ) -> String {
    """
    "\(name)":{"connections":\(connections),"open":\(open),"upstream_bytes":\(up),"downstream_bytes":\(down),\
    "drops":\(drops),"dial_failures":\(failures)}
    """
  }

  @Test func boundsAreIncluded() throws {
    let found = try finding(count("web", 2, up: 10, down: 20, drops: 1) + "," + count("db", 1, up: 5))
    let right = [
      ["--min-connections", "3", "--max-connections", "3"], ["--min-bytes", "35", "--max-bytes", "35"],
      ["--min-drops", "1", "--max-drops", "1", "--min-bytes", "0"],
    ]
    for words in right {
      #expect(found.complaint(try TrafficExpectation(try Arguments(words, for: .assert))) == nil, "\(words)")
    }
    let wrong = [
      (["--min-connections", "4"], "all proxies since S: 3 connections, expected at least 4"),
      (["--max-connections", "2"], "all proxies since S: 3 connections, expected at most 2"),
      (
        ["--min-bytes", "36", "--max-drops", "0"],
        "all proxies since S: 35 bytes, expected at least 36; 1 drop, expected at most 0"
      ),
    ]
    for (words, says) in wrong {
      #expect(found.complaint(try TrafficExpectation(try Arguments(words, for: .assert))) == says)
    }
    #expect(found.text == "all proxies: 3 connections, 35 bytes, 1 drop since S")
    #expect(try finding(count("web", 2, up: 10) + "," + count("db", 1), of: "web").found(.connections) == 2)
  }

  @Test func theLikelyCauseIsTold() throws {
    let one = try expectation("--min-connections", "1")
    func complaint(_ proxies: String, of proxy: String? = "api") throws -> String {
      try #require(try finding(proxies, of: proxy).complaint(one))
    }
    let nothing = "proxy api since S: 0 connections, expected at least 1"
    #expect(
      try complaint(count("api", 0) + "," + count("db", 0))
        == nothing + "; no proxy had any traffic: the client doesn't go through headwind")
    #expect(
      try complaint(count("api", 0) + "," + count("db", 1) + "," + count("web", 3) + "," + count("idle", 0))
        == nothing + "; other proxies had traffic: db (1 connection), web (3 connections)")
    #expect(
      try complaint(count("api", 0, open: 2))
        == nothing + "; connections opened before that are still open (2) and don't count")
    #expect(
      try finding(count("api", 1, failures: 1), of: "api").complaint(try expectation("--min-bytes", "1"))
        == "proxy api since S: 0 bytes, expected at least 1; the upstream was not reached once")
  }

  @Test func aProxyThatIsNotThereIsNoZero() throws {
    let none = try expectation("--max-connections", "0")
    let found = try finding(count("api", 0) + "," + count("web", 0), of: "ap")
    #expect(found.complaint(none) == #"no proxy "ap"; did you mean "api"?"#)
    #expect(try finding(count("api", 0), of: "x\ny").complaint(none) == #"no proxy "x\ny"; there are: api"#)
    #expect(try finding("", of: "x").complaint(none) == #"no proxy "x"; there are: none"#)
  }

  @Test func jsonTellsFoundAndExpected() throws {
    let found = try finding(count("web", 2, up: 10, down: 20, drops: 1), of: "web")
    let bounds = try expectation("--min-connections", "1", "--max-drops", "0")
    #expect(
      found.json(bounds, found.complaint(bounds)).text
        == #"{"ok":false,"proxy":"web","since":"S","found":{"connections":2,"bytes":30,"drops":1},"#
        + #""expected":{"min_connections":1,"max_drops":0},"#
        + #""reason":"proxy web since S: 1 drop, expected at most 0"}"#)
    let one = try expectation("--min-bytes", "18446744073709551615")
    #expect(found.json(one, nil).text.hasSuffix(#""expected":{"min_bytes":18446744073709551615}}"#))
  }

  static let mistakes: [(words: [String], says: String)] = [
    ([], "nothing to check; give --min-connections 1 or another bound"),
    (["--proxy", "web"], "nothing to check"), (["--min-connections", "x"], #"--min-connections is "x"; allowed: "#),
    (["--min-bytes", "-1"], #"--min-bytes is "-1""#),
    (["--min-drops", "3", "--max-drops", "2"], "--min-drops is 3, above --max-drops, which is 2"),
  ]

  @Test(arguments: mistakes)
  func aBoundThatMakesNoSenseIsAUsageError(words: [String], says: String) throws {
    let error = #expect(throws: CommandError.self) {
      _ = try TrafficExpectation(try Arguments(words, for: .assert))
    }
    #expect(error?.exitCode == 64 && error?.message.hasPrefix(says) == true, "\(String(describing: error))")
  }
}
