import Conditioning

/// A path without chance and one session on it.
struct TCPBench {
  let world = LabWorld(seed: 7)
  let path: NetworkPath
  let session: LabSession
  let roundTrip: Interval

  /// - Parameter tunnel: milliseconds in which the path loses all, by itself: no user changes anything.
  init(
    roundTripMilliseconds: Double = 100, bytesPerSecond: Int64? = nil, queueBytes: Int? = nil, accepts: Bool = true,
    tunnel: Range<Double>? = nil
  ) {
    let way = ChannelParameters(
      capacity: bytesPerSecond.map { .rate(bytesPerSecond: $0) } ?? .unlimited, queueBytes: queueBytes,
      delay: .milliseconds(roundTripMilliseconds / 2))
    roundTrip = .milliseconds(roundTripMilliseconds)
    let open = PathParameters(upstream: way, downstream: way)
    var timeline = PathTimeline(open)
    if let tunnel {
      var lossy = open
      (lossy.upstream.loss, lossy.downstream.loss) = (.random(1), .random(1))
      timeline.steps = [
        PathTimeline.Step(duration: .milliseconds(tunnel.lowerBound), parameters: open),
        PathTimeline.Step(duration: .milliseconds(tunnel.upperBound - tunnel.lowerBound), parameters: lossy),
        PathTimeline.Step(duration: .seconds(1), parameters: open),
      ]
    }
    path = world.addPath(timeline)
    session = world.connect(over: path)
    session.accepts = accepts
    session.client.keepsRecord = true
    session.server.keepsRecord = true
  }

  var now: Instant { world.now }

  func run(forMilliseconds milliseconds: Double) {
    world.run(until: world.now + .milliseconds(milliseconds))
    // What nobody can see may be waiting.
    path.advance(to: world.now)
  }

  /// All packets of one direction, or none, are lost from now on.
  func lose(_ direction: Direction, _ share: Double) {
    var parameters = path.parameters
    switch direction {
    case .upstream: parameters.upstream.loss = .random(share)
    case .downstream: parameters.downstream.loss = .random(share)
    }
    path.update(PathTimeline(parameters), at: world.now)
  }

  /// The server writes, and all that the client gets within a second is counted by round trips, in segments.
  func rounds(ofBytes bytes: Int) -> [Int] {
    let begin = session.client.arrivals.count
    let before = session.client.receivedBytes
    session.server.toWrite += bytes
    session.drive(at: world.now)
    let start = world.now + .nanoseconds(roundTrip.nanoseconds / 2)
    world.run(until: world.now + .seconds(60)) { session.client.receivedBytes < before + bytes }
    var rounds: [Int] = []
    var last = before
    for arrival in session.client.arrivals[begin...] {
      let round = Int((arrival.at - start).nanoseconds / roundTrip.nanoseconds)
      while rounds.count <= round { rounds.append(0) }
      rounds[round] += arrival.bytes - last
      last = arrival.bytes
    }
    return rounds.map { ($0 + 1_447) / 1_448 }
  }
}
