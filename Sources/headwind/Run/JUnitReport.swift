import Reactor

/// The form of results that CI servers read: a suite for each profile, a case for each run.
struct JUnitReport {
  let text: String

  init(_ report: RunReport) {
    let suites = report.summaries
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    lines.append("<testsuites" + JUnitReport.attributes([("name", "headwind run")] + Self.counts(report.results)) + ">")
    for suite in suites { lines += JUnitReport.lines(of: suite, report) }
    lines.append("</testsuites>")
    text = lines.joined(separator: "\n") + "\n"
  }

  private static func counts(_ results: [RunResult]) -> [(String, String)] {
    [
      ("tests", "\(results.count)"), ("failures", "\(results.count { $0.wasRun && !$0.passed })"), ("errors", "0"),
      ("time", seconds(results.reduce(0) { $0 + $1.durationNanoseconds })),
    ]
  }

  private static func lines(of suite: RunSummary, _ report: RunReport) -> [String] {
    let profile = suite.profile ?? "none"
    let start = suite.done.first?.startedAt ?? report.startedAt
    let head =
      [("name", profile)] + counts(suite.runs)
      + [("skipped", "\(suite.runs.count - suite.done.count)"), ("timestamp", "\(start.description.prefix(19))")]
    var lines = ["  <testsuite\(attributes(head))>", "    <properties>"]
    var properties = [("profile", profile), ("command", ShellText.line(report.plan.command))]
    if let seed = report.plan.seed ?? report.plan.daemonSeed { properties.append(("seed", "\(seed)")) }
    for (name, value) in properties {
      lines.append("      <property\(attributes([("name", name), ("value", value)]))/>")
    }
    lines.append("    </properties>")
    for run in suite.runs { lines += self.lines(of: run, profile, report.plan) }
    lines.append("  </testsuite>")
    return lines
  }

  private static func lines(of run: RunResult, _ profile: String, _ plan: RunPlan) -> [String] {
    let head = [
      ("classname", "headwind.\(profile)"), ("name", "run \(run.spec.index)"),
      ("time", seconds(run.durationNanoseconds)),
    ]
    let start = "    <testcase\(attributes(head))"
    guard run.wasRun else { return [start + ">", "      <skipped message=\"not run\"/>", "    </testcase>"] }
    guard let failure = run.failure else { return [start + "/>"] }
    let type =
      run.timedOut
      ? "timeout" : run.ending == .exited(0) ? (run.profileProblem == nil ? "no traffic" : "profile") : "exit"
    return [
      start + ">", "      <failure\(attributes([("message", failure), ("type", type)]))>",
      escaped("again: \(plan.repetition(of: run.spec))") + "</failure>", "    </testcase>",
    ]
  }

  /// With three decimals.
  private static func seconds(_ nanoseconds: Int64) -> String {
    let milliseconds = (nanoseconds + 500_000) / 1_000_000
    return "\(milliseconds / 1_000).\("\(1_000 + milliseconds % 1_000)".dropFirst())"
  }

  // MARK: XML

  private static func attributes(_ pairs: [(String, String)]) -> String {
    pairs.map { " \($0)=\"\(escaped($1))\"" }.joined()
  }

  /// Characters that XML 1.0 §2.2 doesn't allow, not even escaped, are replaced.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      // In an attribute these would become spaces.
      case "\t", "\n", "\r": "&#\(scalar.value);"
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
      default: String(scalar)
      }
    }.joined()
  }
}
