import Settings

/// All that a self-test has found. docs/schemas/selftest.schema.json describes its JSON.
struct SelfTestReport {
  let profile: Profile
  let seed: UInt64
  let isQuick: Bool
  let sections: [SelfTestSection]
  /// Toxics, and other parts of the profile, that were not tested.
  let untested: [String]
  /// The latest that a timer was, in ms: what the machine itself has added at worst.
  let latenessMilliseconds: Double
  let durationMilliseconds: Double

  /// A test of nothing has not passed.
  var passed: Bool {
    let rows = sections.flatMap(\.rows)
    return !rows.isEmpty && rows.allSatisfy(\.passed)
  }

  // MARK: JSON

  var json: JSON {
    .object([
      ("version", .string(VersionText.full)), ("profile", .string(profile.name)),
      ("seed", Int64(exactly: seed).map(JSON.integer) ?? .unsigned(seed)), ("quick", .bool(isQuick)),
      ("passed", .bool(passed)), ("tolerances", .string(Figure.tolerances)),
      ("duration_ms", SelfTestReport.number(durationMilliseconds)),
      ("timer_lateness_max_ms", SelfTestReport.number(latenessMilliseconds)),
      ("untested", .array(untested.map(JSON.string))),
      ("sections", .array(sections.map(SelfTestReport.json(of:)))),
    ])
  }

  private static func json(of section: SelfTestSection) -> JSON {
    .object([
      ("name", .string(section.name)), ("model", .string(section.path.modelInForce.rawValue)),
      ("rows", .array(section.rows.map(json(of:)))),
    ])
  }

  private static func json(of row: SelfTestRow) -> JSON {
    var runs: Int?
    if case .model(let count) = row.source { runs = count }
    return .object([
      ("what", .string(row.figure.rawValue)), ("unit", .string(row.figure.unit)), ("size", .integer(Int64(row.size))),
      ("promised", number(row.promised)), ("from", .string(SelfTestText.source(row.source))),
      ("model_runs", runs.map { .integer(Int64($0)) } ?? .null),
      ("model_p5", number(row.band.lowerBound)), ("model_p95", number(row.band.upperBound)),
      ("allowed_min", number(row.allowed.lowerBound)), ("allowed_max", number(row.allowed.upperBound)),
      ("measured", row.measured.map(number) ?? .null), ("count", .integer(Int64(row.count))),
      ("passed", .bool(row.passed)), ("problem", row.problem.map(JSON.string) ?? .null),
    ])
  }

  /// To thousandths: what is behind them is the clock's.
  private static func number(_ value: Double) -> JSON { .number((value * 1_000).rounded() / 1_000) }
}

extension Figure {
  var unit: String {
    switch self {
    case .downstreamRate, .upstreamRate, .sharedRate: "bytes_per_second"
    case .roundTrip, .spread, .firstByte, .transfer: "ms"
    case .fairness, .failures: "share"
    case .silence: "bytes"
    }
  }
}
