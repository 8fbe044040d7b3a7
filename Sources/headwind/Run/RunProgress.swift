import Reactor

/// How far the runs are: a line when each is over, of several on a terminal one when it begins, too. Where the terminal is
/// not the command's own output as well, that is a line that is written over: beside a command that writes there it would
/// destroy what that has left unfinished, a row of dots for instance.
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
  private var isOnTerminal: Bool { !isQuiet && StandardError.isTerminal && ThisProcess.isInForeground }

  var isShown: Bool {
    isOnTerminal && !StandardOutput.isTerminal && Environment.variable(.terminal) != "dumb"
  }

  /// A run begins.
  func begin(_ spec: RunSpec) {
    guard runs > 1, isOnTerminal, !isShown else { return }
    StandardError.write("headwind: [\(number)/\(runs)] \(spec.name) …\n")
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

  /// A run is over.
  func tell(_ result: RunResult) {
    guard !isQuiet else { return }
    let outcome = result.failure.map { "FAILED (\($0))" } ?? "passed"
    let time = RunText.seconds(Double(result.durationNanoseconds) / 1e6)
    let place = runs > 1 ? "[\(number)/\(runs)] " : ""
    StandardError.write(
      "headwind: \(place)\(result.spec.name): \(outcome) in \(time), \(RunText.traffic(result.traffic))\n")
  }
}
