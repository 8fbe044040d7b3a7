/// Timers as Linux' timer wheel keeps them, with 250 ticks a second: one fires at the tick after the one that it is due
/// at, and a distant one at a coarser tick: up to an eighth of the delay late.
enum KernelTimer {
  static let tick = Interval.milliseconds(4)
  private static let finest: Int64 = 64

  static func fires(after delay: Interval, at now: Instant) -> Instant {
    guard delay < Interval(nanoseconds: .max) else { return .distantFuture }
    let length = tick.nanoseconds
    let ticks = max(0, (delay.nanoseconds.addingSaturated(length - 1)) / length)
    let due = floorDivision(now.nanoseconds, length).addingSaturated(ticks)
    var shift: Int64 = 0
    while (ticks >> shift) >= finest { shift += 3 }
    let fires = ((due >> shift) + 1) << shift
    let (nanoseconds, overflow) = fires.multipliedReportingOverflow(by: length)
    return overflow ? .distantFuture : Instant(nanoseconds: nanoseconds)
  }

  /// Clocks may begin below 0.
  private static func floorDivision(_ value: Int64, _ divisor: Int64) -> Int64 {
    value / divisor - (value % divisor < 0 ? 1 : 0)
  }
}
