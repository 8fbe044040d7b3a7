import Settings

/// Who conditions the runs: a daemon of their own in this process, or one that runs anyway.
protocol RunHost: AnyObject {
  typealias Answer = Result<JSON, CommandError>

  /// Where its control API is, once a run has begun.
  var url: String { get }
  /// What it takes to ask it.
  var token: RunToken { get }
  /// Why it can't be asked any more; nil as long as it can.
  var loss: String? { get }

  /// The proxies that are to be under the run's profile to its end, empty for all; nil where the command may change that.
  var held: [String]? { get }

  /// Puts the conditions of a run in force.
  func begin(_ run: RunSpec, _ done: @escaping (CommandError?) -> Void)
  /// A call of the control API.
  func send(_ method: String, _ target: String, _ done: @escaping (Answer) -> Void)
  /// Takes away what `begin` made.
  func end(_ done: @escaping () -> Void)
}

extension RunHost {
  var held: [String]? { nil }

  /// One answer after another.
  func getAll(_ targets: [String], _ done: @escaping ([Answer]) -> Void) {
    getNext(of: targets[...], [], done)
  }

  private func getNext(of rest: ArraySlice<String>, _ answers: [Answer], _ done: @escaping ([Answer]) -> Void) {
    guard let target = rest.first else { return done(answers) }
    send("GET", target) { [self] in getNext(of: rest.dropFirst(), answers + [$0], done) }
  }
}

/// How the command of a run learns the token of the control API that it is told of. The token itself is put nowhere.
enum RunToken: Equatable {
  /// It asks for none: one that this process was given is another daemon's, and no business of the command.
  case none
  /// As this process has learned it.
  case inherited
  case file(String)
}

/// One run of the command: under which profile, for which time, with which luck.
struct RunSpec {
  /// Nil: what the daemon is under without being told.
  let profile: String?
  /// Counted from 1 within the profile.
  let index: Int
  /// Nil where the daemon's own counts.
  let seed: UInt64?

  /// `3g, run 2`
  var name: String { "\(profile ?? "no profile"), run \(index)" }
}
