import Testing

@testable import Settings

@Suite struct ClassicProxyTests {
  @Test func createReadsEveryField() throws {
    let body = #"""
      {"Name":"a","LISTEN":":0","upstream":"one.com:80","enabled":false,"profile":"3g","Logger":{},"toxics":[
        {"type":"latency","attributes":{"latency":5}}, {"type":"noop","stream":"upstream"}], "extra":1}
      """#
    let read = try ProxySpec.classicCreate(body: body.utf8)
    #expect(
      read.value
        == ProxySpec(
          name: "a", listen: ":0", upstream: "one.com:80", enabled: false, profile: "3g",
          toxics: [
            ToxicSpec(.latency(milliseconds: 5, jitterMilliseconds: 0), stream: .downstream),
            ToxicSpec(.noop, stream: .upstream),
          ]))
    #expect(read.warnings == ["unknown key \"extra\" was ignored"])
  }

  /// The reference takes any text; clients rely on that (one uses `google.com`), so it is no more than a warning.
  @Test(arguments: [
    Row(
      "http://a:80",
      "upstream is \"http://a:80\", which begins with http://; connections will fail, HOST:PORT is wanted"),
    Row(
      "HTTPS://a", "upstream is \"HTTPS://a\", which begins with https://; connections will fail, HOST:PORT is wanted"),
    Row(
      "google.com",
      "upstream is \"google.com\": missing port in address; connections will fail, HOST:PORT is wanted"),
  ]) func upstreamsThatCannotWorkAreWarnedOf(_ row: Row) throws {
    let made = try ProxySpec.classicCreate(body: "{\"name\":\"a\",\"upstream\":\"\(row.input)\"}".utf8)
    #expect(made.value.upstream == row.input && made.warnings == [row.expected])
    let update = try ProxyUpdate.classic(body: "{\"upstream\":\"\(row.input)\"}".utf8)
    #expect(update.value.upstream == row.input && update.warnings == [row.expected])
  }

  @Test(arguments: [
    #"{"name":"a","upstream":"u"}"#,
    #"{"name":"a","upstream":"u","listen":null,"enabled":null,"toxics":null,"profile":null}"#,
    #"{"name":"a","upstream":"u","toxics":[]}"#, #"{"name":"x","name":"a","upstream":"u"} trailing"#,
  ]) func createHasDefaults(_ body: String) throws {
    #expect(try ProxySpec.classicCreate(body: body.utf8).value == ProxySpec(name: "a", upstream: "u"))
  }

  @Test(arguments: [
    Row("", "bad request body: EOF"), Row("null", "missing required field: name"),
    Row("{}", "missing required field: name"), Row(#"{"upstream":"u","name":""}"#, "missing required field: name"),
    Row(#"{"name":"a"}"#, "missing required field: upstream"),
    Row(#"{"name":"a","upstream":""}"#, "missing required field: upstream"),
    Row("7", "bad request body: the top level is 7; allowed: an object"),
    Row(#"{"name":1}"#, "bad request body: name is 1; allowed: a string"),
    Row(#"{"enabled":"x"}"#, "bad request body: enabled is \"x\"; allowed: true or false"),
    Row(#"{"name":"a","toxics":[{"type":"no"}]}"#, "missing required field: upstream"),
    Row(
      #"{"name":"a","upstream":"u","toxics":5}"#, "bad request body: toxics is 5; allowed: an array of toxics"),
    Row(#"{"name":"a","upstream":"u","toxics":[{"type":"noop"},{"type":"no"}]}"#, "toxics[1]: invalid toxic type"),
    Row(
      #"{"name":"a","upstream":"u","toxics":[{"type":"noop"},{"type":"noop"}]}"#,
      "toxics[1]: another toxic is named \"noop_downstream\""),
    Row(#"{"name":"a","upstream":"u","toxics":[5]}"#, "toxics[0] is 5; allowed: an object"),
    Row(
      #"{"name":"a","upstream":"u","toxics":[{"type":"bandwidth","attributes":{"rate":-1}}]}"#,
      "toxics[0].attributes.rate is -1; allowed: a whole number from 0 to 90000000000000000"),
  ]) func createRefuses(_ row: Row) {
    #expect(message { _ = try ProxySpec.classicCreate(body: row.input.utf8) } == row.expected)
  }

  @Test func populateKeepsTheOrder() throws {
    let body = #"[{"name":"z","upstream":"u:1"},{"name":"a","upstream":"u:1","enabled":true,"foo":1}]"#
    let read = try ProxySpec.classicPopulate(body: body.utf8)
    #expect(read.value.map(\.name) == ["z", "a"])
    #expect(read.value.map(\.enabled) == [nil, true])
    #expect(read.warnings == ["unknown key \"foo\" in [1] was ignored"])
    for empty in ["[]", "null"] { #expect(try ProxySpec.classicPopulate(body: empty.utf8).value == []) }
  }

  @Test(arguments: [
    Row("[{}]", "missing required field: name at proxy 1"), Row("[null]", "missing required field: name at proxy 1"),
    Row(
      #"[{"name":"ok","upstream":"u"},{"name":"no"}]"#, "missing required field: upstream at proxy 2"),
    Row(#"[{},{"name":1}]"#, "bad request body: [1].name is 1; allowed: a string"),
    Row("{}", "bad request body: the top level is {}; allowed: an array of proxies"),
    Row(
      #"[{"name":"a","upstream":"u","toxics":[{"type":"noop","stream":"x"}]}]"#,
      "proxy 1: toxics[0]: stream was invalid, can be either upstream or downstream"),
  ]) func populateRefuses(_ row: Row) {
    #expect(message { _ = try ProxySpec.classicPopulate(body: row.input.utf8) } == row.expected)
  }

  @Test func updatesNameWhatChanges() throws {
    let read = try ProxyUpdate.classic(body: #"{"Enabled":false,"listen":null,"name":"x","toxics":7}"#.utf8)
    #expect(read == ClassicBody(value: ProxyUpdate(enabled: false)))
    #expect(try ProxyUpdate.classic(body: "null".utf8).value == ProxyUpdate())
    #expect(
      message { _ = try ProxyUpdate.classic(body: #"{"listen":5}"#.utf8) }
        == "bad request body: listen is 5; allowed: a string")
  }

  /// 100,000 unknown keys: one pass over them, and few warnings.
  @Test func hugeBodiesAreRead() throws {
    let extra = (0..<100_000).map { ",\"k\($0)\":1" }.joined()
    let read = try ProxySpec.classicCreate(body: "{\"name\":\"a\",\"upstream\":\"u:1\"\(extra)}".utf8)
    #expect(read.value == ProxySpec(name: "a", upstream: "u:1"))
    #expect(read.warnings.count == 8)
  }
}
