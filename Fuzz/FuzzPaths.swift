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

  private struct Script {
    var segments: [Segment] = []
    var bytes: Int64 = 0
    var hasEnded = false
  }

  let world = LabWorld(seed: 1)
  private var program: Program
  private var scripts = [[Script]](repeating: [Script(), Script()], count: 3)

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
      for way in 0..<2 { write(.end, number, way) }
    }
    world.run(until: world.now + .seconds(3_600))
  }

  func check() {
    for (number, session) in world.sessions.enumerated() {
      for (way, got) in [session.server.received, session.client.received].enumerated() {
        let (got, wanted) = (Self.joined(got), Self.joined(scripts[number][way].segments))
        guard got == wanted else { fatalError("session \(number), way \(way): \(got), not \(wanted)") }
      }
    }
    guard world.paths.allSatisfy({ $0.deadline == nil }) else { fatalError("a path without traffic has a deadline") }
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
    case 6 where program.choice(4) == 0: write(.end, number, Int(operation >> 5) & 1)
    case 7...10:
      let way = Int(operation >> 5) & 1
      let count = program.length(upTo: 200_000)
      write(.bytes(Extent(start: scripts[number][way].bytes, count: count, opensExchange: count & 7 == 0)), number, way)
    default: world.run(until: world.now + .milliseconds(Double(program.length(upTo: 3_000))))
    }
  }

  private func write(_ segment: Segment, _ number: Int, _ way: Int) {
    guard !scripts[number][way].hasEnded else { return }
    scripts[number][way].segments.append(segment)
    scripts[number][way].bytes += Int64(segment.byteCount)
    scripts[number][way].hasEnded = segment == .end
    world.sessions[number].write(segment, way == 0 ? .upstream : .downstream, at: world.now)
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

extension LabApplication {
  fileprivate static func == (one: Self, other: Self) -> Bool {
    one.received == other.received && one.receivedBytes == other.receivedBytes
      && one.arrivals.map(\.at) == other.arrivals.map(\.at)
  }
}
