import Conditioning

/// One session of the model: two links, and what their writers still have to write.
final class SimulatedSession {
  /// What a proxy reads at a time at most.
  private static let writeBytesMax = 256 << 10

  let number: Int
  var isClosed = false
  private let begins: Instant
  private var hasBegun = false
  private let acceptance: Interval
  /// When the server accepts; nil while it hasn't been asked.
  private var accepts: Instant?
  private var upstream: Side
  private var downstream: Side

  private struct Side: ~Copyable {
    var link: Link
    var waitingBytes = 0
    var offset: Int64 = 0
    /// The writer closes when all is written.
    var ends = false
    var hasEnded = false

    init(_ direction: Direction, number: Int, plan: [StagePlan], seed: UInt64, at now: Instant) {
      let identity = LinkIdentity(seed: seed, proxy: "selftest", session: number, direction: direction)
      link = Link(identity, plan: plan, owner: number, at: now)
    }

    /// As much as there is room for; false when nothing was written.
    mutating func write(at now: Instant) -> Bool {
      let count = min(waitingBytes, link.allowance, SimulatedSession.writeBytesMax)
      if count > 0 {
        link.receive(.bytes(Extent(start: offset, count: count)), at: now)
        offset += Int64(count)
        if waitingBytes != .max { waitingBytes -= count }
        return true
      }
      guard ends, !hasEnded, waitingBytes == 0 else { return false }
      hasEnded = true
      link.receive(.end, at: now)
      return true
    }
  }

  /// - Parameters:
  ///   - begins: when the client connects.
  ///   - acceptance: how long the server takes to accept, once it is asked.
  init(
    _ number: Int, plan: [Direction: [StagePlan]], seed: UInt64, at now: Instant, begins: Instant, acceptance: Interval
  ) {
    self.number = number
    self.begins = begins
    self.acceptance = acceptance
    upstream = Side(.upstream, number: number, plan: plan[.upstream] ?? [], seed: seed, at: now)
    downstream = Side(.downstream, number: number, plan: plan[.downstream] ?? [], seed: seed, at: now)
  }

  var deadline: Instant? {
    let begin = hasBegun ? nil : begins
    return [upstream.link.deadline, downstream.link.deadline, begin, accepts].compactMap { $0 }.min()
  }

  func shakeHands(at now: Instant) {
    if !hasBegun, begins <= now {
      hasBegun = true
      upstream.link.connection?.connect(at: now)
    }
    guard let connection = upstream.link.connection, connection.handshake == .atServer else { return }
    let due = accepts ?? now + acceptance
    accepts = due
    guard due <= now else { return }
    accepts = nil
    connection.serverAccepted(at: now)
  }

  func queue(_ bytes: Int, _ direction: Direction) {
    switch direction {
    case .upstream: upstream.waitingBytes = bytes == .max ? .max : upstream.waitingBytes + bytes
    case .downstream: downstream.waitingBytes = bytes == .max ? .max : downstream.waitingBytes + bytes
    }
  }

  /// What still waits is given up.
  func end(_ direction: Direction) {
    switch direction {
    case .upstream: (upstream.waitingBytes, upstream.ends) = (0, true)
    case .downstream: (downstream.waitingBytes, downstream.ends) = (0, true)
    }
  }

  func write(_ direction: Direction, at now: Instant) -> Bool {
    guard hasBegun else { return false }
    return direction == .upstream ? upstream.write(at: now) : downstream.write(at: now)
  }

  func poll(_ direction: Direction, at now: Instant) -> Segment? {
    direction == .upstream ? upstream.link.poll(at: now) : downstream.link.poll(at: now)
  }
}
