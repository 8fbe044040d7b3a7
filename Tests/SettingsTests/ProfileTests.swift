import Testing

@testable import Settings

private func profile(_ text: String) throws -> Profile {
  try Profile(text: text.utf8, source: "Profiles/3g.json", expectedName: "3g")
}

@Suite struct ProfileTests {
  @Test func everyFieldIsRead() throws {
    let read = try profile(
      """
      { name: '3g', aliases: ["umts"], summary: "s", source: "o", // a comment
        path: { latency_ms: 1.5, jitter_ms: 1.5, downstream_bytes_per_second: 0,
                upstream_bytes_per_second: 1e12, downstream_loss: 0, upstream_loss: 0.0 },
        toxics: [
          { type: "latency", attributes: { latency: 5, jitter: 5 }, toxicity: 0.25 },
          { type: "bandwidth", stream: "upstream", attributes: { rate: 10 } },
          { type: "drop", attributes: { probability: 0.3, per: "exchange", how: "close" } },
          { type: "stall", name: "s", attributes: { for_ms: 100 } }, { type: "stall" }, { type: "noop" },
        ] }
      """)
    #expect(
      read
        == Profile(
          name: "3g", aliases: ["umts"], summary: "s", source: "o",
          path: PathSpec(
            latencyMilliseconds: 1.5, jitterMilliseconds: 1.5, downstreamBytesPerSecond: 0,
            upstreamBytesPerSecond: 1_000_000_000_000),
          toxics: [
            ToxicSpec(.latency(milliseconds: 5, jitterMilliseconds: 5), stream: nil, toxicity: 0.25),
            ToxicSpec(.bandwidth(kilobytesPerSecond: 10), stream: .upstream),
            ToxicSpec(.drop(DropSpec(probability: 0.3, per: .exchange, how: .close)), stream: nil),
            ToxicSpec(.stall(milliseconds: 100), name: "s", stream: nil),
            ToxicSpec(.stall(milliseconds: nil), stream: nil),
            ToxicSpec(.noop, stream: nil),
          ]))
    #expect(read.toxics.map(\.name) == ["latency", "bandwidth_upstream", "drop", "s", "stall", "noop"])
    #expect(read.toxics.map(\.stream) == [nil, .upstream, nil, nil, nil, nil])
    #expect(try Profile(text: read.json.text.utf8, source: "again") == read)
  }

  @Test func theFileGivesTheName() throws {
    #expect(try profile("{}") == Profile(name: "3g"))
    #expect(try profile("{}").path.isPassThrough)
  }

  @Test func encodesInTheOrderOfTheDesign() {
    let spec = Profile(
      name: "x", path: PathSpec(latencyMilliseconds: 100, jitterMilliseconds: 0.5, upstreamBytesPerSecond: 7),
      toxics: [ToxicSpec(.drop(DropSpec(probability: 0.3, per: .exchange)), stream: nil)])
    #expect(
      spec.json.text
        == #"{"name":"x","aliases":[],"summary":"","source":"","path":{"latency_ms":100,"jitter_ms":0.5,"dns_latency_ms":0,"#
        + #""upstream_bytes_per_second":7,"downstream_loss":0,"upstream_loss":0,"model":"tcp"},"toxics":[{"attributes":"#
        + #"{"probability":0.3,"per":"exchange","how":"reset"},"name":"drop","type":"drop","toxicity":1}]}"#)
  }

  private static let pathKeys = (PathSpec.changeableKeys + PathSpec.lastingKeys).joined(separator: ", ")
  private static let nameRule = "1 to 64 of a-z 0-9 . _ - with a letter or digit first"

  @Test(arguments: [
    Row("", "is empty; allowed: JSON or JSON5"),
    Row("{\n name: }", "line 2, column 8: expected a value, found '}'"),
    Row("{path:{latency_ms:NaN}}", "line 1, column 19: NaN and Infinity are not allowed"),
    Row("[]", "the top level is []; allowed: an object"),
    Row(
      "{nam: 'x'}", "nam is not a known key; did you mean \"name\"? known: name, aliases, summary, source, path, toxics"
    ),
    Row("{'': 1}", "\"\" is not a known key; known: name, aliases, summary, source, path, toxics"),
    Row("{name: '4g'}", "name is \"4g\"; allowed: \"3g\", the name it is kept under"),
    Row("{name: '3G'}", "name is \"3G\"; allowed: \(nameRule)"),
    Row("{name: 3}", "name is 3; allowed: a string"),
    Row("{aliases: 'x'}", "aliases is \"x\"; allowed: an array of strings"),
    Row("{aliases: ['a', 7]}", "aliases[1] is 7; allowed: a string"),
    Row("{aliases: ['a b']}", "aliases[0] is \"a b\"; allowed: \(nameRule)"),
    Row("{aliases: ['a', 'a']}", "aliases[1] is \"a\"; allowed: each name once"),
    Row("{aliases: ['3g']}", "aliases[0] is \"3g\"; allowed: each name once"),
    Row("{path: 5}", "path is 5; allowed: an object"),
    Row("{path: {latency_ms: -5}}", "path.latency_ms is -5; allowed: a number from 0 to 600000"),
    Row("{path: {latency_ms: 1e300}}", "path.latency_ms is 1e+300; allowed: a number from 0 to 600000"),
    Row("{path: {latency_ms: '5'}}", "path.latency_ms is \"5\"; allowed: a number from 0 to 600000"),
    Row("{path: {latencyms: 5}}", "path.latencyms is not a known key; did you mean \"latency_ms\"? known: \(pathKeys)"),
    Row(
      "{path: {latency_ms: 5, jitter_ms: 5.5}}", "path.jitter_ms is 5.5; allowed: a number from 0 to latency_ms (5)"),
    Row(
      "{path: {upstream_bytes_per_second: -1}}",
      "path.upstream_bytes_per_second is -1; allowed: a whole number from 0 to 1000000000000"),
    Row(
      "{path: {downstream_bytes_per_second: 1.5}}",
      "path.downstream_bytes_per_second is 1.5; allowed: a whole number from 0 to 1000000000000"),
    Row("{toxics: {}}", "toxics is {}; allowed: an array of toxics"),
    Row("{toxics: [5]}", "toxics[0] is 5; allowed: an object"),
    Row(
      "{toxics: [{}]}",
      "toxics[0].type is missing; allowed: "
        + ToxicType.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")),
    Row(
      "{toxics: [{type: 'slicer'}]}",
      "toxics[0].attributes.average_size is missing; allowed: a whole number from 1 to 1000000000"),
    Row(
      "{toxics: [{type: 'slicer', attributes: {average_size: 5, size_variation: 6}}]}",
      "toxics[0].attributes.size_variation is 6; allowed: at most average_size, 5"),
    Row(
      "{toxics: [{type: 'timeout', attributes: {timeout: -1}}]}",
      "toxics[0].attributes.timeout is -1; allowed: a whole number from 0 to 86400000"),
    Row(
      "{toxics: [{type: 'limit_data', after_ms: -1}]}",
      "toxics[0].after_ms is -1; allowed: a whole number from 0 to 86400000"),
    Row(
      "{toxics: [{type: 'noop', stream: 'Up'}]}", "toxics[0].stream is \"Up\"; allowed: \"upstream\", \"downstream\""),
    Row("{toxics: [{type: 'noop', toxicity: 80}]}", "toxics[0].toxicity is 80; allowed: a number from 0 to 1"),
    Row(
      "{toxics: [{type: 'noop', attributes: {rate: 1}}]}",
      "toxics[0].attributes.rate is not a known key; known: none are"),
    Row(
      "{toxics: [{type: 'noop'}, {type: 'noop'}]}",
      "toxics[1].name is \"noop\"; allowed: a name that no other toxic here has"),
    Row(
      "{toxics: [{type: 'latency', attributes: {latency: 600001}}]}",
      "toxics[0].attributes.latency is 600001; allowed: a whole number from 0 to 600000"),
    Row("{toxics: [{type: 'drop'}]}", "toxics[0].attributes.probability is missing; allowed: a number from 0 to 1"),
    Row(
      "{toxics: [{type: 'drop', attributes: {probability: 30}}]}",
      "toxics[0].attributes.probability is 30; allowed: a number from 0 to 1"),
    Row(
      "{toxics: [{type: 'drop', attributes: {probability: 0.3, how: 'refuse'}}]}",
      "toxics[0].attributes.how is \"refuse\"; allowed: \"refuse\" only with probability 1 and per \"connection\""),
    Row(
      "{toxics: [{type: 'drop', toxicity: 0.5, attributes: {probability: 1, how: 'refuse'}}]}",
      "toxics[0].toxicity is 0.5; allowed: 1, as connections are refused for all or for none"),
    Row(
      "{toxics: [{type: 'drop', attributes: {probability: 1, how: 'explode'}}]}",
      "toxics[0].attributes.how is \"explode\"; allowed: \"reset\", \"close\", \"refuse\", \"hang\""),
    Row(
      "{toxics: [{type: 'stall', attributes: {for_ms: -1}}]}",
      "toxics[0].attributes.for_ms is -1; allowed: a whole number from 0 to 86400000"),
  ]) func refuses(_ row: Row) {
    #expect(message { _ = try profile(row.input) } == "Profiles/3g.json: \(row.expected)")
  }

  @Test func noneAlwaysPassesThrough() {
    #expect(
      message { _ = try Profile(text: "{name: 'none', path: {latency_ms: 1}}".utf8, source: "request body") }
        == "request body: name is \"none\"; allowed: another name, as \"none\" always passes everything through")
  }

  @Test(arguments: [
    ("3g", true), ("a", true), ("very-bad.net_2", true), ("100-loss", true), (String(repeating: "a", count: 64), true),
    ("", false), ("-a", false), (".a", false), ("A", false), ("a/b", false), ("ä", false),
    (String(repeating: "a", count: 65), false),
  ]) func names(_ text: String, _ isName: Bool) {
    #expect(Profile.isName(text) == isName)
  }
}
