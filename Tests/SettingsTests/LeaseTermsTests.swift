import Testing

@testable import Settings

@Suite struct LeaseTermsTests {
  private func read(_ text: String) throws -> LeaseTerms { try LeaseTerms(text: text.bytes, source: "body") }

  @Test func everythingIsRead() throws {
    let terms = try read(
      #"{profile: "offline", "proxies": ["api", "a b/ü"], "for": "1h30m", by: "suite-a", reason: "outage — test",}"#)
    #expect(
      terms
        == LeaseTerms(
          profile: "offline", proxies: ["api", "a b/ü"], length: .seconds(5400), holder: "suite-a",
          reason: "outage — test"))
  }

  @Test(arguments: [
    #"{"profile":"3g"}"#, #"{"profile":"3g","proxies":null,"for":null,"by":null,"reason":null}"#,
  ]) func whatIsLeftOutHasItsDefault(text: String) throws {
    let terms = try read(text)
    #expect(terms == LeaseTerms(profile: "3g"))
    #expect(terms.proxies == nil && terms.length == .seconds(60) && terms.holder == "unnamed" && terms.reason == nil)
  }

  @Test(arguments: [
    Row("", "body: is empty; allowed: JSON or JSON5"),
    Row("null", "body: profile is missing; allowed: the name of a profile"),
    Row("[]", "body: the top level is []; allowed: an object"),
    Row(#"{"profile":7}"#, "body: profile is 7; allowed: a string"),
    Row(#"{"profile":"a b"}"#, #"body: profile is "a b"; allowed: the name of a profile"#),
    Row(
      #"{"profile":"3g","fro":"1s"}"#,
      #"body: fro is not a known key; did you mean "for"? known: profile, proxies, for, by, reason"#),
    Row(
      #"{"profile":"3g","proxies":[]}"#,
      "body: proxies is empty; allowed: the names of proxies, or nothing at all for every proxy"),
    Row(#"{"profile":"3g","proxies":"api"}"#, #"body: proxies is "api"; allowed: an array of strings"#),
    Row(#"{"profile":"3g","proxies":["a",1]}"#, "body: proxies[1] is 1; allowed: a string"),
    Row(
      #"{"profile":"3g","proxies":["a","b","a"]}"#,
      #"body: proxies[2] is "a"; allowed: a name that no other element has"#),
    Row(
      #"{"profile":"3g","for":"0.9ms"}"#,
      #"body: for is "0.9ms"; allowed: a time from 1ms to 24h, in ms, s, m or h, such as 30s or 1.5m"#),
    Row(
      #"{"profile":"3g","for":"24h1ms"}"#,
      #"body: for is "24h1ms"; allowed: a time from 1ms to 24h, in ms, s, m or h, such as 30s or 1.5m"#),
    Row(#"{"profile":"3g","for":60}"#, "body: for is 60; allowed: a string"),
    Row(
      #"{"profile":"3g","by":""}"#, #"body: by is ""; allowed: 1 to 200 characters, none of them a control character"#),
    Row(
      #"{"profile":"3g","by":"a\nb"}"#,
      #"body: by is "a\nb"; allowed: 1 to 200 characters, none of them a control character"#),
    Row(
      #"{"profile":"3g","reason":"\u2028"}"#,
      #"body: reason is "\u2028"; allowed: 1 to 1000 characters, none of them a control character"#),
  ]) func whatIsWrongIsNamed(row: Row) {
    #expect(message { _ = try read(row.input) } == row.expected)
  }

  @Test func textsAreBounded() throws {
    for (key, limit) in [("by", 200), ("reason", 1_000)] {
      func text(_ count: Int) -> String {
        #"{"profile":"3g","\#(key)":"\#(String(repeating: "é", count: count))"}"#
      }
      _ = try read(text(limit))
      #expect(message { _ = try read(text(limit + 1)) }.contains("allowed: 1 to \(limit) characters"))
    }
    let names = (0...LeaseTerms.maximumProxies).map { "\"p\($0)\"" }
    _ = try read(#"{"profile":"3g","proxies":[\#(names.dropLast().joined(separator: ","))]}"#)
    #expect(
      message { _ = try read(#"{"profile":"3g","proxies":[\#(names.joined(separator: ","))]}"#) }
        == "body: proxies has 1001 elements; allowed: at most 1000")
  }

  @Test func aRenewalIsALengthOrNothing() throws {
    func renewal(_ text: String) throws -> Duration? { try LeaseTerms.renewal(text: text.bytes, source: "body") }
    for text in ["", "null", "{}", #"{"for":null}"#] { #expect(try renewal(text) == nil, "\(text)") }
    #expect(try renewal(#"{"for":"1ms"}"#) == .milliseconds(1))
    #expect(message { _ = try renewal(#"{"profile":"3g"}"#) }.hasPrefix("body: profile is not a known key"))
    #expect(message { _ = try renewal(#"{"for":"0s"}"#) }.hasPrefix(#"body: for is "0s"; allowed: a time from 1ms"#))
    #expect(message { _ = try renewal("{") }.hasPrefix("body: "))
  }
}
