import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Commands under a lease on a daemon that runs anyway; here a stand-in that can fail as a daemon does.
@Suite(.blocking)
struct RunLeaseTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let proxies = """
    {"api":{"name":"api","listen":"0.0.0.0:7001","upstream":"x:1","enabled":true},
     "off":{"name":"off","listen":"127.0.0.1:7002","upstream":"x:1","enabled":false},
     "http-proxy":{"name":"http-proxy","listen":"127.0.0.1:7003","upstream":"*:*","enabled":true,"mode":"http"},
     "socks":{"name":"socks","listen":"[::1]:7004","upstream":"*:*","enabled":true,"mode":"socks"}}
    """
  private static let idle = #"{"sessions":0,"drops":0,"upstream":{},"downstream":{}}"#
  private static let answers = [
    "GET /proxies": proxies, "GET /events": #"{"events":[{"id":5,"type":"x"}]}"#,
    "GET /profiles/3g": #"{"name":"3g","toxics":[]}"#, "GET /profiles/lte": #"{"name":"lte","toxics":[]}"#,
  ].merging(["api", "off", "http-proxy", "socks"].map { ("GET /proxies/\($0)/counters", idle) }) { $1 }

  @Test func withTakesALeaseAndGivesItBack() throws {
    let stub = try ControlStub(Self.answers)
    let words = ["with", "3g", "--proxy", "api", "--control", stub.url, "--", "/bin/sh", "-c", "env; exit 4"]
    let result = try Program.run(words, environment: ["HTTP_PROXY": "http://corporate:1", "HEADWIND_SEED": "1"])
    #expect(result.status == 4 && result.errors.isEmpty, "\(result.errors)")
    let lease = try #require(stub.asked.first { $0.line == "POST /leases" })
    let body = try JSONValue(lease.body)
    #expect(body["profile"] == "3g" && body["proxies"] == ["api"] && body["for"] == "15s")
    #expect(body["by"].string?.contains(/^headwind with \(pid \d+\)$/) == true)
    #expect(body["reason"] == "/bin/sh -c 'env; exit 4'")
    #expect(stub.asked.last?.line == "DELETE /leases/L1")
    let lines = Set(result.output.split(separator: "\n").map(String.init))
    let port = stub.address.port
    let exempt = "127.0.0.1:\(port),127.0.0.1:7001"
    #expect(
      lines.isSuperset(of: [
        "HEADWIND_URL=\(stub.url)", "HEADWIND_PROFILE=3g", "HEADWIND_PROXY_API=127.0.0.1:7001",
        "HEADWIND_PROXY_SOCKS=[::1]:7004", "HTTP_PROXY=http://127.0.0.1:7003", "https_proxy=http://127.0.0.1:7003",
        "ALL_PROXY=socks5h://[::1]:7004", "NO_PROXY=\(exempt)", "no_proxy=\(exempt)",
      ]), "\(lines.sorted())")
    #expect(!result.output.contains("HEADWIND_PROXY_OFF") && !result.output.contains("HEADWIND_SEED"))
  }

  @Test func aRunUnderLeasesTakesOneForEach() throws {
    let stub = try ControlStub(Self.answers)
    let report = directory.path + "/report.json"
    let result = try RunCommand.run(
      ["--control", stub.url, "--profiles", "3g,lte", "--no-expect-traffic", "--report", report], "exit 0")
    #expect(result.status == 0, "\(result.errors)")
    #expect(stub.count("POST /leases") == 2 && stub.count("DELETE /leases/L1") == 2)
    let json = try JSONValue(Array(Data(contentsOf: URL(fileURLWithPath: report))))
    #expect(try JSONSchema("run-report.schema.json").complaints(json) == [])
    #expect(json["seed"] == .null && json["profiles"] == ["3g", "lte"])
    #expect(result.errors.contains("again: headwind run --profiles 3g,lte --no-expect-traffic --control \(stub.url)"))
  }

  @Test func withoutALeaseNothingIsRun() throws {
    let mark = directory.path + "/mark"
    let refusing = try ControlStub(Self.answers, lease: (400, #"{"error":"unknown profile \"3gg\""}"#))
    let refused = try Program.run(["with", "3gg", "--control", refusing.url, "--", "touch", mark])
    #expect(refused.status == 1 && refused.errors == "headwind: unknown profile \"3gg\"\n", "\(refused.errors)")
    let unknown = try RunCommand.run(["--control", refusing.url, "--profiles", "3g,3gg"], "touch \(mark)")
    #expect(unknown.status == 1 && !refusing.asked.contains { $0.line == "POST /leases" && $0.body.contains("\"3g\"") })
    let none = try Program.run(["with", "3g", "--control", "http://127.0.0.1:1", "--", "touch", mark])
    #expect(none.status == 1 && none.errors.contains("no daemon at http://127.0.0.1:1"), "\(none.errors)")
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func howeverItEndsTheLeaseIsReleased(signal: Int32) throws {
    let stub = try ControlStub(Self.answers)
    let program = try Program(
      Program.headwind, ["with", "3g", "--control", stub.url, "--", "/bin/sh", "-c", "echo ready; exec sleep 60"])
    #expect(try RunCommand.firstLine(of: program) == ["ready"])
    program.send(signal)
    #expect(program.exit(within: .seconds(5)) == 128 + signal)
    #expect(stub.asked.last?.line == "DELETE /leases/L1")
  }

  // MARK: Renewal, every 5 s

  @Test func aLeaseIsRenewedWhileTheCommandRuns() throws {
    let stub = try ControlStub(Self.answers)
    let program = try Program(Program.headwind, ["with", "3g", "--control", stub.url, "--", "sleep", "60"])
    #expect(eventually(within: .seconds(9)) { stub.count("POST /leases/L1/renew") == 1 })
    program.send(SIGTERM)
    #expect(program.exit(within: .seconds(5)) == 143)
  }

  @Test func aLeaseThatHasEndedIsToldAndTheCommandGoesOn() throws {
    let stub = try ControlStub(Self.answers, renewal: 404)
    let (program, stop) = try untilStopped(["with", "3g", "--control", stub.url, "--"])
    #expect(eventually(within: .seconds(9)) { program.errors.contains("has ended the lease; the command goes on") })
    try directory.write("", to: stop)
    #expect(program.exit(within: .seconds(5)) == 6)
    #expect(stub.count("DELETE /leases/L1") == 0)
  }

  @Test func aDaemonThatDiesIsToldAndTheCommandGoesOn() throws {
    let stub = try ControlStub(Self.answers)
    let (program, stop) = try untilStopped(
      ["run", "--control", stub.url, "--profiles", "3g", "--report", directory.path + "/report.json", "--"])
    stub.stop()
    #expect(eventually(within: .seconds(9)) { program.errors.contains("is gone; the command goes on without it") })
    try directory.write("", to: stop)
    #expect(program.exit(within: .seconds(5)) == 6)
    let report = try JSONValue(Array(Data(contentsOf: URL(fileURLWithPath: directory.path + "/report.json"))))
    #expect(report["runs"][0]["daemon_lost"].string?.contains("is gone") == true)
    #expect(try JSONSchema("run-report.schema.json").complaints(report) == [])
  }

  /// That nothing is known of its traffic is no failure of the run.
  @Test func aDaemonThatDiesAtTheEndIsTold() throws {
    let stub = try ControlStub(Self.answers)
    let (program, stop) = try untilStopped(
      ["run", "--control", stub.url, "--profiles", "3g", "--report", "-", "--"], 0)
    stub.stop()
    try directory.write("", to: stop)
    #expect(program.exit(within: .seconds(5)) == 0)
    #expect(program.errors.contains("the lease could not be released (no daemon at \(stub.url)"), "\(program.errors)")
    let report = try JSONValue(String(program.output.dropFirst("ready\n".count)))
    #expect(report["runs"][0]["daemon_lost"].string?.contains("no daemon") == true)
  }

  /// A command that ends with a status when a file is there.
  private func untilStopped(_ words: [String], _ status: Int = 6) throws -> (Program, file: String) {
    let script = "echo ready; until [ -e \(directory.path)/stop ]; do sleep 0.02; done; exit \(status)"
    let program = try Program(Program.headwind, words + ["/bin/sh", "-c", script])
    #expect(try RunCommand.firstLine(of: program) == ["ready"])
    return (program, "stop")
  }
}
