import Conditioning

/// Three sessions that write at random over random paths, which change at random.
final class Chaos {
  let world: LabWorld
  var dice: SeededGenerator
  private(set) var scripts = LabScripts(sessions: 3)

  private let control: CongestionControl

  init(seed: UInt64, control: CongestionControl = .cubic) {
    self.control = control
    world = LabWorld(seed: seed)
    dice = SeededGenerator(seed: seed)
    for _ in 0..<3 { _ = world.addPath(randomParameters()) }
    for _ in 0..<3 {
      let session = world.connect(over: world.paths[Int.random(in: 0..<3, using: &dice)])
      session.client.keepsRecord = true
      session.server.keepsRecord = true
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
    PathParameters(upstream: randomWay(), downstream: randomWay(), congestionControl: control)
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
    case 5 where dice.chance(0.2): scripts.write(.end, number, Int.random(in: 0..<2, using: &dice), in: world)
    case 6..<14:
      let way = Int.random(in: 0..<2, using: &dice)
      let extent = Extent(
        start: scripts.bytes(number, way), count: dice.length(upTo: 200_000), opensExchange: dice.chance(0.2))
      scripts.write(.bytes(extent), number, way, in: world)
    default: world.run(until: world.now + .milliseconds(Double(dice.length(upTo: 2_000))))
    }
  }

  /// A good path, an end from each side, and all the time that it takes.
  func finish() {
    for path in world.paths {
      path.update(PathTimeline(PathParameters()), at: world.now)
    }
    for number in 0..<3 {
      for way in 0..<2 { scripts.write(.end, number, way, in: world) }
    }
    world.run(until: world.now + .seconds(3_600))
  }
}
