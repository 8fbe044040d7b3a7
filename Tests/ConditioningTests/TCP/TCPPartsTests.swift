import Testing

@testable import Conditioning

/// The parts of an end, each by itself.
@Suite struct TCPPartsTests {
  // MARK: Timers

  /// A tick is 4 ms, and the tick after the one that is due; from 64 ticks on they come in eights.
  @Test(arguments: [(0.0, 4.0), (1, 8), (4, 8), (5, 12), (40, 44), (252, 256), (256, 288), (300, 320), (1_000, 1_024)])
  func theKernelsTimersComeInTicks(delay: Double, fires: Double) {
    #expect(KernelTimer.fires(after: .milliseconds(delay), at: .zero) == .zero + .milliseconds(fires))
  }

  @Test func aTimerIsNeverEarlyAndAnEighthLateAtMost() {
    var dice = SeededGenerator(seed: 3)
    for _ in 0..<10_000 {
      let now = Instant(nanoseconds: Int64.random(in: -(1 << 50)...(1 << 50), using: &dice))
      let delay = Interval(nanoseconds: Int64(dice.length(upTo: 1 << 40)))
      let late = KernelTimer.fires(after: delay, at: now) - now - delay
      #expect(late > .zero && late.nanoseconds <= delay.nanoseconds / 7 + 8_000_000)
    }
    #expect(KernelTimer.fires(after: Interval(nanoseconds: .max), at: .zero) == .distantFuture)
  }

  @Test func theTimeoutIsARoundTripAndTwoHundredMilliseconds() {
    var estimator = RoundTripEstimator()
    #expect(estimator.timeout == .seconds(1) && !estimator.hasSample)
    estimator.take(.milliseconds(50), oldest: 0, next: 1)
    #expect(estimator.timeout == .milliseconds(250))
    estimator.backOff()
    #expect(estimator.timeout == .milliseconds(500))
    for _ in 0..<20 { estimator.backOff() }
    #expect(estimator.timeout == .seconds(120))
    estimator.takeBackOffBack()
    #expect(estimator.timeout == .milliseconds(250))
  }

  /// A deviation rises at once and falls by a quarter in each round trip.
  @Test func theTimeoutFollowsTheDeviation() {
    var estimator = RoundTripEstimator()
    for number in Int64(0)..<50 { estimator.take(.milliseconds(100), oldest: number, next: number + 1) }
    #expect(estimator.timeout == .milliseconds(300))
    estimator.take(.milliseconds(1_100), oldest: 50, next: 51)
    let raised = estimator.timeout
    #expect(raised > .milliseconds(450))
    for number in Int64(51)..<200 { estimator.take(.milliseconds(100), oldest: number, next: number + 1) }
    #expect(estimator.timeout < .milliseconds(310) && estimator.leastTime == .milliseconds(100))
  }

  // MARK: The window

  @Test func cubeRootsAreRight() {
    for value in [1e-9, 0.001, 0.5, 1, 2, 7.9, 8, 27, 1e6, 123_456_789] {
      let root = cubeRoot(value)
      #expect(abs(root * root * root / value - 1) < 1e-12)
    }
    #expect(cubeRoot(0) == 0)
  }

  /// W(t) = C (t − K)³ + W_max with K = ∛(W_max (1 − β) / C): from 70 back to 100 in 4.2 s, then beyond.
  @Test func theWindowFollowsTheCubicCurve() {
    var cubic = Cubic()
    var window = cubic.reduce(window: 100)
    #expect(window == 70)
    var windows: [Int] = []
    var now = Instant.zero
    // One acknowledgement a segment, at a round trip so long that AIMD is slower.
    for _ in 0..<40 {
      for _ in 0..<window {
        window = cubic.grow(
          window: window, acknowledged: 1, leastRoundTrip: .milliseconds(200), at: now)
        now = now + .nanoseconds(200_000_000 / Int64(window))
      }
      windows.append(window)
    }
    // After 4.2 s, 21 round trips, it is where it was, and flat there.
    #expect(abs(windows[20] - 100) <= 2 && abs(windows[16] - windows[22]) <= 3)
    #expect(windows[2] > 76 && windows[39] > 115)
  }

  @Test func growthIsNeverSlowerThanThatOfReno() {
    var cubic = Cubic()
    var window = cubic.reduce(window: 20)
    var now = Instant.zero
    // At 10 ms a second is 100 round trips: 0.53 segments each.
    for _ in 0..<100 {
      for _ in 0..<window {
        window = cubic.grow(window: window, acknowledged: 1, leastRoundTrip: .milliseconds(10), at: now)
        now = now + .nanoseconds(10_000_000 / Int64(window))
      }
    }
    #expect(window >= 14 + 45 && window <= 14 + 60)
  }

  @Test func slowStartEndsWhenTheDelayGrows() {
    var hyStart = HyStart()
    let least = Interval.milliseconds(100)
    var ends = 0
    for number in Int64(1)...20 {
      // 112.5 ms is the limit.
      let isOver = hyStart.endsSlowStart(
        window: 20, roundTrip: .milliseconds(113), least: least, oldest: number, next: 100,
        at: .zero + .milliseconds(Double(number) * 10))
      ends += isOver ? 1 : 0
      // The ninth sample of the round is the first that counts.
      if number < 9 { #expect(!isOver) }
    }
    #expect(ends == 1)
  }

  @Test func slowStartEndsAfterALongTrain() {
    var hyStart = HyStart()
    var endedAt: Int64?
    for number in Int64(1)...200 where endedAt == nil {
      let isOver = hyStart.endsSlowStart(
        window: 20, roundTrip: .milliseconds(100), least: .milliseconds(100), oldest: number, next: 1_000,
        at: .zero + .milliseconds(Double(number)))
      if isOver { endedAt = number }
    }
    // Half of the least round trip after the first.
    #expect(endedAt == 52)
  }

  // MARK: The receiver

  @Test func earlySegmentsJoin() {
    let early = EarlySegments()
    for number in [Int64(5), 9, 7, 6, 20] { early.insert(number, endOffset: number * 10, marks: 0) }
    #expect(early.selective[0] == 20..<21 && early.selective[1] == 5..<8 && early.selective[2] == 9..<10)
    early.insert(8, endOffset: 80, marks: 1)
    #expect(early.selective[0] == 5..<10 && early.selective[1] == 20..<21 && early.selective[2].isEmpty)
    #expect(early.contains(7) && !early.contains(10))
    #expect(early.take(from: 4) == nil)
    let block = early.take(from: 5)
    #expect(block?.numbers == 5..<10 && block?.endOffset == 90)
    #expect(early.take(from: 20)?.numbers == 20..<21 && early.isEmpty)
  }

  /// What arrives one after the other, and after which of them an acknowledgement leaves at once.
  private func answers(_ sizes: [Int], conversation: Bool = false) -> [Bool] {
    var manners = AcknowledgementManners()
    if conversation {
      manners.arrived(bytes: 10, timeout: .seconds(1), at: .zero)
      manners.left(withData: true, at: .zero)
    }
    return sizes.map { size in
      manners.arrived(bytes: size, timeout: .seconds(1), at: .zero + .milliseconds(1))
      let owes = manners.owes
      if owes { manners.left(withData: false, at: .zero + .milliseconds(1)) }
      return owes
    }
  }

  @Test func sixteenAreAnsweredAtOnceAndThenEverySecond() {
    let full = answers(Array(repeating: 1_448, count: 24))
    #expect(full == Array(repeating: true, count: 16) + [false, true, false, true, false, true, false, true])
    // One that isn't full ends something.
    #expect(answers(Array(repeating: 1_448, count: 16) + [300]).last == true)
  }

  @Test func inAConversationTheAnswerTakesItAlong() {
    #expect(answers([300, 300, 300], conversation: true) == [false, false, false])
    #expect(answers([1_448, 1], conversation: true) == [false, true])
  }

  @Test func anAnswerThatDoesNotComeIsWaitedForFortyMilliseconds() {
    var manners = AcknowledgementManners()
    manners.arrived(bytes: 10, timeout: .seconds(1), at: .zero)
    manners.left(withData: true, at: .zero)
    manners.arrived(bytes: 10, timeout: .seconds(1), at: .zero)
    #expect(manners.due == .zero + .milliseconds(44) && !manners.owes)
    manners.timerIsDue(at: manners.due)
    #expect(manners.owes && manners.due == .distantFuture)
    manners.left(withData: false, at: .zero + .milliseconds(44))
    // It isn't one any more.
    manners.arrived(bytes: 10, timeout: .seconds(1), at: .zero + .milliseconds(50))
    #expect(manners.owes)
  }

  // MARK: Memory

  /// Both ends of an idle connection, with what belongs to the connection itself, within the 2 kB of a session.
  @Test func anIdleConnectionIsSmall() {
    #expect(2 * MemoryLayout<TCPEnd>.stride + 2 * MemoryLayout<TCPStream>.stride <= 592)
  }

  @Test func anIdleConnectionHoldsNothing() {
    let bench = TCPBench()
    bench.session.server.toWrite = 1_000_000
    bench.session.client.toWrite = 100_000
    bench.session.drive(at: bench.now)
    bench.run(forMilliseconds: 10_000)
    let connection = bench.session.connection!
    #expect(bench.session.client.receivedBytes == 1_000_000 && bench.session.server.receivedBytes == 100_000)
    for end in [connection.client, connection.server] {
      #expect(end.sender.flight == nil && end.deadline(at: bench.now) == .distantFuture)
      #expect(end.sender.outstandingBytes == 0 && end.sender.unsentBytes == 0)
    }
    #expect(connection.opening == nil && bench.path.deadline == nil)
  }
}
