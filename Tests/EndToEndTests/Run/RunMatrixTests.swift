import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Several runs: what is counted, decided, told and written.
@Suite(.blocking)
struct RunMatrixTests {
  private let directory: TemporaryDirectory
  private let upstream: Upstream

  init() throws {
    directory = try TemporaryDirectory()
    upstream = try Upstream.echo()
  }

  private var proxy: [String] { ["--proxy", "p=\(upstream.address)"] }
  private var reportFile: String { directory.path + "/report.json" }

  private func report() throws -> JSONValue {
    let report = try JSONValue(Array(Data(contentsOf: URL(fileURLWithPath: reportFile))))
    let complaints = try JSONSchema("run-report.schema.json").complaints(report)
    #expect(complaints.isEmpty, "\(complaints)")
    return report
  }

  private func dropping() throws -> [String] {
    let profile = """
      {"name":"wall","summary":"-","source":"-","toxics":[
        {"name":"hit","type":"drop","attributes":{"probability":1,"per":"connection","how":"reset"}}]}
      """
    try directory.write(profile, to: "wall.json")
    return ["--profiles-dir", directory.path]
  }

  @Test func theReportSaysWhatHappened() throws {
    let options = try proxy + dropping() + ["--profiles", "none,wall", "--repeat", "2", "--report", reportFile]
    let result = try RunCommand.run(options + ["--seed", "100"], RunCommand.echo)
    #expect(result.status == 1, "the status of the first run that failed: \(result.errors)")
    let report = try report()
    #expect(report["seed"] == 100 && report["profiles"] == ["none", "wall"] && report["passed"] == false)
    #expect(report["command"] == ["/bin/bash", "-c", .string(RunCommand.echo)])
    let runs = report["runs"].array
    #expect(runs.map { $0["profile"].string } == ["none", "none", "wall", "wall"])
    #expect(runs.map { $0["index"] } == [1, 2, 1, 2] && runs.map { $0["seed"] } == [100, 101, 100, 101])
    #expect(runs.map { $0["status"].string } == ["passed", "passed", "failed", "failed"])
    #expect(runs.allSatisfy { $0["connections"] == 1 && $0["events_lost"] == 0 })
    #expect(runs[0]["upstream_bytes"] == 6 && runs[0]["downstream_bytes"] == 6 && runs[0]["drops"] == 0)
    #expect(runs[0]["failure"] == .null && runs[2]["failure"].string?.hasPrefix("exit status") == true)
    #expect(runs[2]["drops"] == 1)
    let decision = try #require(runs[2]["decisions"].array.first { $0["outcome"] == "dropped" })
    #expect(decision["proxy"] == "p" && decision["how"] == "reset")
    let summary = report["summary"].array
    #expect(summary.map { $0["passed"] } == [2, 0] && summary.map { $0["drops"] } == [0, 2])
    #expect(summary[0]["median_ms"] == runs[...1].map { $0["duration_ms"] }.min { $0.number ?? 0 < $1.number ?? 0 })
  }

  @Test func aReportThatCouldNotBeWrittenMakesTheRunFail() throws {
    let full = try RunCommand.run(["--report", "/dev/full"], "exit 0")
    #expect(full.status == 1 && full.errors.contains("/dev/full: write: No space left on device"), "\(full.errors)")
    let script = #""$0" run --junit - -- true >/dev/full"#
    let program = try Program("/bin/sh", ["-c", script, Program.headwind])
    #expect(program.exit() == 1)
    #expect(program.errors.contains("standard output: write: No space left on device"), "\(program.errors)")
  }

  @Test func aReportThroughALinkOrADescriptorLeavesThatInPlace() throws {
    let (link, log) = (directory.path + "/link", directory.path + "/log")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: reportFile)
    try directory.write("old", to: "report.json")
    #expect(try RunCommand.run(["--report", link], "exit 0").status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == reportFile)
    #expect(try report()["passed"] == true)
    let script = #"exec 5>"$1"; "$0" run --report /dev/fd/5 -- sh -c 'echo first >&5'"#
    #expect(try Program("/bin/bash", ["-c", script, Program.headwind, log]).exit() == 0)
    let text = try String(contentsOfFile: log, encoding: .utf8)
    #expect(text.hasPrefix("first\n{") && text.hasSuffix("}\n"), "\(text)")
  }

  @Test func theTableAndALineForEachRunAreOnStandardError() throws {
    let result = try RunCommand.run(
      proxy + dropping() + ["--profiles", "wall,none", "--repeat", "2", "--seed", "7"], RunCommand.echo)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("headwind: [1/4] wall, run 1: FAILED (exit status 1) in 0."))
    #expect(result.errors.contains("headwind: [4/4] none, run 2: passed in 0."), "\(result.errors)")
    #expect(result.errors.contains(/\nPROFILE +RUNS +PASSED +MEDIAN +P95 +CONNECTIONS +UP +DOWN +DROPS\n/))
    #expect(result.errors.contains(/\nwall +2 +0 +0\.\d{3} s +0\.\d{3} s +2 +0 B +0 B +2\n/), "\(result.errors)")
    #expect(result.errors.contains(/\nnone +2 +2 +0\.\d{3} s +0\.\d{3} s +2 +12 B +12 B +0\n/), "\(result.errors)")
    #expect(result.errors.contains("seed 7; again: headwind run --seed 7 --profiles wall,none --repeat 2 "))
    #expect(result.errors.contains("wall, run 1 again: headwind run --seed 7 --profile wall --expect-traffic "))
    #expect(!result.errors.contains("\r"))
    let quiet = try RunCommand.run(["--profiles", "none,lte", "--no-expect-traffic", "--quiet"], "exit 0")
    #expect(quiet.status == 0 && quiet.errors.split(separator: "\n").count == 1, "\(quiet.errors)")
  }

  #if os(Linux)
    /// `script` of util-linux is the terminal.
    @Test func aTerminalShowsHowFarItIs() throws {
      func shown(_ options: String, _ terminal: String, output: String = "/dev/null") throws -> String {
        let command =
          "exec \(Program.headwind) run --proxy p=\(upstream.address) \(options) -- /bin/bash \(directory.path)/go >\(output)"
        let words = ["-c", "exec script -qec \"$0\" /dev/null </dev/null", command]
        let program = try Program("/bin/sh", words, environment: ["TERM": terminal])
        #expect(program.exit() == 0, "\(program.output)")
        return program.output
      }
      try directory.write(RunCommand.echo + "; sleep 0.7", to: "go")
      let text = try shown("--profile none", "xterm")
      // On a busy machine the connection comes later.
      #expect(text.contains(/\r\u{1B}\[Knone, run 1: \d+ s, 1 connection, 6 B up, 6 B down\r/), "\(text)")
      #expect(text.contains("\r\u{1B}[Kheadwind: none, run 1: passed"), "it is taken away: \(text)")
      let shared = try shown("--profiles none,lte", "xterm", output: "/dev/tty")
      #expect(!shared.contains("\u{1B}"), "what the command writes there stays: \(shared)")
      #expect(shared.contains("headwind: [2/2] lte, run 1 …\r\n"), "\(shared)")
      #expect(try !shown("--quiet", "xterm").contains("\u{1B}"))
      #expect(try !shown("", "dumb").contains("\u{1B}"))
    }
  #endif

  @Test func theSameSeedDecidesTheSame() throws {
    func outcomes(_ seed: String) throws -> [JSONValue] {
      let options = ["--profiles", "flaky", "--repeat", "12", "--quiet", "--report", reportFile, "--seed", seed]
      _ = try RunCommand.run(proxy + options, RunCommand.echo)
      return try report()["runs"].array.map { ["status": $0["status"], "decisions": $0["decisions"]] }
    }
    let first = try outcomes("5")
    #expect(Set(first.map { $0["status"].string }) == ["passed", "failed"], "a seed by which both happen")
    #expect(try outcomes("5") == first)
    // The sixth run has the seed that the first one has here.
    #expect(try outcomes("10")[0] == first[5])
  }

  @Test func failFastLeavesTheRestOut() throws {
    let options = try proxy + dropping() + ["--profiles", "none,wall,lte", "--repeat", "2", "--report", reportFile]
    let junit = directory.path + "/junit.xml"
    let result = try RunCommand.run(options + ["--fail-fast", "--junit", junit], RunCommand.echo)
    #expect(result.status == 1)
    #expect(
      try report()["runs"].array.map { $0["status"].string }
        == ["passed", "passed", "failed", "not_run", "not_run", "not_run"])
    #expect(try XMLText(junit).count("skipped") == 3)
  }

  @Test func aSignalThatEndsARunEndsTheMatrix() throws {
    let options = ["--profiles", "none,lte", "--no-expect-traffic", "--report", reportFile]
    let (program, _) = try RunCommand.start(options, "trap 'exit 0' TERM; echo ready; while :; do sleep 0.02; done")
    program.send(SIGTERM)
    #expect(program.exit(within: .seconds(5)) == 128 + SIGTERM, "\(program.errors)")
    #expect(try report()["runs"].array.map { $0["status"].string } == ["passed", "not_run"])
  }

  @Test func aReportMayGoToStandardOutput() throws {
    let result = try RunCommand.run(["--report", "-"], "exit 0")
    #expect(try JSONSchema("run-report.schema.json").complaints(result.json) == [])
    #expect(result.json["summary"].array.count == 1)
    // A device is written to, not replaced.
    #expect(try RunCommand.run(["--report", "/dev/null"], "exit 0").status == 0)
    let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
    #expect(type == .typeCharacterSpecial)
  }

  @Test func aSchemaThatFitsEverythingWouldShowNothing() throws {
    let schema = try JSONSchema("run-report.schema.json")
    guard case .object(var report) = try RunCommand.run(["--report", "-"], "exit 0").json else {
      throw Overdue(what: "a report")
    }
    report["surplus"] = 1
    report["seed"] = "1"
    report["runs"] = nil
    #expect(schema.complaints(.object(report)).count == 3)
  }

  // MARK: Traffic

  @Test func aRunWithoutTrafficHasFailed() throws {
    for options in [["--profiles", "none"], ["--expect-traffic"]] {
      let result = try RunCommand.run(options + ["--report", reportFile], "exit 0")
      #expect(result.status == 1 && result.errors.contains("no connection came to any proxy"), "\(result.errors)")
      #expect(try report()["runs"].array[0]["status"] == "failed")
    }
    #expect(try RunCommand.run([], "exit 0").status == 0)
    #expect(try RunCommand.run(["--profiles", "none", "--no-expect-traffic"], "exit 0").status == 0)
    #expect(try RunCommand.run(["--profiles", "offline"], "exit 0").status == 0, "nobody could get through")
    #expect(try RunCommand.run(["--profiles", "none"], "exit 4").status == 4, "its own failure comes first")
    #expect(try RunCommand.run(proxy + ["--profiles", "none,lte"], RunCommand.echo).status == 0)
  }

  @Test func whatADeletedProxyCarriedCounts() throws {
    let script = "\(RunCommand.echo) && exec 3>&- && \(Program.headwind) proxies delete p >/dev/null"
    let result = try RunCommand.run(proxy + ["--profiles", "none", "--report", reportFile], script)
    #expect(result.status == 0, "\(result.errors)")
    let run = try report()["runs"].array[0]
    #expect(run["connections"] == 1 && run["upstream_bytes"] == 6 && run["downstream_bytes"] == 6)
  }

  // MARK: JUnit

  @Test func theJUnitFileHoldsASuiteForEachProfile() throws {
    let junit = directory.path + "/junit.xml"
    let script = RunCommand.echo + " # <&>\"'\u{1}\u{FFFF}]]>é"
    let options = try proxy + dropping() + ["--profiles", "none,wall", "--repeat", "2", "--seed", "9"]
    #expect(try RunCommand.run(options + ["--junit", junit], script).status == 1)
    let xml = try XMLText(junit)
    #expect(xml.attributes("testsuites") == [["name": "headwind run", "tests": "4", "failures": "2", "errors": "0"]])
    #expect(xml.attributes("testsuite").map { $0["name"] } == ["none", "wall"])
    #expect(xml.attributes("testsuite").map { $0["failures"] } == ["0", "2"])
    #expect(
      xml.attributes("testcase").map { $0["classname"] } == ["none", "none", "wall", "wall"].map { "headwind.\($0)" })
    #expect(xml.attributes("failure").map { $0["message"] } == ["exit status 1", "exit status 1"])
    let properties = xml.attributes("property")
    #expect(properties.contains(["name": "seed", "value": "9"]))
    let command = try #require(properties.first { $0["name"] == "command" }?["value"])
    #expect(command.hasSuffix("# <&>\"'\\''\u{FFFD}\u{FFFD}]]>é'"), "\(command)")
  }
}

/// The elements of a file of XML, which must be well-formed.
private final class XMLText: NSObject, XMLParserDelegate {
  private var found: [(name: String, attributes: [String: String])] = []

  init(_ file: String) throws {
    super.init()
    let parser = XMLParser(data: try Data(contentsOf: URL(fileURLWithPath: file)))
    parser.delegate = self
    guard parser.parse() else { throw Overdue(what: "well-formed XML: \(parser.parserError.debugDescription)") }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    // Times differ.
    let kept = attributes.filter { !["time", "timestamp"].contains($0.key) }
    found.append((name, kept))
  }

  func count(_ name: String) -> Int { attributes(name).count }
  func attributes(_ name: String) -> [[String: String]] { found.filter { $0.name == name }.map(\.attributes) }
}
