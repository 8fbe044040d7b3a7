import Conditioning
import Reactor

/// What all sessions under one profile share, and the timer that drives it.
final class SharedPath {
  enum Medium {
    /// The rate of one direction.
    case rate(SharedRate)
    /// Both directions, with all that TCP makes of them.
    case network(NetworkPath)
  }

  /// About what a packet costs on the heap, with its part of a sender's memory.
  private static let packetBytes = 200

  let medium: Medium
  /// Called when time has moved it on.
  var onTime: () -> Void = {}
  private let loop: EventLoop
  /// Counted when nothing was under way last.
  private var packetsBefore: Int64 = 0
  /// Lets the session move later in this turn of the loop, so that pieces that are due together go out in one write.
  private let drive: (_ session: Int) -> Void
  private lazy var timer = LoopTimer(loop: loop) { [unowned self] in serve() }

  init(_ medium: Medium, loop: EventLoop, drive: @escaping (_ session: Int) -> Void) {
    self.medium = medium
    self.loop = loop
    self.drive = drive
  }

  /// To be called after anything that may have given the path work, or taken it.
  func rearm() {
    if let deadline = medium.deadline {
      timer.arm(at: deadline.nanoseconds)
    } else {
      timer.cancel()
    }
    noteRest()
  }

  /// Where no packet is under way any more, what packets and their senders needed has fallen free, or does within moments.
  private func noteRest() {
    guard case .network(let network) = medium, network.isEmpty else { return }
    let packets = network.counters(.upstream).packets + network.counters(.downstream).packets
    guard packets > packetsBefore else { return }
    loop.noteHeapFreed(Int(packets - packetsBefore) * SharedPath.packetBytes)
    packetsBefore = packets
  }

  private func serve() {
    let now = loop.instant
    while let session = medium.poll(at: now) { drive(session) }
    onTime()
    rearm()
  }
}

extension SharedPath.Medium {
  /// The next session that is to be driven; call again until nil.
  fileprivate func poll(at now: Instant) -> Int? {
    switch self {
    case .rate(let rate): rate.poll(at: now)?.owner
    case .network(let network): network.poll(at: now)
    }
  }

  fileprivate var deadline: Instant? {
    switch self {
    case .rate(let rate): rate.deadline
    case .network(let network): network.deadline
    }
  }
}

@available(*, unavailable)
extension SharedPath: Sendable {}
