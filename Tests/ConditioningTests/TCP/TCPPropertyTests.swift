import Testing

@testable import Conditioning

/// Random writes over random paths that change at random: every byte arrives, in order and with its mark, and then the end.
@Suite struct TCPPropertyTests {
  /// What one side of a session has written, and its end.
  private struct Script {
    var segments: [Segment] = []
    var bytes: Int64 = 0
    var hasEnded = false
  }

  private final class Chaos {
    let world: LabWorld
    var dice: SeededGenerator
    private var scripts: [[Script]] = []

    init(seed: UInt64) {
      world = LabWorld(seed: seed)
      dice = SeededGenerator(seed: seed)
      for _ in 0..<3 { _ = world.addPath(randomParameters()) }
      for _ in 0..<3 {
        let session = world.connect(over: world.paths[Int.random(in: 0..<3, using: &dice)])
        session.client.keepsRecord = true
        session.server.keepsRecord = true
        scripts.append([Script(), Script()])
      }
    }

    private func randomWay() -> ChannelParameters {
      var way = ChannelParameters()
      if dice.chance(0.7) { way.capacity = .rate(bytesPerSecond: Int64(dice.length(upTo: 4_000_000))) }
      if dice.chance(0.1) { way.capacity = .rate(bytesPerSecond: 0) }
      if dice.chance(0.5) { way.queueBytes = 3_000 + dice.length(upTo: 200_000) }
      way.delay = .milliseconds(Double(dice.length(upTo: 400)))
      if dice.chance(0.4) { way.jitter = .milliseconds(Double(dice.length(upTo: 100))) }
      if dice.chance(0.3) { way.jitterDistribution = .normal }
      switch Int.random(in: 0..<4, using: &dice) {
      case 0: way.loss = .random(dice.unit() * 0.3)
      case 1: way.loss = .bursts(GilbertElliott(loss: dice.unit() * 0.2, meanBurstPackets: 1 + dice.unit() * 9))
      default: break
      }
      return way
    }

    func randomParameters() -> PathParameters {
      PathParameters(upstream: randomWay(), downstream: randomWay())
    }

    func act() {
      let number = Int.random(in: 0..<3, using: &dice)
      let session = world.sessions[number]
      let path = world.paths[Int.random(in: 0..<3, using: &dice)]
      switch Int.random(in: 0..<20, using: &dice) {
      case 0: session.change(to: LabWorld.plan(path), at: world.now)
      case 1: path.update(PathTimeline(randomParameters()), at: world.now)
      case 2: session.change(to: dice.chance(0.5) ? [] : [.latency(30)], at: world.now)
      case 3: session.change(to: LabWorld.plan(path) + [.latency(20)], at: world.now)
      case 4 where dice.chance(0.3): session.connection?.connect(at: world.now)
      case 5 where dice.chance(0.2): write(.end, number, Int.random(in: 0..<2, using: &dice))
      case 6..<14:
        let way = Int.random(in: 0..<2, using: &dice)
        let extent = Extent(
          start: scripts[number][way].bytes, count: dice.length(upTo: 200_000), opensExchange: dice.chance(0.2))
        write(.bytes(extent), number, way)
      default: world.run(until: world.now + .milliseconds(Double(dice.length(upTo: 2_000))))
      }
    }

    private func write(_ segment: Segment, _ number: Int, _ way: Int) {
      guard !scripts[number][way].hasEnded else { return }
      scripts[number][way].segments.append(segment)
      scripts[number][way].bytes += Int64(segment.byteCount)
      scripts[number][way].hasEnded = segment == .end
      world.sessions[number].write(segment, way == 0 ? .upstream : .downstream, at: world.now)
    }

    /// A good path, an end from each side, and all the time that it takes.
    func finish() {
      for path in world.paths {
        path.update(PathTimeline(PathParameters()), at: world.now)
      }
      for number in 0..<3 {
        for way in 0..<2 { write(.end, number, way) }
      }
      world.run(until: world.now + .seconds(3_600))
    }

    func check() {
      for (number, session) in world.sessions.enumerated() {
        for (way, got) in [session.server.received, session.client.received].enumerated() {
          #expect(Self.joined(got) == Self.joined(scripts[number][way].segments), "session \(number), way \(way)")
        }
      }
      #expect(world.paths.allSatisfy { $0.deadline == nil })
    }

    /// Cuts that the network has made are undone; those at the mark of an exchange stay.
    private static func joined(_ segments: [Segment]) -> [Segment] {
      segments.reduce(into: []) { joined, segment in
        if case .bytes(let extent) = segment, !extent.opensExchange, case .bytes(let last)? = joined.last {
          guard last.end == extent.start else { return joined.append(segment) }
          joined[joined.count - 1] = .bytes(
            Extent(start: last.start, count: last.count + extent.count, opensExchange: last.opensExchange))
        } else {
          joined.append(segment)
        }
      }
    }
  }

  /// The last two once went round for ever: by a move of packets that had moved before, and at one instant on a path without
  /// delay.
  @Test(arguments: Array(0..<60) + [745, 1293])
  func nothingIsLostOrReordered(seed: Int) {
    let chaos = Chaos(seed: UInt64(seed))
    for _ in 0..<120 { chaos.act() }
    chaos.finish()
    chaos.check()
  }
}
