/// Which address to try when: the pure part of happy eyeballs (RFC 8305). No sockets and no clock.
///
/// Feed it what happens; it answers with what to do. Attempts are numbered in the order of ``addresses``.
struct DialSchedule {
  enum Action: Equatable {
    case connect(attempt: Int, to: SocketAddress)
    /// Call ``timePassed(at:)`` at this time, in place of an earlier such wish.
    case wake(at: Int64)
    case succeed(attempt: Int)
    case fail(Failure)
  }

  enum Failure: Equatable {
    case timedOut
    /// The last attempt's address and errno.
    case refused(SocketAddress, Int32)
  }

  /// The pause before the next attempt while one is open: 250 ms (RFC 8305, section 8).
  static let attemptDelayNanoseconds: Int64 = 250_000_000

  let addresses: [SocketAddress]
  private let deadline: Int64
  private var next = 0
  private var running = 0
  private var nextStart: Int64?
  private var isFinished = false

  /// - Parameters:
  ///   - resolved: at least one address, in the resolver's order.
  ///   - deadline: when to give up, in nanoseconds of the same clock as all other times here.
  init(resolved: [SocketAddress], deadline: Int64) {
    precondition(!resolved.isEmpty, "nothing to connect to")
    addresses = DialSchedule.interleave(resolved)
    self.deadline = deadline
  }

  /// Alternates the families, beginning with the resolver's favourite (RFC 8305, section 4). The system puts IPv6 first
  /// where it works (RFC 6724).
  static func interleave(_ resolved: [SocketAddress]) -> [SocketAddress] {
    let favourites = resolved.filter { $0.family == resolved[0].family }
    let others = resolved.filter { $0.family != resolved[0].family }
    var result: [SocketAddress] = []
    for index in 0..<max(favourites.count, others.count) {
      if index < favourites.count { result.append(favourites[index]) }
      if index < others.count { result.append(others[index]) }
    }
    return result
  }

  mutating func start(at now: Int64) -> [Action] {
    now >= deadline ? finish(.fail(.timedOut)) : startNext(at: now)
  }

  mutating func timePassed(at now: Int64) -> [Action] {
    if isFinished { return [] }
    if now >= deadline { return finish(.fail(.timedOut)) }
    if let nextStart, now >= nextStart { return startNext(at: now) }
    return [wake]
  }

  mutating func attemptFailed(_ attempt: Int, code: Int32, at now: Int64) -> [Action] {
    if isFinished { return [] }
    running -= 1
    if next < addresses.count { return startNext(at: now) }
    return running == 0 ? finish(.fail(.refused(addresses[attempt], code))) : []
  }

  mutating func attemptConnected(_ attempt: Int) -> [Action] {
    isFinished ? [] : finish(.succeed(attempt: attempt))
  }

  private mutating func startNext(at now: Int64) -> [Action] {
    let attempt = next
    next += 1
    running += 1
    nextStart = next < addresses.count ? now + DialSchedule.attemptDelayNanoseconds : nil
    return [wake, .connect(attempt: attempt, to: addresses[attempt])]
  }

  private var wake: Action { .wake(at: min(nextStart ?? deadline, deadline)) }

  private mutating func finish(_ action: Action) -> [Action] {
    isFinished = true
    return [action]
  }
}
