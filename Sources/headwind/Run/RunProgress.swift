import Reactor

/// How far the runs are: on a terminal in a line that is written over, elsewhere in a line for each run of several.
final class RunProgress {
  private let isQuiet: Bool
  private let runs: Int
  /// Which run it is, counted from 1.
  var number = 1
  private var isDrawn = false

  init(isQuiet: Bool, runs: Int) {
    self.isQuiet = isQuiet
    self.runs = runs
  }

  /// Whether there is anybody to see it. Behind others, as with `&`, the terminal's line is theirs.
  var isShown: Bool {
    !isQuiet && StandardError.isTerminal && ThisProcess.isInForeground && ThisProcess.environment("TERM") != "dumb"
  }

  /// The cursor goes back to the start: what the command writes there begins its line as it should.
  func show(_ spec: RunSpec, nanoseconds: Int64, _ traffic: RunTraffic) {
    guard isShown else { return }
    isDrawn = true
    let place = runs > 1 ? "[\(number)/\(runs)] " : ""
    let seconds = "\(nanoseconds / 1_000_000_000) s"
    StandardError.write("\r\u{1B}[K\(place)\(spec.name): \(seconds), \(RunText.traffic(traffic))\r")
  }

  func clear() {
    guard isDrawn else { return }
    isDrawn = false
    StandardError.write("\r\u{1B}[K")
  }

  /// A run of several is over.
  func tell(_ result: RunResult) {
    guard runs > 1, !isQuiet else { return }
    let outcome = result.failure.map { "FAILED (\($0))" } ?? "passed"
    let time = RunText.seconds(Double(result.durationNanoseconds) / 1e6)
    StandardError.write(
      "headwind: [\(number)/\(runs)] \(result.spec.name): \(outcome) in \(time), \(RunText.traffic(result.traffic))\n")
  }
}
