import Testing

@testable import Settings

private func created(_ body: String) throws -> String { try ClassicToxic.read(body: body.utf8).spec().json.text }

private func latency(_ delay: Int, _ jitter: Int, name: String = "latency_downstream", stream: String = "downstream")
  -> String
{
  #"{"attributes":{"latency":\#(delay),"jitter":\#(jitter)},"name":"\#(name)","type":"latency","#
    + #""stream":"\#(stream)","toxicity":1}"#
}

@Suite struct ClassicToxicTests {
  @Test(arguments: [
    Row(#"{"type":"latency"}"#, latency(0, 0)),
    Row(#"{"type":"latency","name":"","attributes":null,"stream":null,"toxicity":null}"#, latency(0, 0)),
    Row(#"{"type":"latency","attributes":{"latency":null,"jitter":4}}"#, latency(0, 4)),
    Row(#"{"type":"latency","attributes":{"latency":100.0,"jitter":1e3}}"#, latency(100, 1000)),
    Row(#"{"type":"latency","attributes":{"latency":-5,"jitter":-7}}"#, latency(-5, -7)),
    Row(#"{"type":"latency","attributes":{"latency":9007199254740993}}"#, latency(9_007_199_254_740_993, 0)),
    Row(#"{"type":"latency","attributes":{"latency":-9223372036854775808}}"#, latency(.min, 0)),
    Row(#"{"type":"latency","attributes":{"jitter":4611686018427387903}}"#, latency(0, (1 << 62) - 1)),
    Row(#"{"type":"latency","stream":"UpStream"}"#, latency(0, 0, name: "latency_UpStream", stream: "UpStream")),
    Row(#"{"Type":"latency","NAME":"n","Attributes":{"Latency":5}} tail"#, latency(5, 0, name: "n")),
    Row(#"{"type":"noop","type":"latency","name":"x","name":null}"#, latency(0, 0, name: "x")),
    Row(#"{"type":"latency","attributes":{"latency":1},"attributes":{"jitter":2}}"#, latency(1, 2)),
    Row(
      #"{"type":"slow_close","attributes":{"delay":-1}}"#,
      #"{"attributes":{"delay":-1},"name":"slow_close_downstream","type":"slow_close","stream":"downstream","toxicity":1}"#
    ),
    Row(
      #"{"type":"timeout"}"#,
      #"{"attributes":{"timeout":0},"name":"timeout_downstream","type":"timeout","stream":"downstream","toxicity":1}"#),
    Row(
      #"{"type":"reset_peer","attributes":{"timeout":9223372036854775807}}"#,
      #"{"attributes":{"timeout":9223372036854775807},"name":"reset_peer_downstream","type":"reset_peer","#
        + #""stream":"downstream","toxicity":1}"#),
    Row(
      #"{"type":"slicer","attributes":{"average_size":10,"size_variation":100}}"#,
      #"{"attributes":{"average_size":10,"size_variation":100,"delay":0},"name":"slicer_downstream","type":"slicer","#
        + #""stream":"downstream","toxicity":1}"#),
    Row(
      #"{"type":"limit_data","attributes":{"bytes":-9}}"#,
      #"{"attributes":{"bytes":-9},"name":"limit_data_downstream","type":"limit_data","stream":"downstream","toxicity":1}"#
    ),
    Row(#"{"type":"stall"}"#, #"{"attributes":{},"name":"stall","type":"stall","toxicity":1}"#),
    Row(
      #"{"type":"drop","stream":"Upstream","attributes":{"probability":0.5}}"#,
      #"{"attributes":{"probability":0.5,"per":"connection","how":"reset"},"name":"drop_Upstream","type":"drop","#
        + #""stream":"Upstream","toxicity":1}"#),
    Row(
      #"{"type":"noop","after_bytes":5,"After_MS":6,"first_connections":7,"every":8}"#,
      #"{"attributes":{},"name":"noop_downstream","type":"noop","stream":"downstream","toxicity":1,"after_bytes":5,"#
        + #""after_ms":6,"first_connections":7,"every":8}"#),
    Row(
      #"{"type":"noop","after_bytes":null,"every":0}"#,
      #"{"attributes":{},"name":"noop_downstream","type":"noop","stream":"downstream","toxicity":1}"#),
    Row(
      #"{"type":"noop","toxicity":0.3333333333}"#,
      #"{"attributes":{},"name":"noop_downstream","type":"noop","stream":"downstream","toxicity":0.33333334}"#),
    Row(
      #"{"type":"bandwidth","stream":"upstream","toxicity":80,"attributes":{"rate":90000000000000000}}"#,
      #"{"attributes":{"rate":90000000000000000},"name":"bandwidth_upstream","type":"bandwidth","stream":"upstream","#
        + #""toxicity":80}"#),
  ]) func creates(_ row: Row) throws {
    #expect(try created(row.input) == row.expected)
  }

  @Test(arguments: [
    Row("", "bad request body: EOF"),
    Row(#"{"type":"latency""#, "bad request body: unexpected EOF"),
    Row("[]", "bad request body: the top level is []; allowed: an object"),
    Row("null", "invalid toxic type"), Row("{}", "invalid toxic type"),
    Row(#"{"type":"Latency"}"#, "invalid toxic type"), Row(#"{"type":"nope"}"#, "invalid toxic type"),
    Row(#"{"type":"drop"}"#, "attributes.probability is missing; allowed: a number from 0 to 1"),
    Row(
      #"{"type":"drop","attributes":{"probability":2}}"#,
      "attributes.probability is 2; allowed: a number from 0 to 1"),
    Row(
      #"{"type":"drop","toxicity":0.5,"attributes":{"probability":1,"how":"refuse"}}"#,
      "toxicity is 0.5; allowed: 1, as connections are refused for all or for none"),
    Row(
      #"{"type":"drop","every":2,"attributes":{"probability":1,"how":"refuse"}}"#,
      "every is 2; allowed: 0, as connections are refused for all or for none"),
    Row(
      #"{"type":"noop","after_bytes":-1}"#,
      "after_bytes is -1; allowed: a whole number from 0 to 9007199254740992"),
    Row(
      #"{"type":"noop","after_ms":86400001}"#, "after_ms is 86400001; allowed: a whole number from 0 to 86400000"),
    Row(
      #"{"type":"noop","first_connections":1.5}"#,
      "bad request body: first_connections is 1.5; allowed: a whole number from 0 to 1000000000"),
    Row(
      #"{"type":"noop","every":"2"}"#,
      "bad request body: every is \"2\"; allowed: a whole number from 0 to 1000000000"),
    Row(
      #"{"type":"nope","stream":""}"#, "stream was invalid, can be either upstream or downstream"),
    Row(#"{"type":"nope","stream":"up"}"#, "stream was invalid, can be either upstream or downstream"),
    Row(
      #"{"type":"nope","attributes":5}"#, "bad request body: attributes is 5; allowed: an object"),
    Row(#"{"type":5}"#, "bad request body: type is 5; allowed: a string"),
    Row(#"{"type":"latency","name":5}"#, "bad request body: name is 5; allowed: a string"),
    Row(
      #"{"type":"latency","toxicity":"0.5"}"#,
      "bad request body: toxicity is \"0.5\"; allowed: a number that fits a 32-bit float"),
    Row(
      #"{"type":"latency","toxicity":1e40}"#,
      "bad request body: toxicity is 1e+40; allowed: a number that fits a 32-bit float"),
    Row(
      #"{"type":"latency","toxicity":1e999}"#,
      "bad request body: toxicity is a number too large to hold; allowed: a number that fits a 32-bit float"),
    Row(
      #"{"type":"bandwidth","attributes":{"rate":"100"}}"#,
      "bad request body: attributes.rate is \"100\"; allowed: a whole number from 0 to 90000000000000000"),
    Row(
      #"{"type":"bandwidth","attributes":{"rate":1.5}}"#,
      "bad request body: attributes.rate is 1.5; allowed: a whole number from 0 to 90000000000000000"),
    Row(
      #"{"type":"latency","attributes":{"latency":9223372036854775808}}"#,
      "bad request body: attributes.latency is 9223372036854775808; "
        + "allowed: a whole number from -9223372036854775808 to 9223372036854775807"),
    Row(
      #"{"type":"bandwidth","attributes":{"rate":-1}}"#,
      "attributes.rate is -1; allowed: a whole number from 0 to 90000000000000000"),
    Row(
      #"{"type":"bandwidth","attributes":{"rate":90000000000000001}}"#,
      "attributes.rate is 90000000000000001; allowed: a whole number from 0 to 90000000000000000"),
    Row(
      #"{"type":"latency","attributes":{"jitter":4611686018427387904}}"#,
      "attributes.jitter is 4611686018427387904; "
        + "allowed: a whole number from -4611686018427387903 to 4611686018427387903"),
  ]) func refuses(_ row: Row) {
    #expect(message { _ = try created(row.input) } == row.expected)
  }

  /// The test for a duplicate name stands between the two steps.
  @Test func badAttributesAreFoundAfterTheName() throws {
    let toxic = try ClassicToxic.read(body: #"{"type":"latency","name":"n","attributes":{"latency":"x"}}"#.utf8)
    #expect(toxic.name == "n")
    #expect(throws: ClassicError.self) { try toxic.spec() }
  }

  @Test func unknownKeysAreListed() throws {
    let body = #"{"type":"latency","foo":1,"Logger":{},"attributes":{"latency":5,"rate":9,"x":{}}}"#
    let toxic = try ClassicToxic.read(body: body.utf8)
    #expect(
      toxic.warnings == [
        "unknown key \"foo\" was ignored", "unknown key \"Logger\" was ignored",
        "unknown key \"rate\" in attributes was ignored", "unknown key \"x\" in attributes was ignored",
      ])
    #expect(try toxic.spec().attributes == .latency(milliseconds: 5, jitterMilliseconds: 0))
  }
}

@Suite struct ClassicToxicUpdateTests {
  private let toxic = ToxicSpec(
    .latency(milliseconds: 10, jitterMilliseconds: 5), stream: .downstream, toxicity: 0.5)

  @Test(arguments: [
    "{}", "null", #"{"name":"new","type":"bandwidth","stream":"upstream"}"#, #"{"attributes":null,"toxicity":null}"#,
    #"{"attributes":{"rate":5}}"#, #"{"attributes":{"latency":null}}"#, "{} tail",
    #"{"Name":null,"Stream":null,"Toxicity":null,"Type":"latency","Attributes":{}}"#,
  ]) func changesNothing(_ body: String) throws {
    #expect(try toxic.updated(body: body.utf8).value == toxic)
  }

  @Test func mergesAttributes() throws {
    let first = try toxic.updated(body: #"{"attributes":{"latency":20}}"#.utf8).value
    #expect(first.attributes == .latency(milliseconds: 20, jitterMilliseconds: 5))
    let second = try first.updated(body: #"{"attributes":{"JITTER":7},"toxicity":0}"#.utf8).value
    #expect(second.attributes == .latency(milliseconds: 20, jitterMilliseconds: 7))
    #expect(second.toxicity == 0)
    #expect(second.name == toxic.name)
  }

  @Test func mergesTriggers() throws {
    let first = try toxic.updated(body: #"{"after_bytes":20,"every":3}"#.utf8).value
    #expect(first.trigger.afterBytes == 20 && first.trigger.every == 3)
    let second = try first.updated(body: #"{"after_bytes":0,"every":null}"#.utf8).value
    #expect(second.trigger.afterBytes == 0 && second.trigger.every == 3)
    #expect(second.attributes == toxic.attributes)
  }

  @Test(arguments: [("80", "1"), ("-1", "0"), ("1.5", "1")])
  func toxicityOutOfRangeIsAcceptedWithAWarning(value: String, effective: String) throws {
    let warning = "toxicity is \(value); it acts as \(effective), allowed are 0 to 1"
    #expect(try toxic.updated(body: "{\"toxicity\":\(value)}".utf8).warnings == [warning])
    #expect(try ClassicToxic.read(body: "{\"type\":\"noop\",\"toxicity\":\(value)}".utf8).warnings == [warning])
  }

  @Test(arguments: [
    "", "{", "[]", "7", #"{"toxicity":"x"}"#, #"{"attributes":5}"#, #"{"attributes":[]}"#,
    #"{"attributes":{"latency":"20"}}"#, #"{"attributes":{"latency":1.5}}"#,
    #"{"attributes":{"latency":"x","jitter":9}}"#,
  ]) func refusesBadBodies(_ body: String) {
    #expect(message { _ = try toxic.updated(body: body.utf8) }.hasPrefix("bad request body: "))
  }

  @Test func refusesWhatCannotBeHonoured() {
    let slow = ToxicSpec(.bandwidth(kilobytesPerSecond: 5), stream: .upstream)
    #expect(
      message { _ = try slow.updated(body: #"{"attributes":{"rate":-1}}"#.utf8) }
        == "attributes.rate is -1; allowed: a whole number from 0 to 90000000000000000")
  }
}
