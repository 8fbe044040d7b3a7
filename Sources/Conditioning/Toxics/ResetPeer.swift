/// Resets the connection, some time after its stream first came to life.
///
/// On a connection that was open already when the toxic came the clock starts at once, idle or not; on a new one with the
/// first data or end. What comes in the meantime is held, so that nothing is lost when the toxic goes before its time.
package struct ResetPeer: Toxic {
  package struct Parameters: Equatable, Sendable {
    /// 0 or less: at once.
    package var timeout: Interval

    package init(timeout: Interval) {
      self.timeout = timeout
    }
  }

  /// Bytes held before the reader must stop; none of them will be delivered.
  static let heldBytesLimit = 64 * 1024

  private var parameters: Parameters
  private var beginning: Instant?
  private var hasFallen = false
  private var held = SegmentQueue()
  private var passing = SegmentQueue()
  private var verdicts: [Verdict] = []

  package init(_ parameters: Parameters, isNewConnection: Bool, at now: Instant) {
    self.parameters = parameters
    beginning = isNewConnection ? nil : now
  }

  /// The clock goes on; the new time counts from its old beginning.
  package mutating func update(_ parameters: Parameters, at now: Instant) {
    self.parameters = parameters
  }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    // Its own reset comes again when the toxic has moved behind a stage that held it.
    guard !hasFallen || segment == .reset else { return }
    if segment == .reset {
      // The peer was faster.
      fall()
    } else {
      beginning = beginning ?? now
      held.append(segment)
    }
  }

  package mutating func poll(at now: Instant) -> Segment? {
    if !hasFallen, let falling, falling <= now {
      verdicts.append(Verdict(exchange: nil, outcome: .dropped(.reset)))
      fall()
    }
    return passing.popFirst()
  }

  package var deadline: Instant? {
    if !passing.isEmpty { return .distantPast }
    return hasFallen ? nil : falling
  }

  package var heldBytes: Int { held.byteCount }
  package var hasLostBytes: Bool { hasFallen }

  package func allowance(behind transit: Interval) -> Int {
    hasFallen ? 0 : Self.heldBytesLimit - heldBytes
  }

  package mutating func surrender() -> [Segment] {
    passing.takeAll() + held.takeAll()
  }

  package mutating func takeVerdicts() -> [Verdict] {
    defer { verdicts = [] }
    return verdicts
  }

  private var falling: Instant? { beginning.map { $0 + max(.zero, parameters.timeout) } }

  private mutating func fall() {
    hasFallen = true
    _ = held.takeAll()
    passing.append(.reset)
  }
}
