import Reactor
import Settings

/// What `--report` writes. docs/schemas/run-report.schema.json describes it.
struct RunReport {
  let plan: RunPlan
  let results: [RunResult]
  let startedAt: WallTime

  var summaries: [RunSummary] { RunSummary.all(results) }

  var json: JSON {
    .object([
      ("version", .string(VersionText.full)), ("seed", RunReport.number(plan.seed ?? plan.daemonSeed)),
      ("command", .array(plan.command.map(JSON.string))), ("started_at", .string(startedAt.description)),
      ("profiles", .array(summaries.map { RunReport.name($0.profile) })),
      ("passed", .bool(results.allSatisfy(\.passed))),
      ("runs", .array(results.map(json(of:)))), ("summary", .array(summaries.map(RunReport.json(of:)))),
      ("repeat", .string(plan.repetition)),
    ])
  }

  private static func name(_ profile: String?) -> JSON { .string(profile ?? "none") }

  private static func number(_ value: UInt64?) -> JSON {
    value.map { Int64(exactly: $0).map(JSON.integer) ?? .unsigned($0) } ?? .null
  }

  private static func milliseconds(_ value: Double) -> JSON { .number((value * 1_000).rounded() / 1_000) }

  private func json(of result: RunResult) -> JSON {
    let head: [(String, JSON?)] = [
      ("profile", RunReport.name(result.spec.profile)), ("index", .integer(Int64(result.spec.index))),
      ("seed", RunReport.number(result.spec.seed ?? plan.daemonSeed)),
      ("status", .string(!result.wasRun ? "not_run" : result.passed ? "passed" : "failed")),
      ("failure", result.failure.map(JSON.string) ?? .null), ("repeat", .string(plan.repetition(of: result.spec))),
    ]
    return .object(head + ending(of: result) + traffic(of: result))
  }

  private func ending(of result: RunResult) -> [(String, JSON?)] {
    var signal: Int32?
    if case .killed(let number) = result.ending { signal = number }
    return [
      ("started_at", result.wasRun ? .string(result.startedAt.description) : .null),
      ("exit_code", result.wasRun ? .integer(Int64(result.exitCode)) : .null),
      ("signal", signal.map { .integer(Int64($0)) } ?? .null),
      ("duration_ms", result.wasRun ? RunReport.milliseconds(Double(result.durationNanoseconds) / 1e6) : .null),
      ("timed_out", .bool(result.timedOut)),
    ]
  }

  private func traffic(of result: RunResult) -> [(String, JSON?)] {
    RunReport.json(of: result.traffic) + [
      ("decisions", .array((result.tally?.decisions ?? []).map(\.json))),
      ("decisions_omitted", .integer(result.tally?.decisionsOmitted ?? 0)),
      ("events_lost", .integer(result.tally?.eventsLost ?? 0)), ("daemon_lost", result.loss.map(JSON.string) ?? .null),
    ]
  }

  private static func json(of traffic: RunTraffic) -> [(String, JSON?)] {
    [
      ("connections", .integer(traffic.connections)), ("upstream_bytes", .integer(traffic.upstreamBytes)),
      ("downstream_bytes", .integer(traffic.downstreamBytes)), ("drops", .integer(traffic.drops)),
    ]
  }

  private static func json(of summary: RunSummary) -> JSON {
    func time(_ quantile: Double) -> JSON {
      summary.durationMilliseconds(quantile: quantile).map(milliseconds) ?? .null
    }
    let head: [(String, JSON?)] = [
      ("profile", name(summary.profile)), ("runs", .integer(Int64(summary.done.count))),
      ("passed", .integer(Int64(summary.passed))),
      ("not_run", .integer(Int64(summary.runs.count - summary.done.count))), ("median_ms", time(0.5)),
      ("p95_ms", time(0.95)),
    ]
    return .object(head + json(of: summary.traffic))
  }
}
