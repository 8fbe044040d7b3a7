import Reactor
import Settings

/// What `selftest` is to do.
struct SelfTestOptions {
  private static let quickSeconds: UInt64 = 5
  private static let fullSteps = 1_500_000
  private static let quickSteps = 200_000

  let catalogue: ProfileCatalogue
  let profile: Profile
  let seconds: Double
  let isQuick: Bool
  let seed: UInt64
  let picture: String?
  let asJSON: Bool

  init(_ arguments: Arguments) throws(CommandError) {
    let catalogue = try ServeOptions.catalogue(ServeOptions.directories(arguments), Config())
    self.catalogue = catalogue
    let name = arguments.operands.first ?? "3g"
    profile = try failing { () throws(UnknownProfile) in try catalogue.profile(named: name) }
    isQuick = arguments.has("--quick")
    if isQuick, arguments.has("--seconds") { throw arguments.usage("--quick and --seconds exclude each other") }
    seconds = Double(try arguments.wholeNumber("--seconds", in: 2...600) ?? (isQuick ? Self.quickSeconds : 30))
    seed = try arguments.wholeNumber("--seed") ?? .random(in: 0..<(1 << 53))
    picture = arguments.value("--svg")
    asJSON = arguments.has("--json")
    try checkPicture(arguments)
  }

  /// A minute of measuring is not to end in a file that can't be written.
  private func checkPicture(_ arguments: Arguments) throws(CommandError) {
    guard let picture else { return }
    guard picture != "-" else {
      if asJSON { throw arguments.usage("--svg - and --json both want standard output") }
      return
    }
    do throws(LoopError) {
      try TextFile.requireWritable(picture)
    } catch {
      throw .failure("--svg \(picture): \(error)")
    }
  }

  /// - Returns: the exit status.
  func run() throws(CommandError) -> Int32 {
    let planner = SelfTestPlanner(
      profile: profile, seconds: seconds, seed: seed, stepsMax: isQuick ? Self.quickSteps : Self.fullSteps)
    if !asJSON { SelfTestProgress.show("\(profile.name): the model runs …") }
    let sections = planner.sections()
    if !asJSON { SelfTestProgress.clear() }
    if picture != nil, sections.first(where: { $0.picture != nil }) == nil {
      throw .failure("--svg: under \(profile.name) nothing arrives that could be drawn")
    }
    let run = try SelfTestRun(sections, catalogue: catalogue, seed: seed, isQuiet: asJSON)
    guard let measured = try run.run() else { return 130 }
    let report = SelfTestReport(
      profile: profile, seed: seed, isQuick: isQuick, sections: measured, untested: untested,
      latenessMilliseconds: run.latenessMilliseconds,
      durationMilliseconds: run.durationMilliseconds)
    if picture != "-" { StandardOutput.write(asJSON ? report.json.text + "\n" : SelfTestText.text(report)) }
    try draw(report)
    return report.passed ? 0 : 1
  }

  private var untested: [String] {
    FailurePromise(profile).untested + (profile.path.dnsLatencyMilliseconds > 0 ? ["dns_latency_ms"] : [])
  }

  private func draw(_ report: SelfTestReport) throws(CommandError) {
    guard let picture, let arrivals = report.sections.lazy.compactMap(\.picture).first else { return }
    let text = arrivals.svg(profile: report.profile, seed: report.seed)
    do throws(LoopError) {
      try picture == "-" ? StandardOutput.writeOrThrow(text) : TextFile.write(text, to: picture)
    } catch {
      throw .failure("--svg \(picture): \(error)")
    }
  }
}
