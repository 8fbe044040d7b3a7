extension BBR {
  /// Eight phases of a round trip each: more than the rate shows whether there is more to be had, less lets the queue
  /// of that run empty.
  struct GainCycle {
    private static let gains = [1.25, 0.75, 1, 1, 1, 1, 1, 1]

    private(set) var began = Instant.distantPast
    private var phase: UInt8 = 0

    var gain: Double { Self.gains[Int(phase)] }
    var isFaster: Bool { phase == 0 }

    /// Begins in any phase but the slower one, so that connections that began together don't go together.
    ///
    /// - Parameter luck: a number that differs between connections, and is the same when all is repeated.
    mutating func begin(luck: Int64, at now: Instant) {
      var dice = SeededGenerator(seed: UInt64(bitPattern: luck))
      phase = UInt8(Self.gains.count - 1 - Int(dice.unit() * 7))
      advance(at: now)
    }

    mutating func advance(at now: Instant) {
      phase = (phase + 1) % UInt8(Self.gains.count)
      began = now
    }
  }

  /// How far acknowledgements come in heaps: where jitter or the other end holds them together, the window has to be
  /// larger by a heap.
  struct AcknowledgementHeaps {
    private static let roundsInWindow = 5

    /// The largest of this window of rounds and of the one before.
    private var current: Int32 = 0
    private var previous: Int32 = 0
    private var began = Instant.distantPast
    private var acknowledged = 0
    private var rounds: UInt8 = 0

    var largest: Int { Int(max(current, previous)) }

    mutating func begin(at now: Instant) {
      began = now
      acknowledged = 0
    }

    mutating func take(_ report: AcknowledgementReport, _ rate: DeliveryRate, window: Int) {
      guard rate.isValid, report.delivered > 0 else { return }
      if rate.isRoundStart { endRound() }
      var expected = began == .distantPast ? 0 : rate.segmentsPerSecond * (report.now - began).seconds
      if Double(acknowledged) <= expected {
        begin(at: report.now)
        expected = 0
      }
      acknowledged += report.delivered
      current = max(current, Int32(clamping: min(acknowledged - Int(expected), window)))
    }

    private mutating func endRound() {
      rounds += 1
      guard rounds >= Self.roundsInWindow else { return }
      rounds = 0
      (previous, current) = (current, 0)
    }
  }

  /// The window around a loss: it isn't cut, but for a round no more is sent than has arrived; then it is as before.
  struct WindowRecovery {
    private(set) var windowBefore = 0
    /// As the last acknowledgement found it.
    var phase = Flight.Phase.open
    var isConserving = false
    private(set) var hasJustBegun = false

    /// A loss has been found, or the round trip is going to be probed.
    mutating func keep(_ window: Int, isPlain: Bool) {
      windowBefore = phase == .open && isPlain ? window : max(windowBefore, window)
    }

    /// - Returns: whether the window is settled, and doesn't grow with this acknowledgement.
    mutating func change(_ window: inout Int, _ report: AcknowledgementReport) -> Bool {
      defer { phase = report.phase }
      hasJustBegun = report.phase == .recovery && phase != .recovery
      window = max(1, window - report.newlyLost)
      if hasJustBegun {
        isConserving = true
        window = report.flying + report.delivered
      } else if report.phase == .open && phase != .open {
        isConserving = false
        window = max(window, windowBefore)
      }
      guard isConserving else { return false }
      window = max(window, report.flying + report.delivered)
      return true
    }
  }
}
