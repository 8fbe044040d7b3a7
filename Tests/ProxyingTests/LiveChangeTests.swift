import Conditioning
import Settings
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor

/// Changes in the middle of a transfer lose no byte and swap none.
@Suite struct LiveChangeTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private static let paths: [PathSpec] = [
    PathSpec(), PathSpec(latencyMilliseconds: 6, jitterMilliseconds: 6),
    PathSpec(downstreamBytesPerSecond: 20_000_000, upstreamBytesPerSecond: 30_000_000),
    PathSpec(latencyMilliseconds: 2, downstreamBytesPerSecond: 40_000_000),
  ]

  private func change(_ dice: inout SeededGenerator) throws {
    switch Int.random(in: 0..<6, using: &dice) {
    case 0, 1: try bench.use(Self.paths.randomElement(using: &dice) ?? PathSpec())
    case 2: bench.registry.profile.set(nil, cause: .cleared)
    case 3:
      let proxy = try bench.registry.proxy(named: "web")
      let names = ["a", "b", "c"].filter { name in !proxy.toxics.contains { $0.name == name } }
      guard let name = names.first else { return }
      let kinds: [ToxicAttributes] = [
        .latency(milliseconds: .random(in: 0..<8, using: &dice), jitterMilliseconds: 3), .noop,
        .bandwidth(kilobytesPerSecond: 30_000), .stall(milliseconds: 2), .slowClose(milliseconds: 4),
        .slicer(SlicerSpec(averageSize: 3_000, sizeVariation: 500)), .resetPeer(milliseconds: 3_600_000),
        .limitData(bytes: 1 << 40),
      ]
      let stream: Settings.Stream? = [.upstream, .downstream, nil].randomElement(using: &dice) ?? nil
      try bench.registry.addToxic(
        ToxicSpec(kinds.randomElement(using: &dice) ?? .noop, name: name, stream: stream), to: "web")
    case 4:
      guard var toxic = try bench.registry.proxy(named: "web").toxics.first else { return }
      toxic.toxicity = Float.random(in: 0...1.5, using: &dice)
      if case .latency = toxic.attributes { toxic.attributes = .latency(milliseconds: 1, jitterMilliseconds: 0) }
      try bench.registry.updateToxic(toxic, of: "web")
    default:
      guard let toxic = try bench.registry.proxy(named: "web").toxics.randomElement(using: &dice) else { return }
      try bench.registry.removeToxic(toxic.name, from: "web")
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func bytesAreTheSameWhateverChanges(_ seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    let upstream = try Upstream.echo(bench.loop)
    let proxy = try bench.create(upstream: upstream.address)
    let bytes = payload(3_000_000, seed: seed)
    let clients = try (0..<2).map { _ in try bench.connect(proxy) }
    for client in clients {
      client.send(bytes)
      client.finish()
    }
    while !clients.allSatisfy(\.isOver) {
      try change(&dice)
      bench.loop.run(forMilliseconds: 1)
    }
    for client in clients {
      #expect(client.isEnded)
      #expect(client.received == bytes)
    }
    try bench.loop.runUntil { bench.registry.sessions.isEmpty }
    #expect(bench.registry.bufferedBytes == 0)
  }

  @Test func aRemovedToxicLetsGoAtOnce() throws {
    let upstream = try Upstream.echo(bench.loop)
    let client = try bench.openClient(bench.create(upstream: upstream.address))
    try bench.registry.addToxic(.latency(3_600_000), to: "web")
    client.send("held")
    try bench.loop.runUntil { bench.registry.sessions[0].bufferedBytes == 4 }
    try bench.registry.removeToxic("latency_downstream", from: "web")
    try bench.loop.runUntil { client.text == "hellohold" || client.text == "helloheld" || client.isOver }
    #expect(client.text == "helloheld")
  }

  @Test func toxicsAreToldAndRefusedByName() throws {
    try bench.create(upstream: "x:1")
    let registry = bench.registry
    try registry.addToxic(.latency(1), to: "web")
    #expect(throws: RegistryError.toxicExists) { try registry.addToxic(.latency(2), to: "web") }
    #expect(throws: RegistryError.toxicNotFound) { try registry.updateToxic(.noop(), of: "web") }
    #expect(throws: RegistryError.toxicNotFound) { try registry.removeToxic("noop", from: "web") }
    #expect(throws: RegistryError.proxyNotFound) { try registry.addToxic(.noop(), to: "nobody") }
    try registry.updateToxic(.latency(1), of: "web")
    #expect(bench.events("toxic_updated").isEmpty, "nothing differs")
    try registry.updateToxic(.latency(2), of: "web")
    try registry.removeToxic("latency_downstream", from: "web")
    let told = registry.events.events(since: 0).map(\.type).filter { $0.hasPrefix("toxic") }
    #expect(told == ["toxic_added", "toxic_updated", "toxic_removed"])
  }
}
