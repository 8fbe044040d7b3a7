/// Holds the end of its stream back; bytes and resets pass at once.
package struct SlowClose: Toxic {
  package struct Parameters: Equatable, Sendable {
    /// Counted from the arrival of the end; 0 or less: none.
    package var delay: Interval

    package init(delay: Interval) {
      self.delay = delay
    }
  }

  private var parameters: Parameters
  private var line = DelayLine()

  package init(_ parameters: Parameters) {
    self.parameters = parameters
  }

  /// An end that is held follows the new delay, counted from its arrival.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    self.parameters = parameters
    line.reschedule { parameters.due($0.segment, at: $0.arrival) }
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    if segment == .reset { line.reschedule(\.arrival) }
    line.append(segment, arrival: now, deviation: 0, due: parameters.due(segment, at: now))
  }

  package mutating func poll(at now: Instant) -> Segment? {
    line.popFirst(dueAt: now)
  }

  package var deadline: Instant? { line.deadline }
  package var heldBytes: Int { line.byteCount }

  package func allowance(behind transit: Interval) -> Int { .max }

  package mutating func surrender() -> [Segment] {
    line.takeAll()
  }
}

extension SlowClose.Parameters {
  fileprivate func due(_ segment: Segment, at arrival: Instant) -> Instant {
    switch segment {
    case .end, .close: arrival + max(.zero, delay)
    case .bytes, .reset: arrival
    }
  }
}
