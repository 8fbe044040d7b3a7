@testable import Conditioning

/// Three sessions over modelled networks that change, move between them, and have toxics beside them; then all paths are
/// good, and everything has to arrive, with its marks and its end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  let (first, second) = (PathsRun(input), PathsRun(input))
  first.run()
  first.check()
  second.run()
  for (one, other) in zip(first.world.sessions, second.world.sessions) {
    guard one.server == other.server, one.client == other.client else { fatalError("not the same") }
  }
  return 0
}

private final class PathsRun {
  private static let operations = 150

  let world = LabWorld(seed: 1)
  private var program: Program
  private var scripts = LabScripts(sessions: 3)

  init(_ input: [UInt8]) {
    program = Program(input)
    for _ in 0..<2 { _ = world.addPath(timeline()) }
    for number in 0..<3 {
      let session = world.connect(over: world.paths[number % 2])
      session.client.keepsRecord = true
      session.server.keepsRecord = true
    }
  }

  func run() {
    var operations = 0
    while !program.isOver, operations < Self.operations {
      operations += 1
      act()
    }
    for path in world.paths { path.update(PathTimeline(PathParameters()), at: world.now) }
    for number in world.sessions.indices {
      world.sessions[number].accepts = true
      world.sessions[number].change(to: LabWorld.plan(world.paths[number % 2]), at: world.now)
      for way in 0..<2 { scripts.write(.end, number, way, in: world) }
    }
    world.run(until: world.now + .seconds(3_600))
  }

  func check() {
    let complaints = scripts.complaints(in: world)
    guard complaints.isEmpty else { fatalError("\(complaints)") }
  }

  private func act() {
    let operation = program.byte()
    let number = Int(operation >> 4) % 3
    let (session, path) = (world.sessions[number], world.paths[Int(operation >> 6) % 2])
    switch operation & 15 {
    case 0: session.change(to: LabWorld.plan(path), at: world.now)
    case 1: path.update(timeline(), at: world.now)
    case 2: session.change(to: toxics(), at: world.now)
    case 3: session.change(to: LabWorld.plan(path) + toxics(), at: world.now)
    case 4: session.connection?.connect(at: world.now)
    case 5: session.accepts.toggle()
    case 6 where program.choice(4) == 0: scripts.write(.end, number, Int(operation >> 5) & 1, in: world)
    case 7...10:
      let way = Int(operation >> 5) & 1
      let count = program.length(upTo: 200_000)
      let extent = Extent(start: scripts.bytes(number, way), count: count, opensExchange: count & 7 == 0)
      scripts.write(.bytes(extent), number, way, in: world)
    default: world.run(until: world.now + .milliseconds(Double(program.length(upTo: 3_000))))
    }
  }

  private func toxics() -> [StagePlan] {
    let kinds: [StageKind] = [
      .latency(.init(latency: .milliseconds(Double(program.choice(100))), jitter: .milliseconds(20))),
      .bandwidth(.init(bytesPerSecond: Int64(program.length(upTo: 2_000_000)))),
      .stall(.init(duration: .milliseconds(Double(program.length(upTo: 500))))),
      .slicer(.init(averageSize: 1_000, sizeVariation: 100, delay: .zero)),
    ]
    let wanted = program.byte()
    return kinds.indices.filter { wanted >> UInt8($0) & 1 == 1 }.map { StagePlan(name: "toxic \($0)", kind: kinds[$0]) }
  }

  private func timeline() -> PathTimeline {
    let manner = program.byte()
    guard manner & 3 == 0 else { return PathTimeline(parameters()) }
    let steps = (0...program.choice(3)).map { _ in
      PathTimeline.Step(duration: .milliseconds(Double(program.length(upTo: 5_000))), parameters: parameters())
    }
    return PathTimeline(steps: steps, isLooped: manner & 4 == 0)
  }

  private func parameters() -> PathParameters {
    PathParameters(upstream: way(), downstream: way(), congestionControl: program.byte() & 3 == 0 ? .bbr : .cubic)
  }

  private func way() -> ChannelParameters {
    var way = ChannelParameters()
    switch program.choice(5) {
    case 0: break
    case 1: way.capacity = .rate(bytesPerSecond: 0)
    case 2:
      let first = UInt32(program.choice(50))
      way.capacity = .trace(
        CapacityTrace(opportunities: [first, first + 1, first + UInt32(program.length(upTo: 900))]))
    default: way.capacity = .rate(bytesPerSecond: Int64(program.length(upTo: 4_000_000)))
    }
    let manner = program.byte()
    if manner & 1 == 0 { way.queueBytes = 3_000 + program.length(upTo: 200_000) }
    way.delay = .milliseconds(Double(program.length(upTo: 400)))
    if manner & 2 == 0 { way.jitter = .milliseconds(Double(program.length(upTo: 100))) }
    if manner & 4 == 0 { way.jitterDistribution = .normal }
    switch manner >> 3 & 3 {
    case 0: way.loss = .random(program.share())
    case 1:
      way.loss = .bursts(
        GilbertElliott(
          goodToBad: program.share(), badToGood: program.share(), lossInBad: program.share(),
          lossInGood: program.share() / 4))
    default: break
    }
    return way
  }
}

extension LabApplication {
  fileprivate static func == (one: Self, other: Self) -> Bool {
    one.received == other.received && one.receivedBytes == other.receivedBytes
      && one.arrivals.map(\.at) == other.arrivals.map(\.at)
  }
}
