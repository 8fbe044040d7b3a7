import Conditioning
import Reactor
import Settings

/// Runs one task after the other on the command's own loop.
final class SelfTestRun {
  private let loop: EventLoop
  private let network: MeasuredNetwork
  private let progress: SelfTestProgress
  private var sections: [SelfTestSection]
  private var place = (section: 0, task: 0)
  private var failure: CommandError?
  private var interruption: SignalSource?
  private var isInterrupted = false

  init(
    _ sections: [SelfTestSection], catalogue: ProfileCatalogue, seed: UInt64, isQuiet: Bool
  ) throws(CommandError) {
    self.sections = sections
    let loop = try failing { () throws(LoopError) in try EventLoop() }
    self.loop = loop
    network = try failing { () throws(LoopError) in
      try MeasuredNetwork(loop: loop, catalogue: catalogue, seed: seed)
    }
    progress = SelfTestProgress(loop: loop, isQuiet: isQuiet, tasks: sections.flatMap(\.tasks))
    interruption = try failing { () throws(LoopError) in
      try SignalSource(loop: loop, signal: ThisProcess.interrupt) { [unowned self] in interrupt() }
    }
  }

  /// How late a timer was at worst, in ms: what the machine itself has added.
  var latenessMilliseconds: Double { probe.worstMilliseconds }
  private lazy var probe = LatenessProbe(loop: loop)
  private(set) var durationMilliseconds = 0.0

  /// - Returns: the sections with what was measured; nil when the user has had enough.
  func run() throws(CommandError) -> [SelfTestSection]? {
    let startedAt = loop.now
    probe.start()
    progress.announce()
    network.start { [self] error in
      if let error { return stop(error) }
      next()
    }
    loop.run()
    durationMilliseconds = Double(loop.now - startedAt) / 1e6
    progress.clear()
    if let failure { throw failure }
    return isInterrupted ? nil : sections
  }

  private func stop(_ failure: CommandError? = nil) {
    self.failure = failure
    probe.stop()
    loop.stop()
  }

  private func interrupt() {
    isInterrupted = true
    stop()
  }

  private func next() {
    while place.section < sections.count, place.task == sections[place.section].tasks.count {
      place = (place.section + 1, 0)
    }
    guard place.section < sections.count else { return stop() }
    let task = sections[place.section].tasks[place.task]
    progress.begin(task, of: sections[place.section].name)
    let workload = task.makeWorkload()
    network.run(workload, under: task.profile, limit: task.limit) { [self] isWhole in
      sections[place.section].tasks[place.task].take(workload, isWhole: isWhole)
      place.task += 1
      next()
    }
  }
}
