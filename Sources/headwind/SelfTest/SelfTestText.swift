import Settings

/// What `selftest` prints for people.
enum SelfTestText {
  static func text(_ report: SelfTestReport, isColoured: Bool = Colour.isWanted) -> String {
    var text = heading(report) + "\n"
    for section in report.sections {
      if report.sections.count > 1 { text += "\n\(section.name.printable)\n" }
      text += "\n" + table(section).text(isColoured: isColoured)
    }
    return text + "\n" + footer(report)
  }

  private static func heading(_ report: SelfTestReport) -> String {
    let summary = report.profile.summary.isEmpty ? "" : ": \(report.profile.summary.printable)"
    return "\(report.profile.name)\(summary)"
  }

  private static func table(_ section: SelfTestSection) -> TextTable {
    var table = TextTable(
      ["WHAT", "PROMISED", "BY", "MEASURED", "ALLOWED", "N", "VERDICT"], rightAligned: [1, 3, 4, 5])
    for row in section.rows {
      table.add(
        [
          what(row), FigureText.text(row.promised, row.figure), source(row.source),
          row.measured.map { FigureText.text($0, row.figure) } ?? "-", range(row.allowed, row.figure),
          "\(row.count)", verdict(row),
        ], colours: [6: row.passed ? .green : .red])
    }
    return table
  }

  static func what(_ row: SelfTestRow) -> String {
    switch row.figure {
    case .downstreamRate: "rate down"
    case .upstreamRate: "rate up"
    case .roundTrip: "round trip, median"
    case .spread: "round trip, 8 of 10 within ±"
    case .firstByte: "first byte of a new connection"
    case .transfer: "\(FigureText.bytes(row.size)) on a new connection"
    case .sharedRate: "\(JointTransfers.connections) × \(FigureText.bytes(row.size)) at once, sum"
    case .fairness: "\(JointTransfers.connections) × \(FigureText.bytes(row.size)) at once, fairness"
    case .failures: "requests that fail"
    case .silence: "bytes that get through"
    }
  }

  static func source(_ source: SelfTestRow.Source) -> String {
    switch source {
    case .formula(let text): text
    case .model(let runs): runs == 1 ? "model" : "model, \(runs) runs"
    case .chance(let kinds): "chance (\(kinds.map(\.rawValue).sorted().joined(separator: ", ")))"
    }
  }

  private static func range(_ range: ClosedRange<Double>, _ figure: Figure) -> String {
    if range.lowerBound == range.upperBound { return FigureText.text(range.lowerBound, figure) }
    return "\(FigureText.text(range.lowerBound, figure)) - \(FigureText.text(range.upperBound, figure))"
  }

  private static func verdict(_ row: SelfTestRow) -> String {
    row.passed ? "pass" : "FAIL" + (row.problem.map { ": \($0)" } ?? "")
  }

  private static func footer(_ report: SelfTestReport) -> String {
    let failed = report.sections.flatMap(\.rows).count { !$0.passed }
    var lines = [
      "Allowed is what the model had in its runs, each as long as what is measured, and what lies within "
        + "\(SelfTestRow.deviations) of",
      "their deviations from the median; on top of that, for the machine, \(Figure.tolerances).",
      "Timers were up to \(FigureText.time(milliseconds: report.latenessMilliseconds)) late here. "
        + "Seed \(report.seed).",
    ]
    if !report.untested.isEmpty { lines.append("Not tested: \(report.untested.joined(separator: ", ").printable).") }
    if failed > 0, report.latenessMilliseconds > 5 {
      lines.append("This machine was busy: try again when it is not.")
    }
    lines.append(
      failed == 0 && report.passed ? "All passed." : "\(failed) of \(report.sections.flatMap(\.rows).count) failed.")
    return lines.joined(separator: "\n") + "\n"
  }
}
