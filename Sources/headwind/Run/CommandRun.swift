import Reactor
import Settings

/// One run of the command: conditions, start, watching, end.
final class CommandRun {
  private static let pollNanoseconds: Int64 = 250_000_000
  private static let settlingNanoseconds: Int64 = 30_000_000
  private static let settlingPollsMax = 10
  private static let graceNanoseconds: Int64 = 5_000_000_000

  typealias Outcome = Result<RunResult, CommandError>

  private let plan: RunPlan
  private let loop: EventLoop
  private let host: any RunHost
  private let relay: SignalRelay
  private let progress: RunProgress
  private var result: RunResult
  private var done: ((Outcome) -> Void)?
  private var child: ChildProcess?
  private var startedAt: Int64 = 0
  private var refuses = false
  private var isPolling = false
  /// Why the daemon has not answered once; then nothing is known about the traffic.
  private var silence: String?
  private var settlingPolls = 0
  private lazy var pollTimer = LoopTimer(loop: loop) { [unowned self] in tick() }
  private lazy var limitTimer = LoopTimer(loop: loop) { [unowned self] in limitReached() }

  init(
    _ spec: RunSpec, plan: RunPlan, loop: EventLoop, host: any RunHost, relay: SignalRelay, progress: RunProgress
  ) {
    self.plan = plan
    self.loop = loop
    self.host = host
    self.relay = relay
    self.progress = progress
    result = RunResult(spec: spec)
  }

  /// - Parameter done: called once; with an error when the command could not even be tried.
  func start(_ done: @escaping (Outcome) -> Void) {
    self.done = done
    host.begin(result.spec) { [self] error in
      if let error { return finish(.failure(error)) }
      ask()
    }
  }

  private func finish(_ outcome: Outcome) {
    pollTimer.cancel()
    limitTimer.cancel()
    relay.child = nil
    host.end { [self] in
      child = nil
      let done = done
      self.done = nil
      done?(outcome)
    }
  }

  // MARK: Start

  /// What has to be known before the command is started.
  private func ask() {
    let profile = result.spec.profile.map { ["/profiles/\(percentEncoded($0))"] } ?? []
    host.getAll(["/proxies", "/events"] + profile) { [self] answers in
      do throws(CommandError) {
        let found = try answers.map { answer throws(CommandError) in try answer.get() }
        if !profile.isEmpty { refuses = CommandRun.refusesConnections(found[2]) }
        let names = found[0].members.map(\.0)
        host.getAll(names.map(RunPlan.countersTarget)) { [self] counters in
          let known = zip(names, counters).compactMap { name, answer in (try? answer.get()).map { (name, $0) } }
          let profile = result.spec.profile
          result.tally = RunTally(
            events: found[1], counters: Dictionary(known) { $1 },
            expected: profile.flatMap { profile in host.held.map { (profile, $0) } })
          run(proxies: found[0])
        }
      } catch {
        finish(.failure(error))
      }
    }
  }

  /// Under such a profile nothing can be seen of what the command tried.
  private static func refusesConnections(_ profile: JSON) -> Bool {
    profile["toxics"]?.array.contains { $0["attributes"]?["how"]?.string == "refuse" } ?? false
  }

  private func run(proxies: JSON) {
    // Whoever ended this process meanwhile wants no command any more.
    guard relay.request == nil else { return finish(.success(result)) }
    do throws(CommandError) {
      let environment = try RunEnvironment(
        proxies: proxies, url: host.url, token: host.token, profile: result.spec.profile ?? "none",
        seed: result.spec.seed)
      start(environment.child)
    } catch {
      finish(.failure(error))
    }
  }

  private func start(_ environment: ChildEnvironment) {
    ProcessTree.keepOrphans()
    result.startedAt = .now
    startedAt = loop.now
    do throws(ChildProcess.Failure) {
      let child = try ChildProcess(
        loop: loop, lastWords: plan.command.count, environment: environment
      ) { [unowned self] in ended($0) }
      self.child = child
      relay.child = child
    } catch {
      StandardError.write("headwind: \(error)\n")
      result.ending = .exited(error.code)
      return finish(.success(result))
    }
    if let limit = plan.maxNanoseconds { limitTimer.arm(at: startedAt + limit) }
    if plan.watches { pollTimer.arm(at: startedAt + CommandRun.pollNanoseconds) }
  }

  // MARK: Watching

  private func tick() {
    guard child?.isRunning == true else { return settle() }
    pollTimer.arm(at: loop.now + CommandRun.pollNanoseconds)
    // A daemon elsewhere may take longer than that to answer.
    guard !isPolling else { return }
    poll(counters: progress.isShown) { [self] in
      guard child?.isRunning == true else { return }
      progress.show(result.spec, nanoseconds: loop.now - startedAt, result.traffic)
    }
  }

  private func poll(counters: Bool, _ done: @escaping () -> Void) {
    guard let tally = result.tally, host.loss == nil else { return done() }
    isPolling = true
    host.getAll(["/events?since=\(tally.newestEvent)"] + (counters ? ["/proxies"] : [])) { [self] answers in
      switch answers[0] {
      case .success(let events): result.tally?.take(events: events)
      case .failure(let error): silence = error.message
      }
      let proxies = answers.count > 1 ? (try? answers[1].get())?.members.map(\.0) ?? [] : []
      host.getAll(proxies.map(RunPlan.countersTarget)) { [self] counters in
        // One that has been deleted meanwhile has none.
        for case (let name, .success(let json)) in zip(proxies, counters) {
          result.tally?.take(counters: json, of: name)
        }
        isPolling = false
        done()
      }
    }
  }

  // MARK: End

  private func limitReached() {
    guard let child, child.isRunning else { return }
    guard !result.timedOut else { return child.killTree() }
    result.timedOut = true
    child.send(ThisProcess.terminate)
    limitTimer.arm(at: loop.now + CommandRun.graceNanoseconds)
  }

  private func ended(_ ending: ChildProcess.Ending) {
    result.durationNanoseconds = loop.now - startedAt
    result.ending = ending
    limitTimer.cancel()
    // Whatever it left running would run on for ever. (There is nothing, unless its guardian was killed.)
    child?.killTree()
    progress.clear()
    plan.watches ? settle() : conclude()
  }

  /// Its last bytes may still be on their way through the daemon: waits until nothing moves any more, for a short time.
  private func settle() {
    guard !isPolling else { return pollTimer.arm(at: loop.now + CommandRun.settlingNanoseconds) }
    let (before, newest) = (result.traffic, result.tally?.newestEvent)
    settlingPolls += 1
    poll(counters: true) { [self] in
      let moves = result.traffic != before || result.tally?.newestEvent != newest || settlingPolls == 1
      guard moves, settlingPolls < CommandRun.settlingPollsMax, host.loss == nil else { return conclude() }
      pollTimer.arm(at: loop.now + CommandRun.settlingNanoseconds)
    }
  }

  private func conclude() {
    result.loss = host.loss ?? silence
    if plan.expectsTraffic, !refuses, result.loss == nil, result.traffic.isNothing {
      result.trafficProblem = RunText.noTraffic(connections: result.traffic.connections)
    }
    if let other = result.tally?.otherProfile {
      result.profileProblem = RunText.otherProfile(other, insteadOf: result.spec.profile ?? "none")
    }
    finish(.success(result))
  }
}
