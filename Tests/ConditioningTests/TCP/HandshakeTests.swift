import Testing

@testable import Conditioning

@Suite struct HandshakeTests {
  @Test func theFirstByteComesAfterTwoRoundTrips() {
    let bench = TCPBench()
    bench.session.client.toWrite = 200
    bench.session.server.toWrite = 1
    bench.session.drive(at: bench.now)
    bench.world.run { bench.session.server.receivedBytes == 0 }
    #expect(bench.now == .zero + .milliseconds(150))
    bench.world.run { bench.session.client.receivedBytes == 0 }
    #expect(bench.now == .zero + .milliseconds(200))
    #expect(bench.session.connection?.handshake == .established)
  }

  @Test func stepsAreToldAsTheyHappen() {
    let bench = TCPBench(accepts: false)
    let connection = bench.session.connection!
    #expect(connection.handshake == .opening)
    bench.run(forMilliseconds: 49)
    #expect(connection.handshake == .opening)
    bench.run(forMilliseconds: 2)
    #expect(connection.handshake == .atServer)
    bench.run(forMilliseconds: 300)
    #expect(connection.handshake == .atServer && bench.path.counters(.downstream).packets == 0)
    connection.serverAccepted(at: bench.now)
    #expect(connection.handshake == .answered)
    bench.run(forMilliseconds: 51)
    #expect(connection.handshake == .established)
    // The server's own time isn't the network's.
    bench.run(forMilliseconds: 60)
    #expect(connection.client.sender.roundTrips.smoothedTime == .milliseconds(100))
    #expect(connection.server.sender.roundTrips.smoothedTime == .milliseconds(100))
    #expect(connection.opening == nil)
    bench.run(forMilliseconds: 2_000)
    #expect(bench.path.deadline == nil)
  }

  @Test func aServerMayAnswerBeforeItIsAsked() {
    let bench = TCPBench(accepts: false)
    bench.session.connection?.serverAccepted(at: bench.now)
    #expect(bench.session.connection?.handshake == .opening)
    bench.run(forMilliseconds: 101)
    #expect(bench.session.connection?.handshake == .established)
  }

  /// A second, as late as the kernel's timers: by up to an eighth, but in ticks of 32 ms here.
  @Test func aLostSYNCostsASecond() {
    let world = LabWorld(seed: 1)
    var parameters = PathParameters()
    parameters.upstream.loss = .random(1)
    let path = world.addPath(parameters)
    let session = world.connect(over: path)
    world.run(until: .zero + .milliseconds(500))
    path.update(PathTimeline(PathParameters()), at: world.now)
    world.run { session.connection?.handshake != .established }
    #expect(world.now >= .zero + .seconds(1) && world.now <= .zero + .seconds(1.04))
  }

  @Test func theSYNIsSentEachSecondFiveTimesAndThenDoubles() {
    let world = LabWorld(seed: 1)
    var parameters = PathParameters()
    parameters.upstream.loss = .random(1)
    let path = world.addPath(parameters)
    _ = world.connect(over: path)
    var times: [Double] = [0]
    while times.count < 9 {
      world.run(until: world.now + .milliseconds(5))
      _ = path.poll(at: world.now)
      while times.count < Int(path.counters(.upstream).packets) { times.append((world.now - .zero).seconds) }
    }
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    for (gap, expected) in zip(gaps, [1.0, 1, 1, 1, 1, 2, 4, 8]) {
      #expect(gap > expected - 0.01 && gap < expected * 1.13 + 0.02, "\(gaps)")
    }
  }

  /// A SYN-ACK that was lost is asked for again by SYN, or sent again after a second.
  @Test func aLostSYNACKCostsASecond() {
    let bench = TCPBench()
    bench.lose(.downstream, 1)
    bench.run(forMilliseconds: 500)
    #expect(bench.session.connection?.handshake == .answered)
    bench.lose(.downstream, 0)
    bench.world.run { bench.session.connection?.handshake != .established }
    #expect(bench.now >= .zero + .milliseconds(1_050) && bench.now <= .zero + .milliseconds(1_150))
  }

  /// RFC 5681 §3.1. The first two SYNs are lost, the third isn't.
  @Test(arguments: [(0.5, 10), (1.5, 1)])
  func twoLossesShrinkTheFirstWindow(seconds: Double, window: Int) {
    var dead = PathParameters()
    dead.upstream.loss = .random(1)
    let world = LabWorld(seed: 1)
    let steps = [
      PathTimeline.Step(duration: .seconds(seconds), parameters: dead),
      PathTimeline.Step(duration: .seconds(1), parameters: PathParameters()),
    ]
    let session = world.connect(over: world.addPath(PathTimeline(steps: steps, isLooped: false)))
    world.run(until: .zero + .seconds(5)) { session.connection?.handshake != .established }
    #expect(session.connection?.handshake == .established)
    #expect(session.connection?.client.sender.congestion.window == window)
  }

  @Test func connectingAgainBeginsAnewAndLosesNothing() {
    let bench = TCPBench()
    #expect(bench.rounds(ofBytes: 70 * 1_448) == [0, 10, 20, 40])
    bench.run(forMilliseconds: 100)
    let connection = bench.session.connection!
    bench.session.server.toWrite = 5_000
    bench.session.drive(at: bench.now)
    connection.connect(at: bench.now)
    #expect(connection.handshake == .opening && connection.server.sender.congestion.window == 10)
    // What was under way arrives; what is written now waits for the new handshake.
    bench.session.client.toWrite = 300
    bench.session.drive(at: bench.now)
    bench.run(forMilliseconds: 51)
    #expect(bench.session.client.receivedBytes == 70 * 1_448 + 5_000 && bench.session.server.receivedBytes == 0)
    bench.run(forMilliseconds: 100)
    #expect(connection.handshake == .established && bench.session.server.receivedBytes == 300)
  }

  /// A loss that is being repaired then has reduced another window than the one that there is now.
  @Test func connectingAgainDuringARecoveryOpensNoBoundlessWindow() {
    let bench = TCPBench(roundTripMilliseconds: 50, bytesPerSecond: 200_000, queueBytes: 30_000)
    bench.session.server.toWrite = 1_000_000
    bench.session.drive(at: bench.now)
    func sender() -> TCPSender { bench.session.connection!.server.sender }
    bench.world.run(until: bench.now + .seconds(60)) { sender().flight?.phase != .recovery }
    #expect(sender().flight?.phase == .recovery)
    bench.session.connection?.connect(at: bench.now)
    bench.world.run(until: bench.now + .seconds(60)) { sender().flight?.phase == .recovery }
    #expect(sender().flight?.phase != .recovery && sender().congestion.window < 100)
    bench.run(forMilliseconds: 60_000)
    #expect(bench.session.client.receivedBytes == 1_000_000)
  }

  /// What a stage finds that is put into a session in the middle: a connection with a window as after a pause.
  @Test func aStageInALiveSessionIsEstablished() {
    let bench = TCPBench()
    bench.session.change(to: [], at: bench.now)
    bench.session.change(to: LabWorld.plan(bench.path), at: bench.now)
    #expect(bench.session.connection?.handshake == .established)
    #expect(bench.rounds(ofBytes: 30 * 1_448) == [10, 20])
  }
}
