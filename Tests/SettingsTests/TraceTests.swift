import Conditioning
import Testing

@testable import Settings

private func trace(_ text: String, directory: String? = nil) throws -> TraceSpec? {
  let text = "{path: {latency_ms: 50, trace: \(text)}}"
  return try Profile(text: text.utf8, source: "x.json", expectedName: "x", traceDirectory: directory).path.trace
}

private let count = "1 to 1000000 whole numbers, none below the one before, the last above 0"

@Suite struct TraceTests {
  @Test func numbersAreReadInline() throws {
    let both = try trace("{downstream_ms: [0, 0, 5, 5.0, 86400000], upstream_ms: [1]}")
    #expect(both == TraceSpec(downstream: [0, 0, 5, 5, 86_400_000], upstream: [1]))
    #expect(try trace("{upstream_ms: [7]}") == TraceSpec(upstream: [7]))
    #expect(try trace("null") == nil)
  }

  @Test(arguments: [
    Row("7", " is 7; allowed: an object"),
    Row("{}", " is {}; allowed: downstream_ms, upstream_ms or both"),
    Row(
      "{down: [1]}",
      ".down is not a known key; known: downstream_ms, upstream_ms, downstream_file, upstream_file"),
    Row("{downstream_ms: []}", ".downstream_ms is []; allowed: \(count)"),
    Row("{downstream_ms: 5}", ".downstream_ms is 5; allowed: an array of whole numbers"),
    Row(
      "{downstream_ms: [0, 0]}",
      ".downstream_ms[1] is 0; allowed: a whole number from 1 to 86400000, "
        + "as a round of a trace takes some time"),
    Row(
      "{downstream_ms: [1, 7, 5, 9]}",
      ".downstream_ms[2] is 5; allowed: a whole number from 7 to 86400000, "
        + "as the times of a trace don't fall"),
    Row("{upstream_ms: [1, '2']}", ".upstream_ms[1] is \"2\"; allowed: a whole number from 1 to 86400000"),
    Row("{upstream_ms: [1.5]}", ".upstream_ms[0] is 1.5; allowed: a whole number from 1 to 86400000"),
    Row("{upstream_ms: [null]}", ".upstream_ms[0] is null; allowed: a whole number from 1 to 86400000"),
    Row(
      "{upstream_ms: [-1, 5]}",
      ".upstream_ms[0] is -1; allowed: a whole number from 0 to 86400000, "
        + "as the times of a trace don't fall"),
    Row("{upstream_ms: [86400001]}", ".upstream_ms[0] is 86400001; allowed: a whole number from 1 to 86400000"),
    Row("{upstream_file: 5}", ".upstream_file is 5; allowed: a string"),
    Row(
      "{upstream_file: '/etc/passwd'}",
      ".upstream_file is \"/etc/passwd\"; allowed: only in a profile's own file in a directory of profiles; here the "
        + "numbers stand in upstream_ms"),
    Row(
      "{upstream_ms: [1], upstream_file: 'x'}", ".upstream_file is \"x\"; allowed: none beside upstream_ms"),
  ]) func refuses(_ row: Row) {
    #expect(message { _ = try trace(row.input) } == "x.json: path.trace\(row.expected)")
  }

  @Test func thereAreAtMostAMillion() throws {
    func lines(_ count: Int) -> [UInt8] { Array(String(repeating: "1\n", count: count).utf8) }
    #expect(try TraceSpec.opportunities(lines: lines(1_000_000)).count == 1_000_000)
    #expect(
      message { _ = try TraceSpec.opportunities(lines: lines(1_000_001)) }.hasPrefix("has 1000001 lines; allowed"))
    let inline = "{downstream_ms: [\(String(repeating: "1,", count: 1_000_001))]}"
    #expect(
      message { _ = try trace(inline) }
        == "x.json: path.trace.downstream_ms has 1000001 elements; allowed: at most 1000000")
  }

  // MARK: Files

  @Test func filesAreReadBesideTheProfile() throws {
    let profile = "{path: {latency_ms: 50, trace: {downstream_file: 'lte.down', upstream_file: './lte.up'}}}"
    try withDirectory(["lte.json": profile, "lte.down": "0\n3\n3\n9\n", "lte.up": " 1\r\n12\t"]) { directory in
      for directory in [directory, "\(directory)/"] {
        let read = try #require(try ProfileCatalogue(directories: [directory])["lte"])
        #expect(read.path.trace == TraceSpec(downstream: [0, 3, 3, 9], upstream: [1, 12]))
        #expect(try Profile(text: read.json.text.utf8, source: "again") == read, "the numbers stand in what is written")
      }
      let absolute = try trace("{upstream_file: '\(directory)/lte.up'}", directory: "/nowhere/")
      #expect(absolute == TraceSpec(upstream: [1, 12]))
    }
  }

  @Test(arguments: [
    Row("", "has 0 lines; allowed: \(count)"),
    Row("0\n0\n", "line 2 is \"0\"; allowed: a whole number from 1 to 86400000, as a round of a trace takes some time"),
    Row(
      "1\n5\n4\n9\n", "line 3 is \"4\"; allowed: a whole number from 5 to 86400000, as the times of a trace don't fall"),
    Row("1\n\n9\n", "line 2 is \"\"; allowed: a whole number from 1 to 86400000"),
    Row("1\n9\n\n", "line 3 is \"\"; allowed: a whole number from 9 to 86400000"),
    Row("1\ntwo\n", "line 2 is \"two\"; allowed: a whole number from 1 to 86400000"),
    Row("1\n2.5\n", "line 2 is \"2.5\"; allowed: a whole number from 1 to 86400000"),
    Row("+1\n", "line 1 is \"+1\"; allowed: a whole number from 1 to 86400000"),
    Row("99999999999999999999\n", "line 1 is \"99999999999999999999\"; allowed: a whole number from 1 to 86400000"),
  ]) func refusesFiles(_ row: Row) throws {
    let profile = "{path: {latency_ms: 50, trace: {downstream_file: 'x.down'}}}"
    try withDirectory(["x.json": profile, "x.down": row.input]) { directory in
      let expected = "\(directory)/x.json: path.trace.downstream_file names \(directory)/x.down: \(row.expected)"
      #expect(message { _ = try ProfileCatalogue(directories: [directory]) } == expected)
    }
  }

  @Test(
    arguments: [
      ("\u{FEFF}1\n2\n", [1, 2]), (" 1 \n\t12\t\n", [1, 12]), ("0\n007", [0, 7]),
      ("1\r\n86400000\r\n", [1, 86_400_000]),
    ] as [(String, [UInt32])]) func whatEditorsAddIsLeftOut(_ text: String, _ times: [UInt32]) throws
  {
    #expect(try TraceSpec.opportunities(lines: Array(text.utf8)) == times)
  }

  @Test func itsTextIsMadeOnce() throws {
    let times: [UInt32] = [0, 9, 10, 99, 100, 12_345_678, 86_400_000]
    let spec = TraceSpec(downstream: times, upstream: [1])
    #expect(spec.json.text == #"{"downstream_ms":[0,9,10,99,100,12345678,86400000],"upstream_ms":[1]}"#)
    guard case .encodedArray? = spec.json["downstream_ms"] else { return #expect(Bool(false), "\(spec.json)") }
    #expect(spec.json["downstream_ms"]?.arrayValue == times.map { .integer(Int64($0)) })
    #expect(TraceSpec(upstream: [1]).json.text == #"{"upstream_ms":[1]}"#)
    #expect(TraceSpec(upstream: [1]) != TraceSpec(downstream: [1]))
  }

  @Test func aFileThatIsNotThereIsNamed() throws {
    try withDirectory(["x.json": "{path: {latency_ms: 50, trace: {downstream_file: 'y'}}}"]) { directory in
      #expect(
        message { _ = try ProfileCatalogue(directories: [directory]) }
          == "\(directory)/x.json: path.trace.downstream_file names \(directory)/y: cannot be read: no such file or "
          + "directory")
    }
  }

  // MARK: The core's

  @Test func theQueueIsMeasuredByTheMeanRate() throws {
    let text = "{path: {latency_ms: 100, queue_ms: 2000, trace: {downstream_ms: [10, 20, 30, 1000]}}}"
    let path = try Profile(text: text.utf8, source: "x.json", expectedName: "x").path
    #expect(path.trace?.meanBytesPerSecond(.downstream) == 6000)
    let parameters = path.coreTimeline.steps[0].parameters
    #expect(parameters.downstream.queueBytes == 12_000)
    #expect(parameters.downstream.capacity == .trace(CapacityTrace(opportunities: [10, 20, 30, 1000])))
    #expect(parameters.upstream.queueBytes == nil)
  }
}
