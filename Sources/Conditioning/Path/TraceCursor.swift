/// How far a trace's opportunities are given away: one after the other, round after round.
///
/// As Mahimahi's link does it: an opportunity carries 1,500 bytes in all, the rest of one packet and the beginning of the
/// next if that waits by then; one that comes while nothing waits is gone, and so is what it has left over.
struct TraceCursor {
  let trace: CapacityTrace
  /// When the first round began.
  private let beginning: Instant
  /// The opportunity that carried the last byte, counted through all rounds.
  private var index = 0
  /// What it has left over.
  private var leftBytes = 0

  init(_ trace: CapacityTrace, at now: Instant) {
    self.trace = trace
    beginning = now
    skip(to: now)
  }

  /// What waits is forgotten; the next byte takes the first opportunity after `now`.
  mutating func skip(to now: Instant) {
    index = firstIndex(after: now)
    leftBytes = CapacityTrace.opportunityBytes
  }

  /// When the last of `bytes`, at least 1, is carried.
  mutating func take(_ bytes: Int, at now: Instant) -> Instant {
    if time(of: index) <= now { skip(to: now) }
    var bytes = bytes
    while bytes > leftBytes {
      bytes -= leftBytes
      index += 1
      leftBytes = CapacityTrace.opportunityBytes
    }
    leftBytes -= bytes
    return time(of: index)
  }

  /// Bytes taken that opportunities after `now` carry: those in between carry all they can, since more was waiting.
  func backlogBytes(at now: Instant) -> Int {
    guard time(of: index) > now else { return 0 }
    let whole = index - firstIndex(after: now)
    return (whole + 1) * CapacityTrace.opportunityBytes - leftBytes
  }

  /// When the last byte taken is carried.
  var busyUntil: Instant { leftBytes < CapacityTrace.opportunityBytes ? time(of: index) : .distantPast }

  private func time(of index: Int) -> Instant {
    let (round, place) = index.quotientAndRemainder(dividingBy: trace.opportunities.count)
    let span = Int64(round) * Int64(trace.roundMilliseconds) + Int64(trace.opportunities[place])
    // Behind a long queue, at an opportunity a day, that may be after the end of time.
    return beginning + .nanoseconds(span.multipliedSaturated(by: 1_000_000))
  }

  private func firstIndex(after now: Instant) -> Int {
    let elapsed = max(.zero, now - beginning).nanoseconds / 1_000_000
    let (round, milliseconds) = elapsed.quotientAndRemainder(dividingBy: Int64(trace.roundMilliseconds))
    return Int(round) * trace.opportunities.count + trace.firstPlace(after: UInt32(milliseconds))
  }
}

extension CapacityTrace {
  fileprivate var roundMilliseconds: UInt32 { opportunities.last ?? 1 }

  /// The first opportunity later than that, by binary search; their number if there is none.
  fileprivate func firstPlace(after milliseconds: UInt32) -> Int {
    var (low, high) = (0, opportunities.count)
    while low < high {
      let middle = (low + high) / 2
      if opportunities[middle] <= milliseconds { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
