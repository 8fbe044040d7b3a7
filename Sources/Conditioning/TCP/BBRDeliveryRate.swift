extension BBR {
  /// The path's rate as the most that was delivered in any of the last ten rounds, and the rounds themselves.
  struct DeliveryRate {
    private static let roundsInWindow = 10

    private var most = WindowedMaximum()
    private var round: Int32 = 0
    /// The round is over when what was sent after that much had been delivered is delivered itself.
    private var roundEnd: Int64 = 0
    private(set) var deliveredSegments: Int64 = 0
    /// Whether the acknowledgement at hand begins a round.
    private(set) var isRoundStart = false
    /// Whether it says anything: a time shorter than a round trip says how acknowledgements came, not what the path does.
    private(set) var isValid = false

    var segmentsPerSecond: Double { most.value }

    mutating func take(_ sample: RateSample, leastRoundTrip: Interval, mayBeTooLow: Bool) {
      deliveredSegments = sample.deliveredBefore + sample.delivered
      isRoundStart = false
      isValid = sample.interval > .zero && sample.interval >= leastRoundTrip
      guard isValid else { return }
      if sample.deliveredBefore >= roundEnd {
        roundEnd = deliveredSegments
        round &+= 1
        isRoundStart = true
      }
      let rate = Double(sample.delivered) / sample.interval.seconds
      if !mayBeTooLow || rate >= most.value {
        most.take(rate, round: Int(round), window: Self.roundsInWindow)
      }
    }

    /// A round begins with what is sent from now on.
    mutating func beginRound() { roundEnd = deliveredSegments }
  }

  /// The largest value of the last rounds, kept as the best three, each newer than the one before.
  struct WindowedMaximum {
    private struct Entry {
      let round: Int
      let value: Double
    }

    // The three side by side: an entry of eight and four bytes would take sixteen.
    private var values = (0.0, 0.0, 0.0)
    private var rounds: (Int32, Int32, Int32) = (0, 0, 0)

    private var best: Entry {
      get { Entry(round: Int(rounds.0), value: values.0) }
      set { (rounds.0, values.0) = (Int32(newValue.round), newValue.value) }
    }
    private var second: Entry {
      get { Entry(round: Int(rounds.1), value: values.1) }
      set { (rounds.1, values.1) = (Int32(newValue.round), newValue.value) }
    }
    private var third: Entry {
      get { Entry(round: Int(rounds.2), value: values.2) }
      set { (rounds.2, values.2) = (Int32(newValue.round), newValue.value) }
    }

    var value: Double { best.value }

    mutating func take(_ value: Double, round: Int, window: Int) {
      let entry = Entry(round: round, value: value)
      if value >= best.value || round - third.round > window {
        (best, second, third) = (entry, entry, entry)
        return
      }
      if value >= second.value {
        (second, third) = (entry, entry)
      } else if value >= third.value {
        third = entry
      }
      age(entry, window: window)
    }

    /// A best value that is too old goes; one that has no newer rival for long gets the newest as its rival.
    private mutating func age(_ entry: Entry, window: Int) {
      if entry.round - best.round > window {
        (best, second, third) = (second, third, entry)
        if entry.round - best.round > window { (best, second, third) = (second, third, entry) }
      } else if second.round == best.round && entry.round - best.round > window / 4 {
        (second, third) = (entry, entry)
      } else if third.round == second.round && entry.round - best.round > window / 2 {
        third = entry
      }
    }
  }

  /// Whether the rate has stopped growing: by less than a quarter in three rounds.
  struct FullPipe {
    private var rateBefore = 0.0
    private var roundsWithoutGrowth: UInt8 = 0
    private(set) var isReached = false

    mutating func look(_ rate: DeliveryRate, mayBeTooLow: Bool) {
      guard !isReached, rate.isRoundStart, !mayBeTooLow else { return }
      if rate.segmentsPerSecond >= rateBefore * 1.25 {
        rateBefore = rate.segmentsPerSecond
        roundsWithoutGrowth = 0
      } else {
        roundsWithoutGrowth += 1
        isReached = roundsWithoutGrowth >= 3
      }
    }

    /// After a loss that tells nothing of the rate.
    mutating func forget() {
      rateBefore = 0
      roundsWithoutGrowth = 0
    }
  }
}
