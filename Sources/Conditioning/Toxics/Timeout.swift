/// Drops every byte of its stream, and closes the connection at a fixed time. Ends and resets pass.
///
/// One deadline for the whole connection, from the moment when the toxic came to it or was changed; data doesn't move it.
/// Taken away after it has dropped bytes it closes the connection at once, because the stream has a hole.
package struct Timeout: Toxic {
  package struct Parameters: Equatable, Sendable {
    /// 0 or less: never closes.
    package var timeout: Interval

    package init(timeout: Interval) {
      self.timeout = timeout
    }
  }

  private var closing: Instant?
  private var hasClosed = false
  private var passing = SegmentQueue()
  private var verdicts: [Verdict] = []
  package private(set) var hasLostBytes = false

  package init(_ parameters: Parameters, at now: Instant) {
    update(parameters, at: now)
  }

  /// The clock starts anew.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    closing = parameters.timeout > .zero ? now + parameters.timeout : nil
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    switch segment {
    case .bytes: hasLostBytes = true
    case .end, .close, .reset: passing.append(segment)
    }
  }

  package mutating func poll(at now: Instant) -> Segment? {
    if let segment = passing.popFirst() { return segment }
    guard !hasClosed, let closing, closing <= now else { return nil }
    hasClosed = true
    verdicts.append(Verdict(exchange: nil, outcome: .dropped(.close)))
    return .close
  }

  package var deadline: Instant? {
    if !passing.isEmpty { return .distantPast }
    return hasClosed ? nil : closing
  }

  package var heldBytes: Int { 0 }

  package func allowance(behind transit: Interval) -> Int { .max }

  package mutating func surrender() -> [Segment] {
    let closesNow = hasLostBytes && !hasClosed
    hasClosed = hasClosed || closesNow
    return passing.takeAll() + (closesNow ? [.close] : [])
  }

  package mutating func takeVerdicts() -> [Verdict] {
    defer { verdicts = [] }
    return verdicts
  }
}
