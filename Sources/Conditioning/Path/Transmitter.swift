/// The serialiser of a channel: when the last bit of what is sent has left, if all that came before leaves first.
///
/// A virtual clock, so nothing happens between calls: how much still waits follows from when it will be done. Work is
/// counted in billionths of a byte (a rate of 1 byte/s does one a nanosecond), as whole numbers; what a rate leaves of a
/// nanosecond is kept, so that nothing drifts.
struct Transmitter {
  typealias Work = Int128

  private enum State {
    case unlimited
    /// All that was accepted has left at `freeAt` and `rest`/`rate` ns.
    case rate(Int64, freeAt: Instant, rest: Work)
    /// Rate 0: what waits.
    case standing(Work)
    case trace(TraceCursor)
  }

  private var state: State

  init(_ capacity: Capacity, at now: Instant) {
    switch capacity {
    case .unlimited: state = .unlimited
    case .rate(let rate) where rate > 0: state = .rate(rate, freeAt: now, rest: 0)
    case .rate: state = .standing(0)
    case .trace(let trace): state = .trace(TraceCursor(trace, at: now))
    }
  }

  static func work(ofBytes bytes: Int) -> Work { Work(bytes) * 1_000_000_000 }

  /// Nothing waits any more, and the capacity is that from now on; a trace that stays the same one goes on where it is.
  mutating func restart(_ capacity: Capacity, at now: Instant) {
    if case .trace(let trace) = capacity, case .trace(var cursor) = state, cursor.trace == trace {
      cursor.skip(to: now)
      state = .trace(cursor)
    } else {
      self = Transmitter(capacity, at: now)
    }
  }

  /// What of the accepted hasn't left yet.
  func backlog(at now: Instant) -> Work {
    switch state {
    case .unlimited: 0
    case .rate(let rate, let freeAt, let rest):
      freeAt < now ? 0 : (Work(freeAt.nanoseconds) - Work(now.nanoseconds)) * Work(rate) + rest
    case .standing(let work): work
    case .trace(let cursor): Self.work(ofBytes: cursor.backlogBytes(at: now))
    }
  }

  /// When all that was accepted will have left; `distantFuture`: never, long past: nothing waits.
  var busyUntil: Instant {
    switch state {
    case .unlimited: .distantPast
    case .rate(_, let freeAt, _): freeAt
    case .standing(let work): work > 0 ? .distantFuture : .distantPast
    case .trace(let cursor): cursor.busyUntil
    }
  }

  /// Accepts more work; when its last bit will have left, `distantFuture` if that can't be told.
  mutating func accept(_ work: Work, at now: Instant) -> Instant {
    switch state {
    case .unlimited:
      return now
    case .rate(let rate, var freeAt, var rest):
      if freeAt < now { (freeAt, rest) = (now, 0) }
      let (nanoseconds, left) = (rest + work).quotientAndRemainder(dividingBy: Work(rate))
      freeAt = freeAt + Interval(nanoseconds: Int64(clamping: nanoseconds))
      state = .rate(rate, freeAt: freeAt, rest: left)
      return left > 0 ? freeAt + .nanoseconds(1) : freeAt
    case .standing(let waiting):
      state = .standing(waiting + work)
      return .distantFuture
    case .trace(var cursor):
      // A change may leave a part of a byte.
      let bytes = Int(clamping: (work + Self.work(ofBytes: 1) - 1) / Self.work(ofBytes: 1))
      let departure = cursor.take(bytes, at: now)
      state = .trace(cursor)
      return departure
    }
  }
}
