import Reactor
import Settings

/// All runs, one after another, and what is told at the end.
final class RunMatrix {
  private let plan: RunPlan
  private let loop: EventLoop
  private let host: any RunHost
  private let relay: SignalRelay
  private let progress: RunProgress
  private let startedAt = WallTime.now
  private var results: [RunResult] = []
  private var current: CommandRun?
  private var failure: CommandError?

  init(_ plan: RunPlan, host: (EventLoop) throws(CommandError) -> any RunHost) throws(CommandError) {
    self.plan = plan
    let loop = try failing { () throws(LoopError) in try EventLoop() }
    self.loop = loop
    self.host = try host(loop)
    relay = try failing { () throws(LoopError) in try SignalRelay(loop: loop) }
    progress = RunProgress(isQuiet: plan.isQuiet, runs: plan.specs.count)
  }

  /// - Returns: the exit status.
  func run() throws(CommandError) -> Int32 {
    try requireWritable()
    loop.later { [self] in next() }
    loop.run()
    progress.clear()
    if let failure, !results.contains(where: \.wasRun) { throw failure }
    let all = results + plan.specs.dropFirst(results.count).map { RunResult(spec: $0) }
    if let failure { StandardError.write("headwind: \(failure.message)\n") }
    let isWritten = write(RunReport(plan: plan, results: all, startedAt: startedAt))
    tell(all)
    let code = exitCode(all)
    return code == 0 && !isWritten ? 1 : code
  }

  private var shouldStop: Bool {
    relay.request != nil || failure != nil || (plan.isFailFast && results.last?.passed == false)
  }

  private func next() {
    guard results.count < plan.specs.count, !shouldStop else { return loop.stop() }
    let spec = plan.specs[results.count]
    progress.number = results.count + 1
    if plan.watches { progress.begin(spec) }
    let run = CommandRun(spec, plan: plan, loop: loop, host: host, relay: relay, progress: progress)
    current = run
    run.start { [self] outcome in
      switch outcome {
      case .failure(let error): failure = error
      case .success(let result):
        results.append(result)
        if result.wasRun, plan.watches { progress.tell(result) }
      }
      // Not from inside the run that has just ended.
      loop.later { [self] in
        current = nil
        next()
      }
    }
  }

  /// That of the command where it was run once; of several runs the first that failed counts.
  private func exitCode(_ all: [RunResult]) -> Int32 {
    if let failed = results.first(where: { $0.wasRun && !$0.passed }) { return failed.exitCode }
    if failure != nil { return 1 }
    guard let signal = relay.request, all.contains(where: { !$0.wasRun }) else { return 0 }
    return 128 + signal
  }

  // MARK: What is told

  private func requireWritable() throws(CommandError) {
    if let path = plan.reportFile, path == plan.junitFile {
      throw .failure("--report and --junit both name \(path); allowed: two files")
    }
    for case let (option, path?) in [("--report", plan.reportFile), ("--junit", plan.junitFile)] where path != "-" {
      do throws(LoopError) {
        try TextFile.requireWritable(path)
      } catch {
        throw .failure("\(option): \(path): \(LoopError.message(for: error.code))")
      }
    }
  }

  /// - Returns: whether all of it could be written.
  private func write(_ report: RunReport) -> Bool {
    var isWritten = true
    func write(_ text: String, to path: String?) {
      guard let path else { return }
      do throws(LoopError) {
        try path == "-" ? StandardOutput.writeOrThrow(text) : TextFile.write(text, to: path)
      } catch {
        StandardError.write("headwind: \(path == "-" ? "standard output" : path): \(error)\n")
        isWritten = false
      }
    }
    write(report.json.indentedText + "\n", to: plan.reportFile)
    if plan.junitFile != nil { write(JUnitReport(report).text, to: plan.junitFile) }
    return isWritten
  }

  private func tell(_ all: [RunResult]) {
    guard plan.watches else { return }
    if plan.isMatrix, !plan.isQuiet { StandardError.write(RunText.table(RunSummary.all(all))) }
    if !plan.isMatrix, plan.isQuiet, let failure = all[0].failure { StandardError.write("headwind: \(failure)\n") }
    StandardError.write(RunText.repetition(plan, all))
  }
}
