/// When a toxic begins to act on a connection; until then it lets everything pass. Both conditions must hold.
package struct Trigger: Equatable, Sendable {
  /// Bytes of the toxic's stream that pass first, counted from the moment when the toxic came to the connection.
  package var bytes: Int64
  /// Time that passes first, counted from the same moment.
  package var delay: Interval

  package init(bytes: Int64 = 0, delay: Interval = .zero) {
    self.bytes = bytes
    self.delay = delay
  }

  /// Whether it holds from the beginning.
  var isImmediate: Bool { bytes <= 0 && delay <= .zero }
}

/// A toxic that waits for its trigger. It is made only then, so that its own clocks and counts begin with it.
struct Triggered: Toxic {
  private let beginning: Instant
  private var trigger: Trigger
  private var passed: Int64 = 0
  private var passing = SegmentQueue()
  private var toxic: (any Toxic)?
  private var make: (Instant) -> any Toxic

  /// Whether it has begun to.
  var isActing: Bool { toxic != nil }

  init(_ trigger: Trigger, at now: Instant, make: @escaping (Instant) -> any Toxic) {
    self.trigger = trigger
    self.make = make
    beginning = now
  }

  /// Takes over new parameters; false, with nothing changed, when the toxic acts already and is of another kind. One that
  /// acts goes on acting, whatever the new trigger says.
  mutating func update(_ plan: StagePlan, at now: Instant, make: @escaping (Instant) -> any Toxic) -> Bool {
    if var acting = toxic {
      toxic = nil
      let isUpdated = plan.kind.update(&acting, at: now)
      toxic = acting
      guard isUpdated else { return false }
    }
    self.make = make
    trigger = plan.trigger
    return true
  }

  mutating func receive(_ segment: Segment, at now: Instant) {
    act(at: now)
    guard toxic == nil else { return toxic!.receive(segment, at: now) }
    guard case .bytes(var extent) = segment else { return passing.append(segment) }
    let left = Int(clamping: max(0, trigger.bytes - passed))
    if left > 0, left < extent.count, isOver(now) {
      passed += Int64(left)
      passing.append(.bytes(extent.takeFirst(left)))
      act(at: now)
      toxic?.receive(.bytes(extent), at: now)
    } else {
      passed += Int64(extent.count)
      passing.append(segment)
      act(at: now)
    }
  }

  mutating func poll(at now: Instant) -> Segment? {
    act(at: now)
    return passing.popFirst() ?? toxic?.poll(at: now)
  }

  var deadline: Instant? {
    if !passing.isEmpty { return .distantPast }
    if let toxic { return toxic.deadline }
    return passed >= trigger.bytes ? beginning + trigger.delay : nil
  }

  var heldBytes: Int { passing.byteCount + (toxic?.heldBytes ?? 0) }
  var transit: Interval { toxic?.transit ?? .zero }
  var isHanging: Bool { toxic?.isHanging ?? false }
  var hasLostBytes: Bool { toxic?.hasLostBytes ?? false }
  var standsStill: Bool { toxic?.standsStill ?? false }
  var cutsWrites: Bool { toxic?.cutsWrites ?? false }

  func allowance(behind transit: Interval) -> Int { toxic?.allowance(behind: transit) ?? .max }

  mutating func bytesComeAgain(_ count: Int) {
    passed = max(0, passed - Int64(count))
    toxic?.bytesComeAgain(count)
  }

  mutating func surrender() -> [Segment] {
    passing.takeAll() + (toxic?.surrender() ?? [])
  }

  mutating func takeVerdicts() -> [Verdict] { toxic?.takeVerdicts() ?? [] }

  private func isOver(_ now: Instant) -> Bool { now >= beginning + trigger.delay }

  private mutating func act(at now: Instant) {
    guard toxic == nil, passed >= trigger.bytes, isOver(now) else { return }
    toxic = make(now)
  }
}
