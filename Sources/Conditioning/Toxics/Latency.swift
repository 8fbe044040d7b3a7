/// Delays bytes by a fixed time plus jitter, and keeps their order.
///
/// **Why the jitter is a process of time.** Independent draws per chunk, each clamped so that it does not overtake the one
/// before, shift the mean: in a dense stream every chunk waits for the unluckiest of those before it, and the delay creeps
/// towards latency + jitter. Here the deviation u(t) runs through random knots, uniform in -1 ... 1 and 2 · jitter apart,
/// and is linear in between. So the delay falls by at most one second per second, nothing can overtake, nothing needs a
/// clamp, and since knots and arrivals know nothing of each other the mean is the latency exactly, at any spacing. After
/// a gap of more than 2 · jitter the last arrival is out of reach of any new delay, so a fresh knot begins at once:
/// sparse traffic, requests and responses, sees independent draws from the full uniform law.
///
/// Within a busy period u is a mix of two knots and so nearer to the middle than uniform; that is what a queue on a real
/// path does too, where neighbours in time are delayed alike.
///
/// Where jitter exceeds latency the delay is cut at 0 and the mean is not the latency anyway. There a fresh knot begins
/// whenever nothing is held: else a quick exchange of messages, delayed by 0, would stay at 0 for all of 2 · jitter.
package struct Latency: Toxic {
  package struct Parameters: Equatable, Sendable {
    /// Negative values count as 0.
    package var latency: Interval
    /// ± around the latency; negative values count as 0. A delay below 0 is 0.
    package var jitter: Interval

    package init(latency: Interval, jitter: Interval = .zero) {
      self.latency = latency
      self.jitter = jitter
    }
  }

  /// Each held segment costs some 50 bytes besides its payload: a flood of single bytes under a long delay must end.
  private static let heldSegmentsMax = 65_536

  private var parameters: Parameters
  private var jitter: JitterProcess
  private var line = DelayLine()

  package init(_ parameters: Parameters, generator: SeededGenerator) {
    self.parameters = parameters
    jitter = JitterProcess(generator: generator)
  }

  /// What is held follows the new values, counted from its arrival and with its old luck; order is kept.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    if parameters.jitter != self.parameters.jitter { jitter.restart() }
    self.parameters = parameters
    line.reschedule { entry in
      entry.segment.byteCount == 0 ? entry.arrival : entry.arrival + parameters.delay(deviation: entry.deviation)
    }
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    guard case .bytes = segment else {
      // An end or a reset is not delayed by itself, but stays behind data that is.
      line.append(segment, arrival: now, deviation: 0, due: now)
      return
    }
    if parameters.jitter > parameters.latency, line.deadline == nil { jitter.restart() }
    let deviation = jitter.deviation(at: now, jitter: parameters.jitter)
    line.append(segment, arrival: now, deviation: deviation, due: now + parameters.delay(deviation: deviation))
  }

  package mutating func poll(at now: Instant) -> Segment? {
    line.popFirst(dueAt: now)
  }

  package var deadline: Instant? { line.deadline }
  package var heldBytes: Int { line.byteCount }
  package var transit: Interval { max(.zero, parameters.latency) + max(.zero, parameters.jitter) }

  package func allowance(behind transit: Interval) -> Int { line.count < Latency.heldSegmentsMax ? .max : 0 }

  package mutating func surrender() -> [Segment] {
    line.takeAll()
  }
}

extension Latency.Parameters {
  /// The delay at a deviation of -1 ... 1.
  package func delay(deviation: Double) -> Interval {
    let shift = Double(max(.zero, jitter).nanoseconds) * deviation
    return max(.zero, max(.zero, latency) + Interval(rounding: shift))
  }
}

/// The deviation u(t): uniform knots, 2 · jitter apart, linear in between.
private struct JitterProcess {
  private var generator: SeededGenerator
  /// The knots around now: their times, then their values (in single precision, which no clock can tell).
  private var fromTime = Instant.distantPast
  private var toTime = Instant.distantPast
  private var fromValue: Float = 0
  private var toValue: Float = 0
  private var lastArrival = Instant.distantPast

  init(generator: SeededGenerator) {
    self.generator = generator
  }

  /// The next arrival begins with a fresh knot.
  mutating func restart() {
    lastArrival = .distantPast
  }

  /// In -1 ... 1; 0 when there is no jitter.
  mutating func deviation(at now: Instant, jitter: Interval) -> Double {
    guard jitter > .zero else { return 0 }
    let spacing = jitter + jitter
    if lastArrival == .distantPast || now - lastArrival > spacing {
      (toTime, toValue) = (now, Float(generator.symmetric()))
    }
    lastArrival = now
    // Once is enough: knots are `spacing` apart, and the last arrival, before `toTime`, is no farther away than that.
    if now >= toTime {
      (fromTime, fromValue) = (toTime, toValue)
      (toTime, toValue) = (fromTime + spacing, Float(generator.symmetric()))
    }
    let share = Double((now - fromTime).nanoseconds) / Double((toTime - fromTime).nanoseconds)
    return Double(fromValue) + Double(toValue - fromValue) * share
  }
}
