import Testing

@testable import Conditioning

@Suite struct NetworkPathTests {
  /// 1,500 bytes take 10 ms.
  private static let slow = ChannelParameters(capacity: .rate(bytesPerSecond: 150_000))
  private static let fast = ChannelParameters(capacity: .rate(bytesPerSecond: 300_000))

  private func path(_ steps: [(Double, ChannelParameters)], isLooped: Bool = true) -> NetworkPath {
    let steps = steps.map { milliseconds, channel in
      PathTimeline.Step(
        duration: .milliseconds(milliseconds), parameters: PathParameters(upstream: channel, downstream: channel))
    }
    return NetworkPath(PathTimeline(steps: steps, isLooped: isLooped), seed: 1, name: "test", at: .zero)
  }

  /// Polls at each deadline up to `end`, and tells these.
  private func run(_ path: NetworkPath, until end: Double) -> [Double] {
    var deadlines: [Double] = []
    while let deadline = path.deadline, deadline <= .milliseconds(end) {
      deadlines.append((deadline - .zero).milliseconds)
      path.drive(at: deadline)
    }
    return deadlines
  }

  @Test func stepsBeginAtTheirTimesWithoutAnyConnection() {
    let path = path([(1_000, Self.slow), (2_000, Self.fast)])
    #expect(path.deadline == .milliseconds(1_000))
    #expect(path.parameters.upstream == Self.slow && path.takeSteps().isEmpty)
    #expect(run(path, until: 6_500) == [1_000, 3_000, 4_000, 6_000])
    let steps = path.takeSteps()
    #expect(steps.map(\.step) == [1, 0, 1, 0] && steps.map(\.round) == [0, 1, 1, 2])
    #expect(steps.map(\.begins.milliseconds) == [1_000, 3_000, 4_000, 6_000])
    #expect(path.takeSteps().isEmpty && path.parameters.upstream == Self.slow)
    // Late by days.
    repeat { path.drive(at: .seconds(86_401)) } while path.deadline == .distantPast
    #expect(path.position.round == 28_800 && path.position.step == 1)
    #expect(path.takeSteps().count == NetworkPath.untakenSteps)
  }

  @Test func stepsActOnWhatWaitsHoweverLateTheyAreNoticed() {
    for lateness in [0.0, 100] {
      let path = path([(15, Self.slow), (1_000, Self.fast)])
      path.sendPhantoms(2)
      path.drive(at: .milliseconds(15 + lateness))
      // The second had half of its bytes left at 15 ms.
      path.drive(at: .milliseconds(17.5 + lateness))
      path.sendPhantoms(1)
      #expect(path.deadline == .milliseconds(22.5 + lateness))
      #expect(path.clock == .milliseconds(17.5 + lateness))
    }
    let path = path([(15, Self.slow), (1_000, Self.fast)])
    path.sendPhantoms(2)
    #expect(run(path, until: 100) == [10, 15, 17.5])
  }

  /// SYN arrives at 25 ms, when its answer takes 5 ms and no longer 25.
  @Test func aStepBeginsBeforeWhatArrivesAtTheSameTime() throws {
    let ways = [25.0, 5].map { ChannelParameters(delay: .milliseconds($0)) }
    let path = path([(25, ways[0]), (1_000, ways[1])])
    let link = Link(.test(1), plan: [.tcp(path)], owner: 7, at: .zero)
    let found = link.connection
    let connection = try #require(found)
    connection.connect(at: .zero)
    connection.serverAccepted(at: .zero)
    path.drive(at: .milliseconds(29.9))
    #expect(connection.handshake == .answered)
    path.drive(at: .milliseconds(30))
    #expect(connection.handshake == .established)
  }

  @Test func anUpdateActsAtOnceAndBeginsTheTimelineAnew() {
    let path = path([(1_000, Self.slow), (2_000, Self.fast)])
    path.drive(at: .milliseconds(1_500))
    let parameters = PathParameters(upstream: Self.slow, downstream: Self.fast)
    let timeline = PathTimeline(
      steps: [.init(duration: .seconds(1), parameters: parameters), path.timeline.steps[1]], isLooped: false)
    path.sendPhantoms(1)
    #expect(path.update(timeline, at: .milliseconds(1_502)))
    // At 300 kB/s 600 of the 1,500 bytes were done; the rest takes 6 ms at the new rate.
    #expect(path.deadline == .milliseconds(1_508))
    #expect(path.beginning == .milliseconds(1_502) && path.position.step == 0 && path.takeSteps().isEmpty)
    path.drive(at: .milliseconds(1_510))
    #expect(path.deadline == .milliseconds(2_502))
    #expect(!path.update(timeline, at: .milliseconds(2_000)))
    #expect(path.beginning == .milliseconds(1_502), "nothing has changed")
    path.drive(at: .milliseconds(2_502))
    #expect(path.takeSteps().map(\.step) == [1] && path.deadline == nil)
  }

  @Test func afterALongSleepOthersGetTheirTurn() {
    let path = path([(1_000_000, ChannelParameters(delay: .milliseconds(1)))])
    path.sendPhantoms(NetworkPath.eventsInARow + 5)
    #expect(path.poll(at: .seconds(5)) == nil)
    #expect(path.clock == .milliseconds(1) && path.deadline == .distantPast)
    // At the same time again, as in a loop whose clock stands still.
    #expect(path.poll(at: .seconds(5)) == nil)
    #expect(path.clock == .seconds(5) && path.deadline == .seconds(1_000))
  }

  @Test func connectionsAreKnownByTheirSessions() throws {
    let path = path([(1_000, Self.slow)])
    let first = Link(.test(1), plan: [.tcp(path)], owner: 7, at: .zero)
    let found = first.connection
    let connection = try #require(found)
    #expect(path.join(7) === connection && path.join(8) == nil)
    path.markReady(connection)
    #expect(path.deadline == .distantPast)
    #expect(path.poll(at: .zero) == 7 && path.poll(at: .zero) == nil)
    // Once, whatever has come for it.
    path.markReady(connection)
    path.markReady(connection)
    #expect(path.poll(at: .zero) == 7 && path.poll(at: .zero) == nil)
  }

  @Test func aConnectionThatLeavesIsForgotten() {
    let path = path([(1_000, Self.slow)], isLooped: false)
    weak var gone: TCPConnection?
    do {
      var link = Link(.test(1), plan: [.tcp(path)], owner: 7, at: .zero)
      gone = link.connection
      if let connection = link.connection {
        path.arm(connection, at: .milliseconds(5))
        path.markReady(connection)
        path.sendPhantoms(3, seat: connection.seat)
      }
      link.receive(.bytes(Extent(start: 0, count: 3_000)), at: .zero)
    }
    #expect(gone == nil && path.join(7) == nil)
    #expect(path.poll(at: .milliseconds(1)) == nil)
    // What it had under way uses the link.
    #expect(path.deadline == .milliseconds(10))
    // Another one in its place gets none of it.
    let link = Link(.test(2), plan: [.tcp(path)], owner: 8, at: .milliseconds(1))
    while let deadline = path.deadline, deadline <= .seconds(1) { #expect(path.poll(at: deadline) == nil) }
    #expect(path.join(8) === link.connection)
  }

  @Test func aConnectionThatMovesTakesAllAlong() throws {
    let delayed = ChannelParameters(capacity: .rate(bytesPerSecond: 150_000), delay: .milliseconds(50))
    let (old, new) = (path([(1_000, delayed)], isLooped: false), path([(1_000, Self.fast)], isLooped: false))
    var link = Link(.test(1), plan: [.tcp(old)], owner: 7, at: .zero)
    let found = link.connection
    let connection = try #require(found)
    old.sendPhantoms(2, seat: connection.seat)
    old.arm(connection, at: .milliseconds(300))
    old.markReady(connection)
    link.change(to: [.tcp(new)], at: .milliseconds(15))
    #expect(old.poll(at: .milliseconds(15)) == nil && old.deadline == nil && old.join(7) == nil)
    #expect(new.join(7) === connection && new.poll(at: .milliseconds(15)) == 7)
    // The first has left the old serialiser, the second is sent by the new one, as a whole: 15 + 5 ms.
    #expect(new.deadline == .milliseconds(20))
    new.drive(at: .milliseconds(20))
    #expect(new.deadline == .milliseconds(60))
    new.drive(at: .milliseconds(60))
    #expect(new.deadline == .milliseconds(300))
  }

  @Test func aPathWithPacketsUnderWayIsLetGo() {
    weak var gone: NetworkPath?
    do {
      let path = path([(1_000, Self.slow)])
      gone = path
      var link = Link(.test(1), plan: [.tcp(path)], owner: 7, at: .zero)
      link.receive(.bytes(Extent(start: 0, count: 3_000)), at: .zero)
      if let connection = link.connection { path.sendPhantoms(3, seat: connection.seat) }
    }
    #expect(gone == nil)
  }

  @Test func theSameSeedLosesTheSamePackets() {
    func counters(seed: UInt64, name: String) -> [Int64] {
      let lossy = ChannelParameters(loss: .bursts(GilbertElliott(loss: 0.3, meanBurstPackets: 2)))
      let parameters = PathParameters(upstream: lossy, downstream: lossy)
      let path = NetworkPath(PathTimeline(parameters), seed: seed, name: name, at: .zero)
      return (0..<20).flatMap { _ in
        Direction.allCases.map { direction in
          path.sendPhantoms(10, direction)
          return path.counters(direction).lost
        }
      }
    }
    let once = counters(seed: 1, name: "a")
    #expect(once == counters(seed: 1, name: "a"))
    #expect(once != counters(seed: 2, name: "a") && once != counters(seed: 1, name: "b"))
  }
}

extension NetworkPath {
  /// As its owner does it, but for the sessions.
  func drive(at now: Instant) {
    while poll(at: now) != nil {}
  }

  /// Packets of a connection that has left.
  func sendPhantoms(
    _ count: Int, _ direction: Direction = .upstream, seat: PathSeat = .test(1 << 20), size: Int = 1_500,
    isVisible: Bool = true
  ) {
    var dice = SeededGenerator(seed: 1)
    for _ in 0..<count {
      send(.test(of: seat, size: size, isVisible: isVisible), direction, dice: &dice)
    }
  }
}

extension StagePlan {
  static func tcp(_ path: NetworkPath) -> StagePlan { StagePlan(name: "path/tcp", kind: .tcp(path)) }
}

extension LinkIdentity {
  static func test(_ session: Int, _ direction: Direction = .upstream) -> LinkIdentity {
    LinkIdentity(seed: 1, proxy: "test", session: session, direction: direction)
  }
}
