/// Lets a number of bytes pass, exactly, and closes the connection as soon as the last of them has come.
package struct LimitData: Toxic {
  package struct Parameters: Equatable, Sendable {
    /// Counted from the moment when the toxic came to the connection; 0 or less: closes at the first byte.
    package var bytes: Int64

    package init(bytes: Int64) {
      self.bytes = bytes
    }
  }

  private var parameters: Parameters
  private var passed: Int64 = 0
  private var hasClosed = false
  private var passing = SegmentQueue()
  private var verdicts: [Verdict] = []

  package init(_ parameters: Parameters) {
    self.parameters = parameters
  }

  /// What has passed stays counted; a limit that is reached already closes at the next byte.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    self.parameters = parameters
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    // A reset, too, comes behind the close: it must not overtake what a slow reader hasn't got yet. The close itself comes
    // again when the toxic has moved behind a stage that held it.
    guard !hasClosed || segment == .close else { return }
    guard case .bytes(var extent) = segment else { return passing.append(segment) }
    let room = Int(clamping: max(0, parameters.bytes - passed))
    guard extent.count >= room else {
      passed += Int64(extent.count)
      return passing.append(segment)
    }
    if room > 0 { passing.append(.bytes(room == extent.count ? extent : extent.takeFirst(room))) }
    passed += Int64(room)
    close()
  }

  package mutating func poll(at now: Instant) -> Segment? {
    passing.popFirst()
  }

  package var deadline: Instant? { passing.isEmpty ? nil : .distantPast }
  package var heldBytes: Int { passing.byteCount }
  package var hasLostBytes: Bool { hasClosed }

  package func allowance(behind transit: Interval) -> Int { hasClosed ? 0 : .max }

  package mutating func bytesComeAgain(_ count: Int) {
    passed = max(0, passed - Int64(count))
  }

  package mutating func surrender() -> [Segment] {
    passing.takeAll()
  }

  package mutating func takeVerdicts() -> [Verdict] {
    defer { verdicts = [] }
    return verdicts
  }

  private mutating func close() {
    hasClosed = true
    verdicts.append(Verdict(exchange: nil, outcome: .dropped(.close)))
    passing.append(.close)
  }
}
