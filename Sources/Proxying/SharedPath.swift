import Conditioning
import Reactor
import Settings

/// The rate that all sessions under one profile share in one direction, and the timer that drives it.
final class SharedPath {
  let rate: SharedRate
  private let loop: EventLoop
  /// Lets the session move later in this turn of the loop, so that pieces that are due together go out in one write.
  private let drive: (_ session: Int) -> Void
  private lazy var timer = LoopTimer(loop: loop) { [unowned self] in serve() }

  init(bytesPerSecond: Int64?, loop: EventLoop, drive: @escaping (_ session: Int) -> Void) {
    rate = SharedRate(bytesPerSecond: bytesPerSecond, at: loop.instant)
    self.loop = loop
    self.drive = drive
  }

  /// To be called after anything that may have given the path work, or taken it.
  func rearm() {
    if let deadline = rate.deadline {
      timer.arm(at: deadline.nanoseconds)
    } else {
      timer.cancel()
    }
  }

  private func serve() {
    let now = loop.instant
    while let flow = rate.poll(at: now) { drive(flow.owner) }
    rearm()
  }
}

/// The shared paths of all profiles in use, one for each profile and direction that has a rate.
final class SharedPaths {
  private struct Key: Hashable {
    let profile: String
    let direction: Direction
  }

  private var paths: [Key: SharedPath] = [:]
  private let loop: EventLoop
  private let drive: (_ session: Int) -> Void

  init(loop: EventLoop, drive: @escaping (_ session: Int) -> Void) {
    self.loop = loop
    self.drive = drive
  }

  /// The path of `profile` in `direction`, nil where the profile sets no rate; a changed rate acts at once.
  func path(of profile: Profile, _ direction: Direction) -> SharedPath? {
    let key = Key(profile: profile.name, direction: direction)
    guard let rate = profile.path.bytesPerSecond(direction) else {
      paths[key] = nil
      return nil
    }
    guard let path = paths[key] else {
      let path = SharedPath(bytesPerSecond: rate, loop: loop, drive: drive)
      paths[key] = path
      return path
    }
    path.rate.setRate(rate, at: loop.instant)
    path.rearm()
    return path
  }

  /// Forgets the paths of profiles that nobody is under.
  func keep(only profiles: Set<String>) {
    paths = paths.filter { profiles.contains($0.key.profile) }
  }
}

@available(*, unavailable)
extension SharedPath: Sendable {}
@available(*, unavailable)
extension SharedPaths: Sendable {}
