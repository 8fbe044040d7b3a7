import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `headwind selftest`. A busy machine may fail it by being late, so that only what lateness can't do is asserted here; when
/// which measurement passes is tested with numbers.
@Suite(.blocking)
struct SelfTestTests {
  private static let figures = [
    "round_trip", "round_trip_spread", "first_byte", "transfer", "downstream_rate", "upstream_rate", "shared_rate",
    "fairness",
  ]

  @Test func lteIsMeasuredAgainstItsNumbers() throws {
    let found = try Program.run(["selftest", "lte", "--quick", "--json", "--seed", "5"], within: .seconds(90))
    let json = found.json
    #expect(found.status == (json["passed"] == true ? 0 : 1), "\(found.errors)")
    #expect(json["profile"] == "lte" && json["seed"] == 5 && json["untested"] == [])
    let section = json["sections"][0]
    #expect(section["name"] == "lte" && section["model"] == "tcp" && section["rows"].array.count == 8)
    var rows: [String: JSONValue] = [:]
    for row in section["rows"].array { rows[row["what"].string ?? ""] = row }
    #expect(section["rows"].array.map { $0["what"].string ?? "" } == Self.figures)
    func promised(_ figure: String) -> Double { rows[figure]?["promised"].number ?? -1 }
    func measured(_ figure: String) -> Double { rows[figure]?["measured"].number ?? -1 }
    // Its own numbers: 6.25 MB/s of packets, 50 ms; 100 KiB take five round trips.
    #expect((promised("downstream_rate") - 6_250_000 * 1448 / 1500).magnitude < 1)
    #expect((50...51).contains(promised("round_trip")) && (100...101).contains(promised("first_byte")))
    #expect((249...253).contains(promised("transfer")))
    // Nothing is early or faster, however busy the machine.
    #expect(measured("round_trip") >= 50 && measured("first_byte") >= 100 && measured("transfer") >= 245)
    for rate in ["downstream_rate", "upstream_rate", "shared_rate"] {
      #expect(measured(rate) > 0 && measured(rate) < 6_250_000, "\(rate)")
    }
    let verdicts = rows.values.map { row in
      let isNear = (row["allowed_min"].number ?? 0)...(row["allowed_max"].number ?? 0) ~= (row["measured"].number ?? -1)
      return row["passed"] == .bool(isNear && row["problem"] == .null)
    }
    #expect(verdicts.allSatisfy { $0 }, "a verdict is what its numbers say")
  }

  @Test func failingRequestsAreCounted() throws {
    let flaky = try Program.run(["selftest", "flaky", "--quick", "--json", "--seed", "11"])
    // The dice of sessions come from the seed, so this passes always or never.
    #expect(flaky.status == 0, "\(flaky.output)\(flaky.errors)")
    let row = flaky.json["sections"][0]["rows"][0]
    #expect(row["what"] == "failures" && row["promised"] == 0.3 && row["count"] == 200 && row["problem"] == .null)
    let offline = try Program.run(["selftest", "offline", "--quick"])
    #expect(offline.status == 0 && offline.output.contains("chance (refused)"))
    #expect(offline.errors.hasPrefix("headwind: selftest: ") && offline.errors.split(separator: "\n").count == 1)
    #expect(offline.output.contains("All passed."))
  }

  @Test func thePictureIsWritten() throws {
    let file = NSTemporaryDirectory() + "selftest-\(UUID().uuidString).svg"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let found = try Program.run(["selftest", "none", "--quick", "--svg", file])
    #expect(found.output.contains("round trip, median"))
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("<?xml ") && text.hasSuffix("</svg>\n") && text.contains("received (kB)"))
    let printed = try Program.run(["selftest", "none", "--quick", "--svg", "-"])
    #expect(printed.output.hasPrefix("<?xml ") && printed.output.hasSuffix("</svg>\n"))
  }

  static let failures: [(words: [String], says: String)] = [
    (["lt"], #"unknown profile "lt"; did you mean "lte"?"#),
    (["3g", "--svg", "/nowhere/at/all.svg"], "--svg /nowhere/at/all.svg: open: No such file or directory"),
    (["3g", "--svg", "/"], "--svg /: open: Is a directory"),
    (["offline", "--svg", "-"], "--svg: under offline nothing arrives that could be drawn"),
  ]

  @Test(arguments: failures)
  func whatCanNotWorkIsToldBeforeAnythingIsMeasured(words: [String], says: String) throws {
    let found = try Program.run(["selftest"] + words)
    #expect(found.status == 1 && found.output.isEmpty)
    #expect(found.errors.hasPrefix("headwind: \(says)"), "\(found.errors)")
  }

  #if os(Linux)
    @Test func controlCEndsIt() throws {
      let program = try Program(Program.headwind, ["selftest", "gprs", "--quick", "--json"])
      // It has put its own handler in place: it measures.
      #expect(eventually(within: .seconds(60)) { Self.catches(SIGINT, program.identifier) })
      program.send(SIGINT)
      #expect(program.exit() == 130)
      #expect(program.output.isEmpty && program.errors.isEmpty)
    }

    private static func catches(_ signal: Int32, _ process: Int32) -> Bool {
      let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
      let mask = line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
      return mask >> UInt64(signal - 1) & 1 == 1
    }
  #endif
}
