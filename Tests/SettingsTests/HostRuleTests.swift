import Testing

@testable import Settings

@Suite struct HostRuleTests {
  @Test(arguments: [
    Row("*.example.com=edge", #"{"host":"*.example.com","use":"edge"}"#),
    Row("10.0.0.0/8=direct", #"{"host":"10.0.0.0/8","use":"direct"}"#),
    Row("[::1]:25=Deny", #"{"host":"[::1]:25","use":"deny"}"#), Row("*=NLC-3G", #"{"host":"*","use":"NLC-3G"}"#),
  ])
  func readsAndWrites(_ row: Row) throws {
    let rule = try HostRule(parsing: row.input)
    #expect(rule.json.text == row.expected)
    #expect(try HostRule(body: row.expected.utf8) == rule)
    #expect(try HostRule(parsing: rule.description) == rule)
    #expect(try HostRule.list(body: #"{"rules":[\#(row.expected),"\#(row.input)"]}"#.utf8) == [rule, rule])
  }

  @Test(arguments: [
    Row("", "no = between pattern and use"), Row("example.com", "no = between pattern and use"),
    Row("=edge", "no host"), Row("a=", #""" is no name of a profile"#), Row("a=b=c", #""b=c" is no name of a profile"#),
    Row("a b=edge", "a character that no host name has"), Row("a:0=edge", "the port is not a number from 1 to 65535"),
  ])
  func refuses(_ row: Row) {
    #expect(
      message { _ = try HostRule(parsing: row.input) }
        == "is \(JSON.string(row.input).text): \(row.expected); allowed: \(HostRule.allowed)")
  }

  @Test(arguments: [
    Row("", "is empty; allowed: JSON or JSON5"), Row("[]", "the top level is []; allowed: an object"),
    Row("{}", "rules is missing; allowed: an array of rules"),
    Row("{rules: 5}", "rules is 5; allowed: an array of rules"),
    Row("{rule: []}", #"rule is not a known key; did you mean "rules"? known: rules"#),
    Row("{rules: [5]}", "rules[0] is 5; allowed: an object, or a string \(HostRule.allowed)"),
    Row("{rules: [null]}", "rules[0] is null; allowed: an object, or a string \(HostRule.allowed)"),
    Row("{rules: ['a=deny', 'b']}", "rules[1] is \"b\": no = between pattern and use; allowed: \(HostRule.allowed)"),
    Row("{rules: [{}]}", "rules[0].host is missing; allowed: \(HostPattern.allowed)"),
    Row(
      "{rules: [{host: 'a'}]}",
      #"rules[0].use is missing; allowed: the name of a profile, "direct" or "deny""#),
    Row(
      "{rules: [{host: 'a', use: '3 g'}]}",
      #"rules[0].use is "3 g"; allowed: the name of a profile, "direct" or "deny""#),
    Row("{rules: [{host: 7, use: '3g'}]}", "rules[0].host is 7; allowed: a string"),
    Row(
      "{rules: [{host: 'a..b', use: '3g'}]}",
      "rules[0].host is \"a..b\": an empty part between dots; allowed: \(HostPattern.allowed)"),
    Row("{rules: [{host: 'a', use: '3g', at: 1}]}", "rules[0].at is not a known key; known: host, use"),
    Row(
      "{rules: [" + String(repeating: "'a=deny',", count: 10_001) + "]}",
      "rules has 10001 elements; allowed: at most 10000"),
  ])
  func refusesLists(_ row: Row) {
    #expect(message { _ = try HostRule.list(body: row.input.utf8) } == "request body: \(row.expected)")
  }

  @Test func theFirstThatMatchesCounts() throws {
    var settings = ForwardSettings()
    settings.rules = try ["api.example.com=deny", "*.example.com=edge", "*=direct"].map { try HostRule(parsing: $0) }
    #expect(settings.rule(host: "API.example.com", port: 1)?.use == .deny)
    #expect(settings.rule(host: "www.example.com", port: 1)?.use == .profile("edge"))
    #expect(settings.rule(host: "example.com", port: 1)?.use == .direct)
    settings.rules.removeLast()
    #expect(settings.rule(host: "example.com", port: 1) == nil)
  }

  /// What is found by name is what a look at each rule in turn would find.
  @Test func theFirstThatMatchesCountsAmongMany() throws {
    let patterns = [
      "a", "b.a", "b.a.", "*.a", "*.b.a", "*a", "a*", "*", "*.*", "a.*", "*.a*", "**.a", "10.0.0.0/8", "10.0.0.1",
      "::/0", "a:1", "*.a:1", "*:1", "b.a:2", "*.b.a:2", "10.0.0.1:2",
    ]
    let hosts = ["a", "A.", "b.a", "c.b.a", "ba", "x.y", "a.b", "10.0.0.1", "10.0.0.2", "::1"]
    var state: UInt64 = 4_711
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    var found: Set<Int> = []
    for _ in 0..<500 {
      var settings = ForwardSettings()
      settings.rules = try (0..<5).map { try HostRule(parsing: "\(patterns[next(patterns.count)])=rule-\($0)") }
      for host in hosts {
        let port = UInt16(1 + next(2))
        let place = settings.rules.firstIndex { $0.host.matches(host: host, port: port) }
        found.insert(place ?? -1)
        guard settings.rule(host: host, port: port) != place.map({ settings.rules[$0] }) else { continue }
        Issue.record("\(host):\(port) of \(settings.rules)")
      }
    }
    #expect(found == Set(-1...4), "every place and none has been the answer")
  }

  @Test func clientsAreAllowedByNetwork() throws {
    var settings = ForwardSettings()
    #expect(!settings.allows(client: "10.0.0.1"))
    settings.allowedClients = try ["10.0.0.0/8", "fd00::/8"].map { try IPNetwork(parsing: $0) }
    for (client, wanted) in [
      ("10.0.0.1", true), ("::ffff:10.0.0.1", true), ("fd00::1", true), ("11.0.0.1", false), ("::1", false),
      ("x", false),
    ] { #expect(settings.allows(client: client) == wanted, "\(client)") }
  }
}
